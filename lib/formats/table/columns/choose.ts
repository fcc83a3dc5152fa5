/** Chooses the columns of a table: coordinates, label and ids. Everything else is left out, with a reason. */

import { nothingLeft, twoRoles } from './choice-errors.ts';
import { isIdName, isNumeric, type LeftOut, numbersOf, type TableColumn, type TextColumn } from './column.ts';
import { encodeCategories, type EncodedColumn, type MissingRule } from './encoding.ts';
import { type ColumnName, findColumn } from './find-column.ts';
import type { MissingValue } from './notation.ts';
import { pointOut } from './suspicions.ts';
import { isTarget, labelNames, namesClasses, pointOutTarget } from './target.ts';
import { listNames, type OptionName, type Wording } from '../wording.ts';

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

function unique<T>(items: readonly T[]): readonly T[] {
  return [...new Set(items)];
}
