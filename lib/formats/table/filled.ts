/** Refuses tables of which nearly all cells are missing: a small file could claim more of them than memory holds. */

import { badValue } from '../../core/check.ts';
import { count, type Wording } from './wording.ts';

/** A table of more cells than `cells` needs a value in at least one of `perValue`. */
const sparsest = { cells: 2 ** 24, perValue: 32 };

export function isNearlyEmpty(rows: number, columns: number, values: number): boolean {
  return rows * columns > Math.max(sparsest.cells, sparsest.perValue * values);
}

/** Called before the missing cells take memory. */
export function checkFilled({ caller }: Wording, rows: number, columns: number, values: number): void {
  if (!isNearlyEmpty(rows, columns, values)) return;
  const got = `${count(values, 'value')} in ${rows} rows of ${columns} columns`;
  const remedy = 'Leave out columns that are nearly empty.';
  throw badValue(caller, `a value in at least one of ${sparsest.perValue} cells`, got, remedy);
}
