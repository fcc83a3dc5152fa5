/** Shares of a sparse matrix for threads, balanced by entries and rows. */

import type { KernelMemory } from '../../memory/memory.ts';

/** Rows first … first+count−1. A row that is longer than a share stands alone. */
export interface Share {
  readonly first: number;
  readonly count: number;
}

/**
 * About `parts` shares of equal weight, in the order of the rows, of a matrix whose starts are at this address: a row weighs 1, and so does
 * an entry. The shares depend on the matrix and on `parts` alone.
 */
export function balancedShares(memory: KernelMemory, starts: number, rows: number, parts: number): Share[] {
  const weightBefore = (row: number): number => memory.firstEntry(starts, row) + row;
  const step = (weightBefore(rows) - weightBefore(0)) / Math.min(parts, rows);
  const shares: Share[] = [];
  for (let first = 0; first < rows;) {
    const next = Math.max(first + 1, lastRowWithin(weightBefore, first, rows, weightBefore(first) + step));
    shares.push({ first, count: next - first });
    first = next;
  }
  return shares;
}

/**
 * Rows first … first+count−1 as shares in their order, in which every row of more than `most` entries stands alone. By bisection: rows that have no more than `most`
 * together are not looked at one by one.
 */
export function splitAtLongRows(memory: KernelMemory, starts: number, { first, count }: Share, most: number): Share[] {
  const shares: Share[] = [];
  let next = first;
  const take = (end: number): void => {
    if (end > next) shares.push({ first: next, count: end - next });
    next = end;
  };
  const visit = (from: number, to: number): void => {
    if (memory.firstEntry(starts, to) - memory.firstEntry(starts, from) <= most) return;
    if (to - from === 1) {
      take(from);
      take(to);
      return;
    }
    const middle = Math.floor((from + to) / 2);
    visit(from, middle);
    visit(middle, to);
  };
  if (count > 0) visit(first, first + count);
  take(first + count);
  return shares;
}

/** The last of rows first … rows before which there is not more than `weight`, by bisection; `first` if there is none. */
function lastRowWithin(weightBefore: (row: number) => number, first: number, rows: number, weight: number): number {
  let [low, high] = [first, rows];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (weightBefore(middle) <= weight) low = middle;
    else high = middle - 1;
  }
  return low;
}
