/** Finds the table in a JSON value: records, rows, columns by name, or one of these within an object. */

import { badValue } from '../../../core/check.ts';
import { listNames, type Wording } from '../wording.ts';
import { columnsOf, fromColumns, fromRows, isNested, isRecord, type RecordColumns } from './records.ts';

type JsonObject = Record<string, unknown>;

export function tableIn(wording: Wording, value: unknown): RecordColumns {
  if (Array.isArray(value)) return fromRows(wording, value);
  if (isRecord(value)) {
    const found = value.type === 'Topology' ? topology(wording, value) : (split(value) ?? listsByName(value));
    if (found) return found;
    const lists = Object.entries(value).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
    const tables = lists.filter(([, list]) => list.length > 0 && list.every(isNested));
    if (tables.length === 1) return inList(wording, tables[0][1]);
    const columns = columnsByKey(value);
    if (columns) return columns;
    if (isTableOfKeys(value)) {
      const { names, columns: cells } = columnsOf(wording, Object.values(value));
      return fromColumns(['key', ...names], [Object.keys(value), ...cells]);
    }
    const deeper = tables.length === 0 ? listsWithin(value, '', mostLevels) : [];
    if (deeper.length === 1) {
      const [path, list] = deeper[0];
      const table = fromRows(wording, list);
      return { ...table, notes: [`The table is the list '${path}' of the file.`, ...table.notes] };
    }
    // One line of NDJSON is a table of one row.
    if (lists.length === 0 && deeper.length === 0) return fromRows(wording, [value]);
    throw refusal(wording, value, [...lists.filter(([, list]) => list.length > 0), ...deeper]);
  }
  throw refusal(wording, value, []);
}

/** What to do with an object that holds several tables, or a grid of numbers. */
function refusal({ caller }: Wording, value: unknown, lists: readonly (readonly [string, unknown])[]): RangeError {
  const got = isRecord(value) ? `an object with ${Object.keys(value).slice(0, 6).join(', ')}` : typeof value;
  const names = [...new Set(lists.map(([name]) => name))];
  const which = names.length === 1 ? `the list '${names[0]}'` : `one of the lists ${listNames(names)}`;
  const remedy = names.length === 0 ? '' : `Save ${which} as a file of its own.`;
  return badValue(caller, 'a list of records, such as [{"a": 1}, {"a": 2}]', got, remedy);
}

/** Columns by name as pandas splits a table: {"columns": ["a", "b"], "index": [0, 1], "data": [[1, 2], [3, 4]]}. */
function split({ columns: names, index, data }: JsonObject): RecordColumns | null {
  if (!Array.isArray(names) || names.some(isNested) || !Array.isArray(data) || data.length === 0) return null;
  if (!data.every((row): row is unknown[] => Array.isArray(row) && row.length === names.length)) return null;
  const columns = names.map((_, k) => data.map((row) => row[k]));
  const hasIndex = Array.isArray(index) && index.length === data.length && index.some((key, row) => key !== row);
  return hasIndex
    ? fromColumns(['index', ...names.map(String)], [index, ...columns])
    : fromColumns(names.map(String), columns);
}

/** Fewer rows of a list within an object may be something else than a column: a size, a range, a color. */
const fewestCells = 5;

/** Lists of equally many cells by name. Single cells beside them, such as a title, belong to no row. */
function listsByName(value: JsonObject): RecordColumns | null {
  const entries = Object.entries(value);
  const lists = entries.filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  const others = entries.filter(([, item]) => !Array.isArray(item)).map(([name]) => name);
  const [first] = lists;
  if (!first || lists.some(([, list]) => list.length !== first[1].length || list.some(isNested))) return null;
  if (others.length > 0 && (first[1].length < fewestCells || lists.length < 2)) return null;
  const table = fromColumns(
    lists.map(([name]) => name),
    lists.map(([, list]) => list),
  );
  if (others.length === 0) return table;
  return { ...table, notes: [`Skipped, since they are no columns: ${listNames(others)}.`, ...table.notes] };
}

