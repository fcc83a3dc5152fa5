/** Records of JSON, NDJSON, Parquet and Arrow as columns of cells. */

import { badValue, excerpt } from '../../../core/check.ts';
import type { Cell } from '../columns/column.ts';
import { checkFilled, isNearlyEmpty } from '../filled.ts';
import { namesOf } from '../text/header.ts';
import { count, listNames, type Wording } from '../wording.ts';

/** Columns of cells with their names. */
export interface RecordColumns {
  readonly names: readonly string[];
  readonly columns: readonly (readonly Cell[])[];
  readonly notes: readonly string[];
  /** Whether the file names them. */
  readonly isNamed: boolean;
}

/** The table in a JSON or NDJSON text: records, rows, or columns by name. */
export function readJson(wording: Wording, text: string): RecordColumns {
  const body = text.replace(/^\ufeff/, '').trim();
  if (body === '') throw badValue(wording.caller, 'a table with at least one row', 'an empty file');
  const whole = parse(body);
  const value = 'value' in whole ? whole.value : readLines(wording, body, whole.problem);
  if (isDeeper(value, mostLevels)) {
    throw badValue(wording.caller, `lists and objects of at most ${mostLevels} levels`, 'deeper ones');
  }
  return tableIn(wording, value);
}

/** Deeper values are refused: functions that call themselves could not walk through them. */
const mostLevels = 64;

function isDeeper(value: unknown, levels: number): boolean {
  if (!isNested(value)) return false;
  if (levels === 0) return true;
  for (const key in value) if (isDeeper((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
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

type Parsed = { readonly value: unknown } | { readonly problem: string };

function parse(text: string): Parsed {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function readLines(wording: Wording, body: string, problem: string): unknown[] {
  const lines = body.split('\n');
  // A single broken JSON value is not a list of lines.
  if (lines.length < 2 || !('value' in parse(lines[0]))) {
    throw badValue(wording.caller, 'valid JSON, or one JSON record on each line', excerpt(problem));
  }
  return lines.flatMap((line, k) => {
    if (line.trim() === '') return [];
    const parsed = parse(line);
    if ('value' in parsed) return [parsed.value];
    throw badValue(wording.caller, `a JSON record on line ${k + 1}`, `'${excerpt(line)}'`, excerpt(parsed.problem));
  });
}

function tableIn(wording: Wording, value: unknown): RecordColumns {
  if (Array.isArray(value)) return fromRows(wording, value);
  if (isRecord(value)) {
    const lists = Object.entries(value).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
    const isColumns = lists.length === Object.keys(value).length && lists.every(([, list]) => !list.some(isNested));
    if (isColumns && new Set(lists.map(([, list]) => list.length)).size === 1) {
      return fromColumns(
        lists.map(([name]) => name),
        lists.map(([, list]) => list),
      );
    }
    const tables = lists.filter(([, list]) => list.length > 0 && list.every(isNested));
    if (tables.length === 1) return fromRows(wording, tables[0][1]);
    if (isTableOfColumns(value)) {
      return fromColumns(
        Object.keys(value),
        Object.values(value).map((column) => Object.values(column)),
      );
    }
    if (isTableOfKeys(value)) {
      const { names, columns } = columnsOf(wording, Object.values(value));
      return fromColumns(['key', ...names], [Object.keys(value), ...columns]);
    }
    // One line of NDJSON is a table of one row.
    if (lists.length === 0) return fromRows(wording, [value]);
  }
  const got = isRecord(value) ? `an object with ${Object.keys(value).slice(0, 6).join(', ')}` : typeof value;
  throw badValue(wording.caller, 'a list of records, such as [{"a": 1}, {"a": 2}]', got, remedyFor(value));
}

/** What to do with an object that holds several tables, or a grid of numbers. */
function remedyFor(value: unknown): string {
  if (!isRecord(value)) return '';
  const lists = Object.entries(value).flatMap(([name, list]) => (Array.isArray(list) && list.length > 0 ? [name] : []));
  if (lists.length === 0) return '';
  return `Save ${lists.length === 1 ? `the list '${lists[0]}'` : `one of the lists ${listNames(lists)}`} as a file of its own.`;
}

function fromRows(wording: Wording, rows: readonly unknown[]): RecordColumns {
  if (rows.length === 0) throw badValue(wording.caller, 'a table with at least one row', 'an empty list');
  if (rows.every((row) => typeof row === 'number')) return fromColumns(['value'], [rows]);
  const kindOf = (row: unknown): string => (Array.isArray(row) ? 'list' : typeof row);
  const other = rows.findIndex(
    (row, k) => row === null || kindOf(row) !== kindOf(rows[0]) || (k === 0 && typeof row === 'string'),
  );
  if (other >= 0) {
    const got = `${excerpt(JSON.stringify(rows[other]))} as record ${other + 1}`;
    throw badValue(wording.caller, 'records that are all objects, all lists or all numbers', got);
  }
  if (Array.isArray(rows[0])) return fromLists(wording, rows as readonly unknown[][]);
  const { names, columns } = columnsOf(wording, rows as readonly Record<string, unknown>[]);
  return fromColumns(names, columns);
}

function columnsOf(wording: Wording, rows: readonly Record<string, unknown>[]) {
  const keys = rows.flatMap((row) => Object.keys(row));
  const names = [...new Set(keys)];
  checkFilled(wording, rows.length, names.length, keys.length);
  return { names, columns: names.map((name) => rows.map((row) => row[name])) };
}

/** Fewer objects may be the parts of one record. */
const fewestKeys = 5;

/** Whether an object holds the columns of a table, each by the numbers of its rows, as pandas writes a table: {"a": {"0": 1, "1": 2}}. */
function isTableOfColumns(value: Record<string, unknown>): value is Record<string, Record<string, unknown>> {
  const columns = Object.values(value);
  if (columns.length === 0 || !columns.every(isRecord)) return false;
  const rows = Object.keys(columns[0]).length;
  const isColumn = (column: Record<string, unknown>): boolean => {
    const keys = Object.keys(column);
    return keys.length === rows && keys.every((key, row) => key === String(row) && !isNested(column[key]));
  };
  return rows > 1 && columns.every(isColumn);
}

/** Whether an object holds the rows of a table by their keys: records that have a key in common. */
function isTableOfKeys(value: Record<string, unknown>): value is Record<string, Record<string, unknown>> {
  const rows = Object.values(value);
  if (rows.length < fewestKeys || !rows.every(isRecord)) return false;
  return Object.keys(rows[0]).some((key) => rows.every((row) => Object.hasOwn(row, key)));
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
    );
  const names = isHeader ? first.map(String) : Array.from({ length: width }, () => '');
  return fromColumns(
    names,
    names.map((_, column) => body.map((row) => row[column])),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return isNested(value) && !Array.isArray(value);
}

function isNested(value: unknown): value is object {
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
