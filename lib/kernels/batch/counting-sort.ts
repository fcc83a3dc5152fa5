/** Counting sorts: linear time, and equal keys keep their order. */

import type { CsrToCsr, Floats } from '../types.ts';

type TransposeRows = (rows: number, cols: number, ...arrays: CsrToCsr) => void;

/** Positions 0 … length − 1 sorted by key in [0, bound), equal keys in their old order. O(length + bound). */
export function orderByKey(keys: Int32Array, bound: number): Int32Array {
  const next = countKeys(keys, keys.length, new Int32Array(bound + 1));
  const order = new Int32Array(keys.length);
  for (let e = 0; e < keys.length; e++) order[next[keys[e]]++] = e;
  return order;
}

/**
 * The transpose of CSR arrays of a rows×cols matrix. starts[0] is 0, and the columns of a row may be in any order
 * and repeat. Overwrites outStarts[cols + 1], outColumns (ascending in each row) and outValues (entries of one place in their
 * old order), which have room for all entries. O(rows + cols + entries).
 */
export const transposeRows: TransposeRows = (rows, cols, starts, columns, values, outStarts, outColumns, outValues) => {
  const next = countKeys(columns, starts[rows], outStarts.subarray(0, cols + 1).fill(0));
  for (let i = 0; i < rows; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const to = next[columns[e]]++;
      outColumns[to] = i;
      outValues[to] = values[e];
    }
  }
  stepBack(next);
};

/**
 * CSR arrays of entries in any order, each with its row. Overwrites outStarts (zeros on entry, one more than there are
 * rows), outColumns and outValues, where the entries of a row keep their old order. O(rows + entries).
 */
export function bucketByRow(
  rows: Int32Array,
  columns: Int32Array,
  values: Floats,
  outStarts: Int32Array,
  outColumns: Int32Array,
  outValues: Floats,
): void {
  countKeys(rows, rows.length, outStarts);
  for (let e = 0; e < rows.length; e++) {
    const to = outStarts[rows[e]]++;
    outColumns[to] = columns[e];
    outValues[to] = values[e];
  }
  stepBack(outStarts);
}

/** Sets `starts` to the position of the first entry of each key. Distributing the entries advances these positions. */
function countKeys(keys: Int32Array, count: number, starts: Int32Array): Int32Array {
  for (let e = 0; e < count; e++) starts[keys[e] + 1]++;
  for (let key = 1; key < starts.length; key++) starts[key] += starts[key - 1];
  return starts;
}

/** Undoes the advance: after all entries are distributed, each start has become that of the next key. */
function stepBack(starts: Int32Array): void {
  starts.copyWithin(1, 0);
  starts[0] = 0;
}
