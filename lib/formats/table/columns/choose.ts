/** Chooses the columns of a table: coordinates, label and ids. Everything else is left out, with a reason. */

import { badValue } from '../../../core/check.ts';
import {
  isIdName,
  isNumeric,
  numbersOf,
  otherMark,
  severalUnits,
  type TableColumn,
  type TextColumn,
} from './column.ts';
import { encodeCategories, type EncodedColumn, findByCase, type MissingRule } from './encoding.ts';
import type { MissingValue } from './notation.ts';
import { pointOut } from './suspicions.ts';
import { isTarget, labelNames, namesClasses, pointOutTarget } from './target.ts';
import { likelyDelimiter } from '../delimiter.ts';
import { listNames, type OptionName, type Wording } from '../wording.ts';

/** A column by its name, in any case, or by its index from 0 on; −1 is the last column. */
export type ColumnName = string | number;

/** The roles of columns, as far as the user states them. */
export interface ChoiceOptions {
  /** The column of labels. Default: the column named label, class, target or species, if there is one. False: none. */
  readonly label?: ColumnName | false;
  /** The column of ids, which name the rows. Default: a column of ids that differ in every row, if there is one. */
  readonly id?: ColumnName | false;
  /** The columns of numbers that are coordinates. Default: all columns of numbers but label and ids. */
  readonly columns?: readonly ColumnName[];
  /** Columns to leave out. */
  readonly ignore?: readonly ColumnName[];
  /** Columns to one-hot encode: each value becomes a 0-1 column. */
  readonly categorical?: readonly ColumnName[];
  /** Default: 'drop'; columns that lack the most values are left out until half of the rows are complete. */
  readonly missing?: MissingRule;
  /** Further values that count as missing: 'tbd', -999. Default: none. */
  readonly missingValues?: readonly MissingValue[];
}

/** A column that is not used, and why. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

export interface Choice {
  readonly encoded: readonly EncodedColumn[];
  readonly label: TableColumn | null;
  readonly id: TableColumn | null;
  /** A quantity that is called like a label. */
  readonly target: TableColumn | null;
  readonly leftOut: readonly LeftOut[];
  readonly notes: readonly string[];
}

export function chooseColumns(
  wording: Wording,
  columns: readonly TableColumn[],
  rows: number,
  options: ChoiceOptions,
): Choice {
  const find = (name: ColumnName, option: OptionName): TableColumn => findColumn(wording, columns, name, option);
  const ignored = new Set((options.ignore ?? []).map((name) => find(name, 'ignore')));
  const categorical = unique((options.categorical ?? []).map((name) => find(name, 'categorical')));
  // A column that is named as a category, too, is one-hot encoded.
  const named = options.columns && unique(options.columns.map((name) => find(name, 'columns')));
  const wanted = named?.filter((column) => !categorical.includes(column));
  const taken = new Set([...ignored, ...categorical, ...(wanted ?? [])]);
  const label = chooseLabel(wording, columns, taken, options.label);
  const id = chooseId(wording, columns, label, rows, taken, options.id);
  const roles = new Set([label, id, ...ignored]);
  for (const column of [...(wanted ?? []), ...categorical]) {
    if (roles.has(column))
      throw twoRoles(
        wording,
        column,
        column === label ? 'label' : column === id ? 'id' : 'ignore',
        named?.includes(column) ? 'columns' : 'categorical',
      );
  }
  const encodedAlready = new Set(categorical);
  const free = columns.filter((column) => !roles.has(column) && !encodedAlready.has(column));
  const target = wanted || options.label === false ? null : (free.find(isTarget) ?? null);
  const candidates = coordinatesAmong(free, options, id);
  const others = candidates.filter((column) => column !== target);
  const numeric = wanted ?? (others.length > 0 ? others : candidates);
  const chosen = wanted || options.missing ? numeric : completeEnough(numeric, rows);
  const used = !wanted && categorical.length > 0 && areRowNumbers(chosen) ? [] : chosen;
  const encoded = [
    ...used.map((column) => encodeForced(column)),
    ...categorical.map((column) => encodeCategories(wording, column)),
  ];
  const [isUsed, isCandidate] = [new Set(used), new Set(numeric)];
  const unused = free.filter((column) => !isUsed.has(column));
  const leftOut = unused.map((column) => ({
    name: column.name,
    reason: column === target ? 'a quantity' : reasonOf(column, isCandidate.has(column), rows),
  }));
  if (encoded.length === 0) throw nothingLeft(wording, columns, [...ignored], leftOut, { label, id });
  const notes = notesOn(wording, { used, numeric, leftOut: unused, label }, rows, wanted !== undefined);
  if (target && !isUsed.has(target)) notes.push(pointOutTarget(wording, used, target));
  return { encoded, label, id, target, leftOut, notes };
}

