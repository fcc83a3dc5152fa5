/** Schemas of files: which fields a header has, which tensors follow, and how their shapes depend on each other. */

import { badValue, checkObject, excerpt, showShape } from '../../core/check.ts';
import { type Precision, precisions, type Shape } from '../../tensor/tensor.ts';

/** A field of a header. */
export interface Field {
  /** The rule in words, after "to be". */
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
  /** Whether it may be missing. Default: false. */
  readonly optional?: boolean;
}

export type Fields<Facts> = { readonly [Name in keyof Facts]-?: Field };

/** A tensor of a file. */
export interface TensorEntry {
  readonly shape: Shape;
  readonly precision: Precision;
}

/** A tensor that a file must have. Sizes with equal names are equal; the first tensor that has one decides. */
export interface ExpectedTensor {
  readonly name: string;
  readonly shape: readonly (string | number)[];
  /** Null for either. */
  readonly precision: Precision | null;
}

export type Sizes = Readonly<Record<string, number>>;

/** What a file says before its numbers. */
export interface Header {
  /** Everything that is not a tensor. */
  readonly facts: unknown;
  readonly tensors: readonly TensorEntry[];
}

/**
 * The schema of a content: refuses a header that contradicts itself, before any number is read, and returns the tensors it
 * has. To extend one, add an optional field, so that older files remain valid, and its tensors.
 */
export type Schema = (caller: string, header: Header) => readonly ExpectedTensor[];

/** Refuses anything but an object with these fields, each of them valid, none missing and no others. */
export function checkFields<Facts>(caller: string, name: string, value: unknown, fields: Fields<Facts>): Facts {
  checkObject(caller, value as object, `${name} to be an object`);
  const given = value as Record<string, unknown>;
  for (const [key, { expected, accepts, optional }] of Object.entries<Field>(fields)) {
    if (!Object.hasOwn(given, key)) {
      if (optional) continue;
      throw badValue(caller, `${name}.${key}`, 'a file without it');
    }
    if (!accepts(given[key])) throw badValue(caller, `${name}.${key} to be ${expected}`, given[key]);
  }
  const extra = Object.keys(given).find((key) => !Object.hasOwn(fields, key));
  if (extra === undefined) return value as Facts;
  const names = Object.keys(fields).join(', ');
  throw badValue(caller, `no fields of ${name} but ${names}`, `'${excerpt(extra)}'`);
}

/** Refuses tensors that are not the expected ones. Returns the sizes by name. */
export function checkTensors(
  caller: string,
  entries: readonly TensorEntry[],
  expected: readonly ExpectedTensor[],
): Sizes {
  if (entries.length !== expected.length) throw badValue(caller, `${expected.length} tensors`, entries.length);
  const sizes: Record<string, number> = {};
  for (const [i, { name, shape: wanted, precision }] of expected.entries()) {
    const { shape, precision: own } = entries[i];
    for (const [axis, size] of wanted.entries()) if (typeof size === 'string') sizes[size] ??= shape[axis];
    const numbers = wanted.map((size) => (typeof size === 'string' ? sizes[size] : size));
    if (shape.length !== numbers.length || numbers.some((size, axis) => size !== shape[axis])) {
      throw badValue(caller, `${name} of shape ${numbers.map((size) => size ?? '?').join('×')}`, showShape(shape));
    }
    if (precision && own !== precision) throw badValue(caller, `${name} in ${precision} precision`, own);
  }
  return sizes;
}

const largestSize = 0x7fffffff;

export const isWhole = (value: unknown, least = 0, most = Number.MAX_SAFE_INTEGER): value is number =>
  Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;

const isShape = (value: unknown): boolean =>
  Array.isArray(value) && (value.length === 1 || value.length === 2) && value.every((n) => isWhole(n, 1, largestSize));

export function oneOf(choices: readonly unknown[]): Field {
  const expected = choices.map((choice) => (typeof choice === 'string' ? `'${choice}'` : choice)).join(' or ');
  return { expected, accepts: (value) => choices.includes(value) };
}

export const count: Field = { expected: 'a whole number, at least 0', accepts: (value) => isWhole(value) };

export const entryFields: Fields<TensorEntry> = {
  shape: { expected: 'one or two whole numbers, at least 1', accepts: isShape },
  precision: oneOf(precisions),
};

/** The weights and biases of `layers` layers, whose sizes are 'size 0', 'size 1', …. Names begin with `what`. */
export function layerTensors(what: string, layers: number, precision: Precision): ExpectedTensor[] {
  return Array.from({ length: layers }, (_, l): ExpectedTensor[] => [
    { name: `${what}the weights of layer ${l}`, shape: [`size ${l}`, `size ${l + 1}`], precision },
    { name: `${what}the bias of layer ${l}`, shape: [`size ${l + 1}`], precision },
  ]).flat();
}
