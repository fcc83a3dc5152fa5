/** How is a CSV file laid out? Its first record tells separator, header, and what each column is for. */

import { badValue } from '../../core/check.ts';
import { lineFeed } from '../bytes/decimal.ts';
import { isNumber, quote, show } from './fields.ts';

export const separators = [',', ';', '\t', ' '] as const;

/** What stands between fields; ' ' is any run of blanks. */
export type Separator = (typeof separators)[number];

/** By the name in the header, or counted from 0; −1 is the last. */
export type Column = string | number;

/** What each column is for. */
export interface ColumnOptions {
  /**
   * Whether the first record names the columns. Found out if not told: words alone do, numbers alone do not, and of a
   * mixture it has to be told.
   */
  readonly header?: boolean | 'auto';
  /** The column of labels; the others are points. Without it every column is. */
  readonly label?: Column;
  /** Imposes the numbering of labels, so that two files agree; otherwise names are numbered in their sorted order. */
  readonly labelNames?: readonly string[];
  /** Columns to leave out, whatever they hold. */
  readonly ignore?: readonly Column[];
}

/** What a field is, by its column. */
export const role = { point: 0, label: 1, ignored: 2 } as const;

export interface CsvLayout {
  readonly hasHeader: boolean;
  /** Of all columns; null without a header. */
  readonly names: readonly string[] | null;
  readonly roles: Uint8Array;
  /** −1 for none. */
  readonly labelColumn: number;
  /** How many columns are points. */
  readonly width: number;
}

/** From the first record's fields. */
export function layOut(caller: string, fields: readonly string[], line: number, options: ColumnOptions): CsvLayout {
  const { label, ignore = [], header = 'auto' } = options;
  const named = [...(label === undefined ? [] : [label]), ...ignore].find((column) => typeof column === 'string');
  if (named !== undefined && header === false) {
    throw badValue(caller, 'a column by its number, as there is no header', `'${named}'`);
  }
  const mustName = header === true || named !== undefined;
  const roles = new Uint8Array(fields.length).fill(role.point);
  for (const column of ignore) roles[indexOf(caller, column, fields)] = role.ignored;
  if (label !== undefined) roles[indexOf(caller, label, fields)] = role.label;
  const hasHeader = mustName || (header === 'auto' && detectHeader(caller, fields, roles, line));
  const width = roles.filter((kind) => kind === role.point).length;
  if (width === 0) throw badValue(caller, 'a column of points beside labels and ignored ones', 'none');
  return { hasHeader, names: hasHeader ? fields : null, roles, labelColumn: roles.indexOf(role.label), width };
}

/**
 * Of the bytes of the first record: a tab is taken for a separator before a semicolon, that before a comma, that before
 * blanks. Null if the record is not there as a whole.
 */
export function detectSeparator(bytes: Uint8Array, from: number, end: number, final: boolean): Separator | null {
  const seen = new Set<number>();
  let quoted = false;
  let at = from;
  for (; at < end && (quoted || bytes[at] !== lineFeed); at++) {
    if (bytes[at] === quote) quoted = !quoted;
    else if (!quoted) seen.add(bytes[at]);
  }
  if (at === end && !final) return null;
  return detectionOrder.find((separator) => seen.has(separator.charCodeAt(0))) ?? ',';
}

const detectionOrder = ['\t', ';', ',', ' '] as const;

function indexOf(caller: string, column: Column, fields: readonly string[]): number {
  if (typeof column === 'string') {
    const index = fields.indexOf(column);
    if (index < 0) throw badValue(caller, `a column named '${column}'`, `the header ${list(fields)}`);
    if (fields.includes(column, index + 1)) {
      throw badValue(caller, `one column named '${column}'`, 'several', 'Say which by its number, from 0 on.');
    }
    return index;
  }
  const index = column < 0 ? column + fields.length : column;
  if (Number.isInteger(index) && index >= 0 && index < fields.length) return index;
  throw badValue(caller, `a column from 0 to ${fields.length - 1}, or from −1 down to −${fields.length}`, column);
}

/** What stands for a missing number says nothing about the first record, and is refused later if it is data. */
const missing = /^([+-]?(nan|inf|infinity)|na|n\/a|null|none|)$/i;

function detectHeader(caller: string, fields: readonly string[], roles: Uint8Array, line: number): boolean {
  const points = fields.filter((_, column) => roles[column] === role.point);
  const number = points.find(isNumber);
  const word = points.find((text) => !isNumber(text) && !missing.test(text));
  if (word === undefined) return false;
  if (number === undefined) return true;
  const remedy = 'Say header: true or header: false; name the label column if it is one.';
  throw badValue(caller, `either names or numbers on line ${line}`, `${show(word)} and ${number}`, remedy);
}

function list(fields: readonly string[]): string {
  const text = fields.map(show).join(', ');
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
