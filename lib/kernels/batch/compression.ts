/** Compression of matrices that are mostly zeros. A family of its own, so that only networks load the SIMD twin. */

import type { Floats } from '../types.ts';

/** Rows of a section. No section writes beyond its own room, so that threads can share them. */
export const sectionRows = 32;

/** The place of the start of row i in `outStarts` of `compressRows`; its end follows. */
export function startOf(i: number): number {
  return i + Math.floor(i / sectionRows);
}

/**
 * The entries of x[rows×cols] that are not 0, section by section as CSR arrays: those of a section begin where they would if
 * none of x was 0, and its starts, one more than it has rows, follow those of the section before. outStarts has room for all
 * sections' starts, outColumns and outValues for as many entries as x has. Returns the number of entries.
 */
export function compressRows(
  rows: number,
  cols: number,
  x: Floats,
  outStarts: Int32Array,
  outColumns: Int32Array,
  outValues: Floats,
): number {
  let entries = 0;
  let at = 0;
  for (let i = 0; i < rows; i++) {
    if (i % sectionRows === 0) at = outStarts[startOf(i)] = i * cols;
    for (let j = 0; j < cols; j++) {
      const value = x[i * cols + j];
      outColumns[at] = j;
      outValues[at] = value;
      at += Number(value !== 0);
    }
    outStarts[startOf(i) + 1] = at;
    entries += at - outStarts[startOf(i)];
  }
  return entries;
}

export const plainCompression = { compressRows };

export type CompressionKernels = typeof plainCompression;
