/** Makes fields of a picture from columns of numbers or texts. */

import { badValue } from '../core/check.ts';
import { compact } from './shared/packed.ts';
import type { ClassField, Field } from './shared/picture.ts';

/** Texts become classes if at least half of them repeat an earlier one. */
export function fieldOf(caller: string, name: string, values: ArrayLike<number> | readonly string[]): Field {
  const list = Array.from(values as ArrayLike<number | string>);
  if (list.every((value) => typeof value === 'number')) {
    const infinite = list.find((value) => Math.abs(value) === Infinity);
    if (infinite !== undefined) throw badValue(caller, `finite numbers or NaN in column '${name}'`, infinite);
    return { kind: 'numbers', name, values: compact(list) };
  }
  const texts = list.map((value) => (typeof value === 'number' && Number.isNaN(value) ? '' : String(value)));
  const field = classField(name, texts);
  return field.classes.length <= texts.length / 2 ? field : { kind: 'texts', name, values: texts };
}

/** A field of classes. The empty text is not a class. */
export function classField(name: string, texts: readonly string[]): ClassField {
  const classes = [...new Set(texts)].filter((text) => text !== '').toSorted(byNumberOrText);
  const codes = new Map(classes.map((text, code) => [text, code]));
  const numbers = texts.map((text) => codes.get(text) ?? classes.length);
  const smallest = classes.length < 0x100 ? Uint8Array : classes.length < 0x10000 ? Uint16Array : Int32Array;
  return { kind: 'classes', name, classes, codes: new smallest(numbers) };
}

/** Numbers before texts, numbers by value, texts by their characters. */
function byNumberOrText(a: string, b: string): number {
  const [x, y] = [Number(a), Number(b)];
  if (Number.isNaN(x) !== Number.isNaN(y)) return Number.isNaN(x) ? 1 : -1;
  if (x !== y && !Number.isNaN(x)) return x - y;
  return a < b ? -1 : a > b ? 1 : 0;
}
