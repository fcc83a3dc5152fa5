/** Compression of matrices that are mostly zeros. A family of its own, so that only networks load the SIMD twin. */

import type { Floats } from '../types.ts';

/** The number of rows in a section. A section writes only to its own part of the output, so that threads can share sections. */
export const sectionRows = 32;

/** The index of the start of row i in `outStarts` of `compressRows`. Its end is the next number. */
export function startOf(i: number): number {
  return i + Math.floor(i / sectionRows);
}

/**
 * Writes the nonzeros of x[rows×cols] as CSR arrays, section by section. The entries of a section begin at the index of its first
 * entry in x, so there are unused entries before the next section. Each section has its rows plus one starts, one section after
 * the other. outStarts has room for the starts of all sections, outColumns and outValues for as many entries as x. Returns the
 * number of nonzeros.
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

/**
 * Writes the nonzeros of xᵀ, for x[rows×cols], as CSR arrays without unused entries. outStarts has room for cols + 1 starts,
 * outColumns and outValues for as many entries as x. Reads x once, column by column. Returns the number of nonzeros.
 */
export function compressColumns(
  rows: number,
  cols: number,
  x: Floats,
  outStarts: Int32Array,
  outColumns: Int32Array,
  outValues: Floats,
): number {
  let at = 0;
  outStarts[0] = 0;
  for (let j = 0; j < cols; j++) {
    for (let i = 0; i < rows; i++) {
      const value = x[i * cols + j];
      outColumns[at] = i;
      outValues[at] = value;
      at += Number(value !== 0);
    }
    outStarts[j + 1] = at;
  }
  return at;
}

export const plainCompression = { compressRows, compressColumns };

export type CompressionKernels = typeof plainCompression;
