/** Gradients of few rows that are mostly zeros: products at the nonzeros only, and Adam for such gradients. */

import type { Floats } from '../types.ts';
import { adamProduct, startAdam, finishAdam } from './adam-product.ts';
import { transposeRows } from './counting-sort.ts';

/**
 * a·bᵀ at the entries of CSR arrays, and 0 elsewhere: out[rows×cols], with a[rows×inner] and b[cols×inner]. The first
 * row of the CSR arrays begins at 0. 2·inner flops for each entry.
 */
export function sampledProduct(
  rows: number,
  cols: number,
  inner: number,
  starts: Int32Array,
  columns: Int32Array,
  a: Floats,
  b: Floats,
  out: Floats,
): void {
  out.fill(0, 0, rows * cols);
  for (let i = 0; i < rows; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      let sum = 0;
      for (let p = 0; p < inner; p++) sum += a[i * inner + p] * b[columns[e] * inner + p];
      out[i * cols + columns[e]] = sum;
    }
  }
}

/**
 * out[rows×cols] = a[rows×inner]·b[cols×inner]ᵀ where mask[rows×cols] is positive, else 0: the gradient with respect to the input of a ReLU
 * whose values are the mask. 2·inner flops for each number.
 */
export function maskedProduct(
  rows: number,
  cols: number,
  inner: number,
  mask: Floats,
  a: Floats,
  b: Floats,
  out: Floats,
): void {
  for (let i = 0, at = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++, at++) {
      let sum = 0;
      for (let p = 0; p < inner; p++) sum += a[i * inner + p] * b[j * inner + p];
      out[at] = mask[at] > 0 ? sum : 0;
    }
  }
}

/**
 * out[rows×width] = S·x, with the terms of each sum in the order of the entries. So with the nonzeros of aᵀ it is equal to
 * `matmulTransposeA` of a and x. 2·width flops for each entry.
 */
export function orderedProduct(
  rows: number,
  width: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
  x: Floats,
  out: Floats,
): void {
  const sums = new Float64Array(width);
  for (let i = 0; i < rows; i++) {
    sums.fill(0);
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      for (let j = 0, from = columns[e] * width; j < width; j++) sums[j] += values[e] * x[from + j];
    }
    out.set(sums, i * width);
  }
}

export const plainGradient = {
  transposeRows,
  sampledProduct,
  maskedProduct,
  orderedProduct,
  adamProduct,
  startAdam,
  finishAdam,
};

export type GradientKernels = typeof plainGradient;
