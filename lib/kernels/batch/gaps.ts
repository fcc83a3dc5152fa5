/** What is left of a matrix that is mostly zeros? A family of its own: who trains no network does not load the twin. */

import type { Floats } from '../types.ts';

/** So many rows make a section. None is written beyond the room of its own, so that threads share them. */
export const sectionRows = 32;

/** Where the start of row i is in `outStarts` of `compressRows`; its end is behind it. */
export function startOf(i: number): number {
  return i + Math.floor(i / sectionRows);
}

/**
 * The entries of x[rows×cols] that are not 0, section by section as CSR arrays: those of a section begin where they would if
 * none of x was 0, and its starts follow those of the section before, one more than it has rows. outStarts has room for all
 * sections' starts, outColumns and outValues for as many entries as x has. Returns how many there are.
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

export const plainGaps = { compressRows };

export type GapKernels = typeof plainGaps;
