/** Records, rows and columns of JSON, Parquet and Arrow as columns of cells. */

import { badValue, excerpt } from '../../../core/check.ts';
import type { Cell } from '../columns/column.ts';
import { checkFilled, isNearlyEmpty } from '../filled.ts';
import { namesOf } from '../text/header.ts';
import { count, type Wording } from '../wording.ts';

/** Columns of cells with their names. */
export interface RecordColumns {
  readonly names: readonly string[];
  readonly columns: readonly (readonly Cell[])[];
  readonly notes: readonly string[];
  /** Whether the file names them. */
  readonly isNamed: boolean;
}

/**
 * Columns by name, as readers of Parquet and Arrow return them. Columns of objects become one column for each key, `a.b`;
 * columns of lists of equally many numbers become one column for each place, `a.0`.
 */
export function fromColumns(names: readonly string[], columns: readonly (readonly unknown[])[]): RecordColumns {
  const notes: string[] = [];
  const flat = columns.flatMap((cells, k) => flatten(names[k], cells.map(cellOf)));
  const isNamed = names.some((name) => name !== '');
  const given = isNamed ? flat.map(({ name }) => name) : [];
  return { names: namesOf(given, flat.length, notes), columns: flat.map(({ cells }) => cells), notes, isNamed };
}

interface NamedCells {
  readonly name: string;
  readonly cells: readonly Cell[];
}

/** Longer lists and deeper objects stay nested. */
const mostParts = 10_000;

function flatten(name: string, cells: readonly Cell[]): readonly NamedCells[] {
  const first = cells.find((cell) => cell !== null);
  if (first === undefined || typeof first !== 'object') return [{ name, cells }];
  const parts = Array.isArray(first) ? equalLists(cells) : sharedKeys(cells);
  if (!parts || parts.length > mostParts) return [{ name, cells }];
  return parts.flatMap((part) =>
    flatten(
      `${name}.${part}`,
      cells.map((cell) => cellOf(cell === null ? null : (cell as Record<string, unknown>)[part])),
    ),
  );
}

/** The places of lists that all have the same number of numbers; else null. */
function equalLists(cells: readonly Cell[]): string[] | null {
  const lists = cells.filter((cell) => cell !== null);
  const [first] = lists as unknown[][];
  const isEqual = lists.every(
    (list) => Array.isArray(list) && list.length === first.length && list.every((cell) => typeof cell === 'number'),
  );
  return isEqual && first.length > 0 ? Object.keys(first) : null;
}

/** The keys of cells that are all objects, and that have some of them in common; else null. */
function sharedKeys(cells: readonly Cell[]): string[] | null {
  const keys = new Set<string>();
  let values = 0;
  for (const cell of cells) {
    if (cell === null) continue;
    if (typeof cell !== 'object' || Array.isArray(cell)) return null;
    for (const key of Object.keys(cell)) {
      keys.add(key);
      values++;
    }
  }
  return isNearlyEmpty(cells.length, keys.size, values) ? null : [...keys];
}

/** Records, lists or numbers, one for each row. */
export function fromRows(wording: Wording, rows: readonly unknown[]): RecordColumns {
  if (rows.length === 0) throw badValue(wording.caller, 'a table with at least one row', 'an empty list');
  if (rows.every((row) => typeof row === 'number')) return fromColumns(['value'], [rows]);
  const kindOf = (row: unknown): string => (Array.isArray(row) ? 'list' : typeof row);
  const other = rows.findIndex(
    (row, k) => row === null || kindOf(row) !== kindOf(rows[0]) || (k === 0 && typeof row === 'string'),
  );
  if (other >= 0) {
    const got = `${excerpt(JSON.stringify(rows[other]))} as record ${other + 1}`;
    const remedy =
      typeof rows[other] === 'string' ? 'A point needs numbers: save records such as {"name": "a", "size": 1}.' : '';
    throw badValue(wording.caller, 'records that are all objects, all lists or all numbers', got, remedy);
  }
  if (Array.isArray(rows[0])) return fromLists(wording, rows as readonly unknown[][]);
  const { names, columns } = columnsOf(wording, rows as readonly Record<string, unknown>[]);
  return fromColumns(names, columns);
}

/** The columns of records: one for each key. */
export function columnsOf(wording: Wording, rows: readonly Record<string, unknown>[]) {
  const keys = rows.flatMap((row) => Object.keys(row));
  const names = [...new Set(keys)];
  checkFilled(wording, rows.length, names.length, keys.length);
  return { names, columns: names.map((name) => rows.map((row) => row[name])) };
}

/** Rows as lists. The first one names the columns if it has only text, and others have not. */
function fromLists(wording: Wording, rows: readonly (readonly unknown[])[]): RecordColumns {
  const [first, ...rest] = rows;
  const isHeader = first.every((cell) => typeof cell === 'string') && rest[0]?.some((cell) => typeof cell === 'number');
  const body = isHeader ? rest : rows;
  const width = first.length;
  const other = body.findIndex((row) => row.length !== width);
  if (other >= 0)
    throw badValue(
      wording.caller,
      `rows of ${count(width, 'cell')}`,
      `${count(body[other].length, 'cell')} in row ${other + 1}`,
      'Write null for a cell that is missing.',
    );
  const names = isHeader ? first.map(String) : Array.from({ length: width }, () => '');
  return fromColumns(
    names,
    names.map((_, column) => body.map((row) => row[column])),
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return isNested(value) && !Array.isArray(value);
}

export function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (typeof value !== 'object' || Array.isArray(value)) return value as Cell;
  // Lists of Arrow are vectors, and those of Parquet may be typed arrays.
  return Symbol.iterator in value
    ? Array.from(value as Iterable<unknown>, (part) => (typeof part === 'bigint' ? Number(part) : part))
    : value;
}
