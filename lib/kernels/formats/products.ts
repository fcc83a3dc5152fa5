/**
 * Products of sparse matrices with dense ones in either precision: compressed rows, slices of eight rows, blocks of 4×4. A family of its own,
 * so that only `specnet/sparse` and benchmarks load its SIMD twins.
 */

import { csrTransposeMatmul } from '../pullbacks.ts';
import { csrMatmul } from '../sparse.ts';
import type { CsrArguments, Floats } from '../types.ts';

type CsrProduct = (rows: number, width: number, ...arrays: [...CsrArguments, x: Floats, out: Floats]) => void;
type CsrTransposeProduct = (rows: number, cols: number, ...product: Parameters<CsrProduct> extends [unknown, ...infer Rest] ? Rest : never) => void; // oxfmt-ignore

/** The rows of a slice. */
export const sliceHeight = 8;
/** The rows and columns of a block. */
export const blockSide = 4;

/**
 * out[rows×width] = S·x for S[rows×·] in CSR and x[·×width]. All numbers are of one precision, in which the SIMD twin sums. It sums rows of more
 * than `pieceEntries` entries in pieces of that length, so that threads can share a row. 2·nonzeros·width flops.
 */
export const csrProduct: CsrProduct = (rows, width, starts, columns, values, x, out) =>
  csrMatmul(rows, width, starts, columns, values, x, out, false);

/**
 * out[cols×width] = Sᵀ·x for S[rows×cols] in CSR, whose columns increase within a row, and x[rows×width]. All numbers are of one precision.
 * Entries of a column are added in the order of the rows. 2·nonzeros·width flops.
 */
export const csrTransposeProduct: CsrTransposeProduct = (rows, cols, width, starts, columns, values, x, out) =>
  csrTransposeMatmul(rows, cols, width, starts, columns, values, x, out, false);

/**
 * out[rows×width] = S·x for S in slices of eight rows and x[·×width]. Slice s has layers starts[s] … starts[s+1]−1, and place 8·layer + lane of columns and values
 * belongs to row order[8s + lane]: padding has the value 0 and a column of S. The last slice may have fewer rows: its
 * other lanes repeat its first row. `isOrdered`: order[k] = k for all rows. Entries of a row are added in their order. 2·places·width flops.
 */
export function slicedProduct(
  rows: number,
  width: number,
  isOrdered: boolean,
  starts: Int32Array,
  order: Int32Array,
  columns: Int32Array,
  values: Floats,
  x: Floats,
  out: Floats,
): void {
  for (let s = 0; s * sliceHeight < rows; s++) {
    for (let lane = sliceHeight - 1; lane >= 0; lane--) {
      const slot = s * sliceHeight + lane;
      if (isOrdered && slot >= rows) continue;
      const row = isOrdered ? slot : order[slot];
      for (let c = 0; c < width; c++) {
        out[row * width + c] = 0;
        for (let layer = starts[s]; layer < starts[s + 1]; layer++) {
          const at = layer * sliceHeight + lane;
          out[row * width + c] += values[at] * x[columns[at] * width + c];
        }
      }
    }
  }
}

/**
 * out[rows×width] = S·x for S[rows×cols] in blocks of 4×4 and x[cols×width]. Row i is in line ⌊i/4⌋. Block b of line l, with starts[l] ≤ b < starts[l+1],
 * covers columns firsts[b] … firsts[b]+3, which all exist if cols ≥ 4; its values are values[16b + 4j + i], column by column. 32·blocks·width flops.
 */
export function blockedProduct(
  rows: number,
  cols: number,
  width: number,
  starts: Int32Array,
  firsts: Int32Array,
  values: Floats,
  x: Floats,
  out: Floats,
): void {
  for (let i = 0; i < rows; i++) {
    const line = Math.floor(i / blockSide);
    for (let c = 0; c < width; c++) {
      let sum = 0;
      for (let b = starts[line]; b < starts[line + 1]; b++) {
        const last = Math.min(blockSide, cols - firsts[b]);
        for (let j = 0; j < last; j++) {
          sum += values[blockSide * (blockSide * b + j) + (i % blockSide)] * x[(firsts[b] + j) * width + c];
        }
      }
      out[i * width + c] = sum;
    }
  }
}

/** The SIMD twins sum the entries of a row in pieces of this length. */
export const pieceEntries = 4096;

/** Threads share the columns of x of a transposed product, at least as many to each as this. */
export const columnsPerThread = 4;

export const plainProducts = { csrProduct, csrTransposeProduct, slicedProduct, blockedProduct };

export type ProductKernels = typeof plainProducts;
