/** Finds a column of a table by the name or the index that the user gave. */

import { badValue } from '../../../core/check.ts';
import type { TableColumn } from './column.ts';
import { findByCase } from './encoding.ts';
import { listNames, type OptionName, type Wording } from '../wording.ts';

/** A column by its name, in any case, or by its index from 0 on; −1 is the last column. */
export type ColumnName = string | number;

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