/** The table in the only list of an object. A single record in it may have the columns as lists. */
function inList(wording: Wording, list: readonly unknown[]): RecordColumns {
  const columns = list.length === 1 && isRecord(list[0]) ? listsByName(list[0]) : null;
  return columns ?? fromRows(wording, list);
}

/** Lists deeper within an object than this are not looked for. */
const mostLevels = 4;

/** The lists of records within objects, with their paths: the answer of a server has one, {"response": {"results": […]}}. */
function listsWithin(value: JsonObject, path: string, levels: number): [path: string, list: unknown[]][] {
  return Object.entries(value).flatMap(([name, item]): [string, unknown[]][] => {
    if (Array.isArray(item)) return path && item.length > 1 && item.every(isRecord) ? [[`${path}${name}`, item]] : [];
    return isRecord(item) && levels > 0 ? listsWithin(item, `${path}${name}.`, levels - 1) : [];
  });
}

/** The properties of the shapes of a TopoJSON file, if one of its objects has any. */
function topology(wording: Wording, { objects }: JsonObject): RecordColumns {
  const layers = Object.entries(isRecord(objects) ? objects : {}).flatMap(([name, layer]) => {
    const shapes: unknown[] = isRecord(layer) && Array.isArray(layer.geometries) ? layer.geometries : [];
    const known = shapes.filter((shape): shape is JsonObject => isRecord(shape) && isRecord(shape.properties));
    const records = known.map(({ id, properties }) => Object.assign(id === undefined ? {} : { id }, properties));
    return records.length > 0 ? [{ name, records }] : [];
  });
  if (layers.length === 1) {
    const [{ name, records }] = layers;
    const table = fromRows(wording, records);
    return { ...table, notes: [`The table has the properties of '${name}', without its shapes.`, ...table.notes] };
  }
  const expected = 'TopoJSON with one object that has properties';
  const names = layers.map(({ name }) => name);
  throw layers.length === 0
    ? badValue(wording.caller, expected, 'shapes only', 'Use the table that belongs to the map.')
    : badValue(wording.caller, expected, listNames(names), 'Save the properties of one of them as CSV.');
}

/** Fewer objects may be the parts of one record. */
const fewestKeys = 5;

/**
 * The columns of a table, each by the keys of its rows, as pandas writes a table: {"a": {"0": 1, "1": 2}, "b": {"0": 3, "1": 4}}. Keys that
 * are not the numbers of rows become a column. If the object could as well hold rows by their keys, null.
 */
function columnsByKey(value: JsonObject): RecordColumns | null {
  const columns = Object.values(value);
  if (columns.length === 0 || !columns.every(isRecord)) return null;
  const keys = Object.keys(columns[0]);
  const isColumn = (column: JsonObject): boolean => {
    const own = Object.keys(column);
    return own.length === keys.length && own.every((key, row) => key === keys[row] && !isNested(column[key]));
  };
  if (keys.length < 2 || !columns.every(isColumn)) return null;
  const [names, cells] = [Object.keys(value), columns.map((column) => Object.values(column))];
  if (keys.every((key, row) => key === String(row))) return fromColumns(names, cells);
  const kindsOf = (list: readonly unknown[]) =>
    new Set(list.filter((cell) => cell !== null).map((cell) => typeof cell));
  const areAlike = cells.every((column) => kindsOf(column).size <= 1);
  const isClear = columns.length < fewestKeys || kindsOf(cells.flat()).size > 1;
  if (keys.length < fewestKeys || keys.length <= columns.length || !areAlike || !isClear) return null;
  return fromColumns(['key', ...names], [keys, ...cells]);
}

/** Whether an object holds the rows of a table by their keys: records that have a key in common. */
function isTableOfKeys(value: Record<string, unknown>): value is Record<string, Record<string, unknown>> {
  const rows = Object.values(value);
  if (rows.length < fewestKeys || !rows.every(isRecord)) return false;
  return Object.keys(rows[0]).some((key) => rows.every((row) => Object.hasOwn(row, key)));
}
