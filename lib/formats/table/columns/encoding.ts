/** `TableEncoding`: how columns of a table become columns of points. A model keeps it, so that new tables fit. */

import { badValue } from '../../../core/check.ts';
import { show } from '../../csv/fields.ts';
import { type Precision, type Tensor, zeros } from '../../../tensor/tensor.ts';
import { isNumeric, numbersOf, type TableColumn, textOf, textsAmong } from './column.ts';
import type { MissingValue } from './notation.ts';
import { count, listNames, type Wording } from '../wording.ts';

export const missingRules = ['drop', 'mean', 'error'] as const;

/** What becomes of missing values: their rows are dropped, they become the mean of their column, or they are refused. */
export type MissingRule = (typeof missingRules)[number];

/** The columns of the points, by name, and the rule for missing values. Plain data, as JSON can hold it. */
export interface TableEncoding {
  readonly columns: readonly EncodedColumn[];
  readonly missing: MissingRule;
  /** Whether the names stand in the file. Else columns are found by their places: x0, x1, …. */
  readonly isNamed: boolean;
  /** Further values that count as missing. Default: none. */
  readonly missingValues?: readonly MissingValue[];
}

/** A column of numbers with its mean, or a column of names with one 0-1 column for each category and the shares of these. */
export type EncodedColumn =
  | { readonly name: string; readonly kind: 'number'; readonly mean: number }
  | {
      readonly name: string;
      readonly kind: 'categories';
      readonly categories: readonly string[];
      readonly shares: readonly number[];
    };

/** Whether a value, from a file, is an encoding. */
export function isTableEncoding(value: unknown): value is TableEncoding {
  if (typeof value !== 'object' || value === null) return false;
  const { columns, missing, isNamed, missingValues = [], ...rest } = value as Partial<TableEncoding>;
  const areColumns = Array.isArray(columns) && columns.length > 0 && columns.every(isEncodedColumn);
  const isRule = missingRules.includes(missing as MissingRule);
  const areGaps =
    Array.isArray(missingValues) && missingValues.every((gap) => ['string', 'number'].includes(typeof gap));
  return areColumns && isRule && areGaps && typeof isNamed === 'boolean' && Object.keys(rest).length === 0;
}

function isEncodedColumn(column: Partial<Record<string, unknown>> | null): boolean {
  if (typeof column !== 'object' || typeof column?.name !== 'string') return false;
  if (column.kind === 'number') return Number.isFinite(column.mean);
  const { kind, categories, shares } = column;
  const areTexts = Array.isArray(categories) && categories.every((text) => typeof text === 'string');
  const areNumbers = Array.isArray(shares) && shares.every(Number.isFinite);
  return kind === 'categories' && areTexts && areNumbers && shares.length === categories.length && shares.length > 0;
}

/** Points that came from a table: `Table` is one. Models need no more of it than this. */
export interface TablePoints {
  readonly points: Tensor;
  readonly encoding: TableEncoding;
  encodedAs(encoding: TableEncoding): TablePoints;
}

/** Whether points came from a table. */
export function isTable(source: unknown): source is TablePoints {
  return typeof source === 'object' && source !== null && 'encodedAs' in source;
}

/** The names of the columns of the points: `age`, `color=red`, `color=blue`. */
export function encodedNames({ columns }: TableEncoding): string[] {
  return columns.flatMap((column) =>
    column.kind === 'number' ? [column.name] : column.categories.map((category) => `${column.name}=${category}`),
  );
}

/** A column with more categories is refused: it hardly names classes. */
const mostCategories = 1000;

/** A column with one 0-1 column for each of its values. */
export function encodeCategories({ caller, option }: Wording, column: TableColumn): EncodedColumn {
  const counts = new Map<string, number>();
  let present = 0;
  for (const text of textOf(column)) {
    if (text === null) continue;
    counts.set(text, (counts.get(text) ?? 0) + 1);
    present++;
  }
  const { name } = column;
  if (counts.size < 1 || counts.size > mostCategories) {
    const rule = `from 1 to ${mostCategories} different values in the categorical column '${name}'`;
    throw badValue(caller, rule, counts.size, `Leave it out: ${option('ignore', name)}.`);
  }
  const categories = [...counts.keys()].toSorted();
  return { name, kind: 'categories', categories, shares: categories.map((text) => (counts.get(text) ?? 0) / present) };
}

/** The points of the rows that are kept, and what was missing. */
export interface EncodedRows {
  readonly points: Tensor;
  /** The indices of the rows that are kept; null if all are. */
  readonly kept: Int32Array | null;
  readonly notes: readonly string[];
}

