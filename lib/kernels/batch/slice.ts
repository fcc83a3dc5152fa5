/** Listed rows of a CSR matrix: their slice, and the union of their neighbors. */

import type { CsrToCsr } from '../types.ts';

type CsrSlice = (count: number, rows: Int32Array, ...arrays: CsrToCsr) => void;

/**
 * Writes rows rows[0], rows[1], … of a CSR matrix to outStarts[count + 1], outColumns and outValues, which have room for all
 * their entries.
 */
export const csrSlice: CsrSlice = (count, rows, starts, columns, values, outStarts, outColumns, outValues) => {
  let at = 0;
  outStarts[0] = 0;
  for (let i = 0; i < count; i++) {
    const end = starts[rows[i] + 1];
    for (let e = starts[rows[i]]; e < end; e++) {
      outColumns[at] = columns[e];
      outValues[at++] = values[e];
    }
    outStarts[i + 1] = at;
  }
};

/**
 * Writes the rows of the batch and then all their neighbors to `out`, each once, in the order of visits. Returns their number. A
 * row is visited if stamps[row] === stamp; on entry, none is. `out` has room for one more.
 */
export function neighborUnion(
  count: number,
  batch: Int32Array,
  starts: Int32Array,
  columns: Int32Array,
  stamp: number,
  stamps: Int32Array,
  out: Int32Array,
): number {
  let visited = visit(batch, 0, count, stamp, stamps, out, 0);
  for (let i = 0; i < count; i++) {
    visited = visit(columns, starts[batch[i]], starts[batch[i] + 1], stamp, stamps, out, visited);
  }
  return visited;
}

/** Appends the rows of list[from … to−1] that are not visited yet to the `visited` rows in `out`; returns their number. */
export function visit(
  list: Int32Array,
  from: number,
  to: number,
  stamp: number,
  stamps: Int32Array,
  out: Int32Array,
  visited: number,
): number {
  for (let k = from; k < to; k++) {
    const row = list[k];
    // Always written, and kept if it is new: a branch would often be mispredicted, which costs more.
    out[visited] = row;
    visited += Number(stamps[row] !== stamp);
    stamps[row] = stamp;
  }
  return visited;
}

export const plainSlice = { csrSlice, neighborUnion };

export type SliceKernels = typeof plainSlice;