/** The error for a coordinate, chosen by the option `chosen`, that has another role. */
function twoRoles(
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

/** A column by name or index. The remedy of an unknown name is the most similar one. */
export function findColumn(
  { caller, option }: Wording,
  columns: readonly TableColumn[],
  name: ColumnName,
  role: OptionName,
): TableColumn {
  if (typeof name === 'number') {
    const column = columns.at(Number.isInteger(name) ? name : NaN);
    if (column && Number.isInteger(name) && name >= -columns.length && name < columns.length) return column;
    throw badValue(caller, `${role} to be a column from 0 to ${columns.length - 1}`, name);
  }
  const found = columns.find((column) => column.name === name) ?? findByCase(columns, name);
  if (found) return found;
  const names = columns.map((column) => column.name);
  const similar = names.find((other) => distance(other.toLowerCase(), name.toLowerCase()) <= 2);
  const remedy = similar === undefined ? '' : `Did you mean ${option(role, similar)}?`;
  throw badValue(caller, `a column named '${name}'`, `the columns ${listNames(names)}`, remedy);
}

function chooseLabel(
  wording: Wording,
  columns: readonly TableColumn[],
  taken: ReadonlySet<TableColumn>,
  wanted: ColumnName | false | undefined,
): TableColumn | null {
  if (wanted === false) return null;
  if (wanted !== undefined) return findColumn(wording, columns, wanted, 'label');
  return columns.find((column) => labelNames.test(column.name) && !taken.has(column) && namesClasses(column)) ?? null;
}

/** Whether these columns only number the rows. */
function areRowNumbers(columns: readonly TableColumn[]): boolean {
  return columns.every((column) => isNumeric(column) && Math.abs(column.step) === 1);
}

function chooseId(
  wording: Wording,
  columns: readonly TableColumn[],
  label: TableColumn | null,
  rows: number,
  taken: ReadonlySet<TableColumn>,
  wanted: ColumnName | false | undefined,
): TableColumn | null {
  if (wanted === false) return null;
  if (wanted !== undefined) return findColumn(wording, columns, wanted, 'id');
  const candidates = columns.filter(
    (column): column is TextColumn =>
      column.kind === 'id' && column !== label && !taken.has(column) && rows > 1 && column.distinct === rows,
  );
  return candidates.find(({ name }) => isIdName(name)) ?? candidates[0] ?? null;
}

/** All columns of numbers. If there are none but ids of whole numbers, those. */
function coordinatesAmong(
  free: readonly TableColumn[],
  options: ChoiceOptions,
  id: TableColumn | null,
): readonly TableColumn[] {
  const numeric = free.filter(isNumeric);
  if (numeric.length > 0 || (options.categorical ?? []).length > 0) return numeric;
  return id === null ? free.filter((column) => column.kind === 'id' && !('row' in numbersOf(column))) : [];
}

/** Leaves out the column that lacks the most values, again and again, until at least half of the rows are complete. */
function completeEnough(columns: readonly TableColumn[], rows: number): readonly TableColumn[] {
  const lacking = columns.filter(({ missing }) => missing > 0).toSorted((a, b) => b.missing - a.missing);
  const gapsOf = ({ values }: TableColumn): number[] => {
    const gaps: number[] = [];
    for (let row = 0; row < rows; row++) if (values[row] === null || Number.isNaN(values[row])) gaps.push(row);
    return gaps;
  };
  const counts = new Int32Array(rows);
  for (const column of lacking) for (const row of gapsOf(column)) counts[row]++;
  let complete = counts.filter((count) => count === 0).length;
  const dropped = new Set<TableColumn>();
  for (const worst of lacking) {
    if (2 * complete >= rows || columns.length - dropped.size < 2) break;
    dropped.add(worst);
    for (const row of gapsOf(worst)) if (--counts[row] === 0) complete++;
  }
  return columns.filter((column) => !dropped.has(column));
}

function reasonOf(column: TableColumn, isCandidate: boolean, rows: number): string {
  if (isCandidate && column.missing === 0) return 'numbers of rows';
  if (isCandidate) return `${Math.round((100 * column.missing) / rows)} % missing`;
  return isNumeric(column) ? 'not asked for' : column.reason;
}

function encodeForced(column: TableColumn): EncodedColumn {
  const read = numbersOf(column);
  return { name: column.name, kind: 'number', mean: 'row' in read ? 0 : read.mean };
}

/** Notes on columns that are used, or could be. */
function notesOn(
  wording: Wording,
  {
    used,
    numeric,
    leftOut,
    label,
  }: Record<'used' | 'numeric' | 'leftOut', readonly TableColumn[]> & Pick<Choice, 'label'>,
  rows: number,
  areWanted: boolean,
): string[] {
  const notes = pointOut(wording, used, label, rows, areWanted);
  const notations = used.flatMap((column) =>
    isNumeric(column) && column.notation ? [`'${column.name}' (${column.notation})`] : [],
  );
  if (notations.length > 0)
    notes.push(`Read as numbers: ${notations.slice(0, 8).join(', ')}${notations.length > 8 ? ', …' : ''}.`);
  const mixed = leftOut.flatMap((column) =>
    !isNumeric(column) && column.strays ? [{ ...column, strays: column.strays }] : [],
  );
  if (mixed.length > 0) {
    const flag = wording.option('missingValues', ...unique(mixed.flatMap(({ strays }) => strays)));
    notes.push(`To use the numbers of ${listNames(mixed.map(({ name }) => name))}, pass ${flag}.`);
  }
  const lacking = leftOut.filter((column) => column.missing > 0 && numeric.includes(column));
  if (lacking.length > 0) {
    const they = lacking.length === 1 ? 'A column was' : `${lacking.length} columns were`;
    notes.push(
      `${they} left out so that half of the rows are complete. ${wording.option('missing', 'mean')} keeps all.`,
    );
  }
  return notes;
}

function nothingLeft(
  wording: Wording,
  columns: readonly TableColumn[],
  ignored: readonly TableColumn[],
  leftOut: readonly LeftOut[],
  { label, id }: Pick<Choice, 'label' | 'id'>,
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
  const strays = unique(texts.flatMap((column) => column.strays ?? []));
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

function unique<T>(items: readonly T[]): readonly T[] {
  return [...new Set(items)];
}

/** The number of letters to insert, delete or replace (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length];
}