/** Typed columns of the same length. */
export interface Columns {
  readonly columns: readonly TableColumn[];
  readonly rows: number;
  /** The place of a row in the file, for messages: `line 7`. */
  readonly place: (row: number) => string;
  /** The precision of the points. */
  readonly precision: Precision;
  /** All columns as points, if the reader has them already: plain numbers without missing values. */
  readonly plain?: Tensor;
  /** Whether the file names its columns. */
  readonly isNamed: boolean;
  readonly wording: Wording;
}

/** The points of a table. */
export function encodeRows(given: Columns, encoding: TableEncoding): EncodedRows {
  const table = withNames(given, encoding);
  const { columns, rows, plain } = table;
  const places = placesOf(table, encoding);
  if (plain && encoding.columns.every(({ kind }) => kind === 'number')) {
    return { points: gatherColumns(plain, places), kept: null, notes: [] };
  }
  const sources = encoding.columns.map((encoded, k) => sourceOf(table, columns[places[k]], encoded));
  const gaps = findGaps(sources, rows);
  const notes = gaps.missing === 0 ? [] : [handleGaps(table, encoding.missing, gaps)];
  const kept = gaps.missing > 0 && encoding.missing === 'drop' ? completeRows(gaps) : null;
  const width = sources.reduce((sum, source) => sum + source.width, 0);
  const points: Tensor = zeros([kept ? kept.length : rows, width], table.precision);
  let offset = 0;
  for (const source of sources) {
    for (let i = 0; i < points.rows; i++) source.write(kept ? kept[i] : i, points.data, i * width + offset);
    offset += source.width;
  }
  checkRange(table, encoding, points, kept);
  return { points, kept, notes };
}

/** A table without a header has the columns of the encoding, in that order, if it has as many. */
function withNames(table: Columns, { columns, isNamed }: TableEncoding): Columns {
  if (table.isNamed || !isNamed) return table;
  if (table.columns.length !== columns.length) {
    const rule = `${columns.length} columns as in fit, or a header with their names`;
    throw badValue(table.wording.caller, rule, count(table.columns.length, 'column'));
  }
  return { ...table, columns: table.columns.map((column, k) => ({ ...column, name: columns[k].name })) };
}

/** The rows that lack a value, and how many values each column lacks. */
interface Gaps {
  readonly isIncomplete: Uint8Array;
  readonly missing: number;
  readonly dropped: number;
  /** The counts by column, in words. */
  readonly summary: string;
}

function findGaps(sources: readonly Source[], rows: number): Gaps {
  const isIncomplete = new Uint8Array(rows);
  for (const { incomplete } of sources) for (const row of incomplete) isIncomplete[row] = 1;
  const lacking = sources.filter(({ incomplete }) => incomplete.length > 0);
  const counts = lacking.map(({ name, incomplete, unknown }) => {
    const first = unknown === undefined ? '' : ` (unknown: ${show(unknown)})`;
    return `${incomplete.length} in '${name}'${first}`;
  });
  return {
    isIncomplete,
    missing: lacking.reduce((sum, { incomplete }) => sum + incomplete.length, 0),
    dropped: isIncomplete.reduce((sum, flag) => sum + flag, 0),
    summary: counts.slice(0, 6).join(', ') + (counts.length > 6 ? ', …' : ''),
  };
}

/** The note on missing values. Refuses them if the rule says so, or if no row would remain. */
function handleGaps({ wording: { caller, option }, place, rows }: Columns, rule: MissingRule, gaps: Gaps): string {
  const { summary, dropped, missing, isIncomplete } = gaps;
  if (rule === 'error') {
    const remedy = `Pass ${option('missing', 'drop')} or ${option('missing', 'mean')}.`;
    throw badValue(caller, 'no missing values', `${summary}, first on ${place(isIncomplete.indexOf(1))}`, remedy);
  }
  const found = `${count(missing, 'missing value')} (${summary})`;
  if (rule === 'mean') return `${found}: replaced by the mean of the column.`;
  if (dropped < rows) return `${found}: ${dropped} of ${rows} rows dropped. ${option('missing', 'mean')} keeps them.`;
  const remedy = `Pass ${option('missing', 'mean')}, or leave out the columns that lack most of them.`;
  throw badValue(caller, 'a row without missing values', `none of ${rows}: ${summary}`, remedy);
}

function completeRows({ isIncomplete, dropped }: Gaps): Int32Array {
  const kept = new Int32Array(isIncomplete.length - dropped);
  let to = 0;
  for (let row = 0; row < isIncomplete.length; row++) if (!isIncomplete[row]) kept[to++] = row;
  return kept;
}

