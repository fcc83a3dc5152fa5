/** Shares of a sparse matrix for threads, balanced by entries and rows. */

import type { KernelMemory } from '../../memory/memory.ts';

/** Rows first … first+count−1. A row that is longer than a share stands alone. */
export interface Share {
  readonly first: number;
  readonly count: number;
}

/**
 * About `parts` shares of equal weight, in the order of the rows, of a matrix whose starts are at this address: a row weighs 1, and so does
 * an entry. `shares` depends on the matrix and on `parts` alone.
 */
export function balancedShares(memory: KernelMemory, starts: number, rows: number, parts: number): Share[] {
  const weightBefore = (row: number): number => memory.firstEntry(starts, row) + row;
  const step = (weightBefore(rows) - weightBefore(0)) / Math.min(parts, rows);
  const shares: Share[] = [];
  for (let first = 0; first < rows;) {
    const end = weightBefore(first) + step;
    // The last row before which there is not more than a share, by bisection.
    let [low, high] = [first + 1, rows];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (weightBefore(middle) <= end) low = middle;
      else high = middle - 1;
    }
    shares.push({ first, count: low - first });
    first = low;
  }
  return shares;
}

/** Columns that divide the entries into `parts` of about equal size: 0, … , `cols`. Found from a sample. */
export function columnBounds(
  memory: KernelMemory,
  columns: number,
  entries: number,
  cols: number,
  parts: number,
): number[] {
  const sample = Int32Array.from(
    { length: Math.min(entries, samples) },
    (_, k) => memory.int32[columns / 4 + Math.floor((k * entries) / Math.min(entries, samples))],
  ).toSorted();
  return Array.from({ length: parts + 1 }, (_, part) =>
    part === 0 ? 0 : part === parts ? cols : sample[Math.floor((part * sample.length) / parts)],
  );
}

/** A sample of so many columns is sorted in a few microseconds. */
const samples = 509;
