/** The errors of a choice of columns: a column with two roles, and a table without coordinates. Each names the way out. */

import { badValue } from '../../../core/check.ts';
import { isNumeric, type LeftOut, otherMark, severalUnits, type TableColumn, type TextColumn } from './column.ts';
import { likelyDelimiter } from '../delimiter.ts';
import type { Wording } from '../wording.ts';

/** The error for a coordinate, chosen by the option `chosen`, that has another role. */
export function twoRoles(
  { caller, option }: Wording,
  { name }: TableColumn,
  role: 'label' | 'id' | 'ignore',
  chosen: 'columns' | 'categorical',
): RangeError {
  const words = { label: 'the label', id: 'the id', ignore: 'ignored' };
  return badValue(
    caller,
    'different columns as coordinates and as label, id or ignored',
    `'${name}' as both a coordinate and ${words[role]}`,
    `Name it in one of them only: ${option(chosen, name)} or ${option(role, name)}.`,
  );
}

/** The error for a table in which no column is a coordinate. */
export function nothingLeft(
  wording: Wording,
  columns: readonly TableColumn[],
  ignored: readonly TableColumn[],
  leftOut: readonly LeftOut[],
  { label, id }: Record<'label' | 'id', TableColumn | null>,
): RangeError {
  const shown = leftOut.slice(0, 8).map(({ name, reason }) => `${quote(name)} (${reason})`);
  const others = [
    ...(label ? [`${quote(label.name)} (the label)`] : []),
    ...(id ? [`${quote(id.name)} (the ids)`] : []),
    ...ignored.map(({ name }) => `${quote(name)} (ignored)`),
    ...shown,
  ];
  const free = columns.filter((column) => column !== label && !ignored.includes(column));
  const remedy = ignored.some(isNumeric) ? 'Ignore fewer columns.' : remedyFor(wording, free, columns.length);
  return badValue(
    wording.caller,
    'a column of numbers',
    others.length > 0 ? `only ${others.join(', ')}` : 'none',
    remedy,
  );
}

/** How a table could have coordinates: by cells that count as missing, by classes, or by another way to write it. */
function remedyFor({ option }: Wording, free: readonly TableColumn[], columns: number): string {
  const texts = free.filter((column): column is TextColumn => !isNumeric(column));
  const strays = [...new Set(texts.flatMap((column) => column.strays ?? []))];
  if (strays.length > 0) return `${option('missingValues', ...strays)} counts these cells as missing.`;
  const classes = texts.filter(({ kind }) => kind === 'category').map(({ name }) => name);
  if (classes.length > 0) return `${option('categorical', ...classes)} makes a 0-1 column for each value.`;
  if (texts.some(({ reason }) => reason === otherMark)) {
    return `Pass ${option('decimal', '.')} or ${option('decimal', ',')}, whichever they have.`;
  }
  if (texts.some(({ reason }) => reason === severalUnits)) return 'Use one unit in a column.';
  if (columns > 1) return 'A point needs numbers: add a column of them.';
  return `If a line has several fields, pass what separates them, such as ${option('delimiter', likelyDelimiter(texts[0]?.values ?? []))}.`;
}

/** A name in quotes, shortened if it is long. */
function quote(name: string): string {
  return `'${name.length > 60 ? `${name.slice(0, 57)}…` : name}'`;
}
