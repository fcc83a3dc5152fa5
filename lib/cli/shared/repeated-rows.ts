/** Refuses large tables most of whose rows are copies: their nearest neighbors would be nothing but further copies. */

import { badValue } from '../../core/check.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/** With fewer rows it takes seconds, and the command only warns of repeated points. */
const fewestRows = 50_000;

/**
 * Refuses `fewestRows` rows or more if most of them have at least `neighbors` copies, themselves included. In such a graph most nodes
 * have no edge to another point, and its eigenvectors take many minutes.
 */
export function checkRepeatedRows(caller: string, points: Tensor, neighbors: number): void {
  const { rows, cols } = points;
  if (rows < fewestRows) return;
  const copies = new Map<number, number>();
  for (let row = 0; row < rows; row++) {
    const key = hashOf(points, row);
    copies.set(key, (copies.get(key) ?? 0) + 1);
    // At most half of the rows are further copies.
    if (copies.size > rows / 2) return;
  }
  const repeated = [...copies.values()].filter((count) => count >= neighbors);
  const sum = repeated.reduce((total, count) => total + count, 0);
  if (sum <= rows / 2) return;
  const got = `${rows} rows of which ${sum} are copies of ${repeated.length} points`;
  const shape =
    cols === 1 ? ' If the list holds rows of several numbers one after the other, write a list for each row.' : '';
  const remedy = `The ${neighbors} neighbors of such a row would be its own copies. Remove repeated rows.${shape}`;
  throw badValue(caller, 'a table of different rows', got, remedy);
}

/** 52 bits that depend on all numbers of a row: two hashes of 26 bits (FNV-1a with different primes, 32 bits at a time). */
function hashOf({ cols, data }: Tensor, row: number): number {
  const numbers = data.subarray(row * cols, (row + 1) * cols);
  const words = new Int32Array(numbers.buffer, numbers.byteOffset, numbers.byteLength / 4);
  let [one, other] = [0x811c9dc5, 0x9e3779b9];
  for (const word of words) {
    one = Math.imul(one ^ word, 0x01000193);
    other = Math.imul(other ^ word, 0x85ebca6b);
    one ^= one >>> 15;
    other ^= other >>> 13;
  }
  return (one >>> 6) * 2 ** 26 + (other >>> 6);
}