/** Refuses numbers that became infinite when they were rounded. */
function checkRange(
  { wording, place, precision }: Columns,
  encoding: TableEncoding,
  points: Tensor,
  kept: Int32Array | null,
): void {
  const infinite = points.data.findIndex((value) => !Number.isFinite(value));
  if (infinite < 0) return;
  const row = Math.floor(infinite / points.cols);
  const name = encodedNames(encoding)[infinite % points.cols];
  const rule = `numbers of at most 3.4e38 in '${name}', which ${precision} precision can hold`;
  const remedy = `Leave it out: ${wording.option('ignore', name)}.`;
  throw badValue(wording.caller, rule, `a larger one on ${place(kept ? kept[row] : row)}`, remedy);
}

/** A column of a table that writes its part of a point. */
interface Source {
  readonly name: string;
  readonly width: number;
  /** The rows without a value. */
  readonly incomplete: readonly number[];
  /** The first value that is not among the categories, if there is one. */
  readonly unknown?: string;
  write(row: number, out: Float32Array | Float64Array, at: number): void;
}

function sourceOf(table: Columns, column: TableColumn, encoded: EncodedColumn): Source {
  return encoded.kind === 'number'
    ? numberSource(table, column, encoded.mean)
    : categorySource(column, encoded.categories, encoded.shares);
}

/** The places of the encoded columns: by name, whatever its case, or those they had if there were no names. */
function placesOf({ columns, wording, isNamed }: Columns, encoding: TableEncoding): number[] {
  const byName = new Map(columns.map((column, place) => [column.name, place]));
  return encoding.columns.map(({ name }) => {
    const given = encoding.isNamed ? null : /^x(\d+)$/.exec(name);
    const place = given ? Number(given[1]) : (byName.get(name) ?? columns.indexOf(findByCase(columns, name)!));
    if (columns[place]) return place;
    const got = isNamed
      ? `the columns ${listNames(columns.map((one) => one.name))}`
      : `${count(columns.length, 'column')} without names`;
    throw badValue(wording.caller, `a column named '${name}', as in fit`, got);
  });
}

/** Some columns of a matrix, in the order given. The matrix itself if these are all. */
function gatherColumns(matrix: Tensor, places: readonly number[]): Tensor {
  const { rows, cols, data } = matrix;
  if (places.length === cols && places.every((place, k) => place === k)) return matrix;
  const result: Tensor = zeros([rows, places.length], matrix.precision);
  for (let row = 0, to = 0; row < rows; row++) for (const place of places) result.data[to++] = data[row * cols + place];
  return result;
}

/** The only column with this name in another case. */
export function findByCase(columns: readonly TableColumn[], name: string): TableColumn | undefined {
  const same = columns.filter((column) => column.name.toLowerCase() === name.trim().toLowerCase());
  return same.length === 1 ? same[0] : undefined;
}

function numberSource({ wording: { caller, option }, place }: Columns, column: TableColumn, mean: number): Source {
  const { name } = column;
  const read = numbersOf(column);
  if ('row' in read) {
    const text = isNumeric(column) ? '' : column.values[read.row];
    const uses = `Use it as ${option('categorical', name)} or ${option('label', name)}, or leave it out: ${option('ignore', name)}.`;
    throw badValue(caller, `numbers in column '${name}'`, `${show(text)} on ${place(read.row)}`, uses);
  }
  const { values } = read;
  const incomplete: number[] = [];
  for (let row = 0; row < values.length; row++) if (Number.isNaN(values[row])) incomplete.push(row);
  return {
    name,
    width: 1,
    incomplete,
    write: (row, out, at) => {
      out[at] = Number.isNaN(values[row]) ? mean : values[row];
    },
  };
}

/** A value that is not among the categories counts as missing. */
function categorySource(column: TableColumn, categories: readonly string[], shares: readonly number[]): Source {
  const codes = new Map(categories.map((category, code) => [category, code]));
  const texts = textsAmong(column, codes);
  const rows = texts.map((text) => (text === null ? -1 : (codes.get(text) ?? -1)));
  const unknown = texts.find((text) => text !== null && !codes.has(text));
  const incomplete = rows.flatMap((code, row) => (code < 0 ? [row] : []));
  return {
    name: column.name,
    width: categories.length,
    incomplete,
    ...(typeof unknown === 'string' && { unknown }),
    write: (row, out, at) => {
      if (rows[row] >= 0) out[at + rows[row]] = 1;
      else out.set(shares, at);
    },
  };
}
