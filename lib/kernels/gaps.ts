/** What is left of a matrix that is mostly zeros? A family of its own: who trains no network does not load the twin. */

import type { Floats } from './types.ts';

/**
 * The entries of x[rows×cols] that are not 0, as CSR arrays: outStarts[rows + 1], outColumns and outValues, with room
 * for all entries and four more. Stops after the row that brings them above `most`; returns how many there are by then.
 */
export function compressRows(
  rows: number,
  cols: number,
  most: number,
  x: Floats,
  outStarts: Int32Array,
  outColumns: Int32Array,
  outValues: Floats,
): number {
  let at = 0;
  outStarts[0] = 0;
  for (let i = 0; i < rows && at <= most; i++) {
    for (let j = 0; j < cols; j++) {
      const value = x[i * cols + j];
      outColumns[at] = j;
      outValues[at] = value;
      at += Number(value !== 0);
    }
    outStarts[i + 1] = at;
  }
  return at;
}

export const plainGaps = { compressRows };

export type GapKernels = typeof plainGaps;
