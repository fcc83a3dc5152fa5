/** The layout of a CSV file, from its first record: separator, header, and the role of each column. */

import { badKind, badValue } from '../../core/check.ts';
import type { Rules } from '../../core/options.ts';
import { lineFeed } from '../bytes/decimal.ts';
import { isNumber, quote, show } from './fields.ts';

export const separators = [',', ';', '\t', ' '] as const;

/** The character between fields. ' ' is any run of blanks. */
export type Separator = (typeof separators)[number];

/** A column, by its name in the header or by its index from 0 on; −1 is the last column. */
export type Column = string | number;

/** The roles of columns: points, label or ignored. */
export interface ColumnOptions {
  /**
   * Whether the first record contains the names of the columns. Default: 'auto', which means yes if it contains only words,
   * no if it contains only numbers, and an error for a mixture.
   */
  readonly header?: boolean | 'auto';
  /** The column of labels; all others are coordinates of the points. Default: no labels. */
  readonly label?: Column;
  /** The names of labels 0, 1, …, so that two files agree. Default: the names in the file, sorted. */
  readonly labelNames?: readonly string[];
  /** Columns to skip, whatever they contain. */
  readonly ignore?: readonly Column[];
}

export const columnRules = {
  header: checkHeader,
  label: 'seed',
  labelNames: 'array',
  ignore: 'array',
} as const satisfies Rules<ColumnOptions>;

function checkHeader(caller: string, name: string, header: boolean | 'auto'): void {
  if (typeof header === 'boolean' || header === 'auto') return;
  throw badKind(caller, `${name} to be true, false or 'auto'`, header);
}

/** The role of a column. */
export const role = { point: 0, label: 1, ignored: 2 } as const;

export interface CsvLayout {
  readonly hasHeader: boolean;
  /** The names of all columns; null without a header. */
  readonly names: readonly string[] | null;
  readonly roles: Uint8Array;
  /** Its index; −1 for none. */
  readonly labelColumn: number;
  /** The number of columns that are coordinates of points. */
  readonly width: number;
}

/** The layout from the fields of the first record and the options. */
export function resolveLayout(
  caller: string,
  fields: readonly string[],
  line: number,
  options: ColumnOptions,
): CsvLayout {
  const { label, ignore = [], header = 'auto' } = options;
  const named = [...(label === undefined ? [] : [label]), ...ignore].find((column) => typeof column === 'string');
  if (named !== undefined && header === false) {
    throw badValue(caller, 'a column by its index, since there is no header', `'${named}'`);
  }
  const mustHaveHeader = header === true || named !== undefined;
  const roles = new Uint8Array(fields.length).fill(role.point);
  for (const column of ignore) roles[indexOf(caller, column, fields)] = role.ignored;
  if (label !== undefined) roles[indexOf(caller, label, fields)] = role.label;
  const hasHeader = mustHaveHeader || (header === 'auto' && detectHeader(caller, fields, roles, line));
  const width = roles.filter((kind) => kind === role.point).length;
  if (width === 0) throw badValue(caller, 'a column that is neither the label nor ignored', 'none');
  return { hasHeader, names: hasHeader ? fields : null, roles, labelColumn: roles.indexOf(role.label), width };
}

/**
 * The separator of the first record: a tab if it contains one, else a semicolon, else a comma, else blanks. Null if the
 * record is incomplete.
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
      throw badValue(caller, `one column named '${column}'`, 'several', 'Pass its index, counted from 0.');
    }
    return index;
  }
  const index = column < 0 ? column + fields.length : column;
  if (Number.isInteger(index) && index >= 0 && index < fields.length) return index;
  throw badValue(caller, `a column from 0 to ${fields.length - 1}, or from −1 down to −${fields.length}`, column);
}

/** Text for a missing number. It does not tell whether the first record is a header, and is refused later if it is data. */
const missing = /^([+-]?(nan|inf|infinity)|na|n\/a|null|none|)$/i;

function detectHeader(caller: string, fields: readonly string[], roles: Uint8Array, line: number): boolean {
  const points = fields.filter((_, column) => roles[column] === role.point);
  const number = points.find(isNumber);
  const word = points.find((text) => !isNumber(text) && !missing.test(text));
  if (word === undefined) return false;
  if (number === undefined) return true;
  const remedy = 'Pass header: true or header: false, or pass the column of words as label.';
  throw badValue(caller, `either names or numbers on line ${line}`, `${show(word)} and ${number}`, remedy);
}

function list(fields: readonly string[]): string {
  const text = fields.map(show).join(', ');
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
