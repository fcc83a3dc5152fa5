/** Sums in Float64: those that become Gram matrices, moments, losses and norms. */

import type { Floats } from './types.ts';

/**
 * out[p×q] = aᵀ·diag(weights)·b of a[rows×p], b[rows×q]; weights null means ones. Products and sums in Float64.
 * If a and b are the same array, sums only the upper triangle and mirrors it. 2·rows·p·q flops.
 */
export function gram(
  rows: number,
  p: number,
  q: number,
  weights: Floats | null,
  a: Floats,
  b: Floats,
  out: Float64Array,
): void {
  const isSymmetric = a === b;
  out.fill(0, 0, p * q);
  for (let i = 0; i < rows; i++) {
    const weight = weights ? weights[i] : 1;
    for (let s = 0; s < p; s++) {
      const left = weight * a[i * p + s];
      for (let t = isSymmetric ? s : 0; t < q; t++) out[s * q + t] += left * b[i * q + t];
    }
  }
  if (isSymmetric) mirror(p, out);
}

/** Copies the upper triangle of out[n×n] to the lower one. */
export function mirror(n: number, out: Float64Array): void {
  for (let s = 0; s < n; s++) for (let t = 0; t < s; t++) out[s * n + t] = out[t * n + s];
}

/** out[j] = Σᵢ weights[i]·x[i,j] in Float64; weights null means ones. */
export function weightedColumnSums(
  rows: number,
  cols: number,
  weights: Floats | null,
  x: Floats,
  out: Float64Array,
): void {
  out.fill(0, 0, cols);
  for (let i = 0; i < rows; i++) {
    const weight = weights ? weights[i] : 1;
    for (let j = 0; j < cols; j++) out[j] += weight * x[i * cols + j];
  }
}

/** Σ a[i]·b[i] in Float64. */
export function dot(n: number, a: Floats, b: Floats): number {
  let total = 0;
  for (let i = 0; i < n; i++) total += a[i] * b[i];
  return total;
}

/** Σ x[i] in Float64. */
export function sum(n: number, x: Floats): number {
  let total = 0;
  for (let i = 0; i < n; i++) total += x[i];
  return total;
}

/** out[i] = sum of row i of a CSR matrix, in Float64: the degrees of a graph. */
export function csrRowSums(rows: number, starts: Int32Array, values: Floats, out: Float64Array): void {
  for (let i = 0; i < rows; i++) {
    let total = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) total += values[e];
    out[i] = total;
  }
}

export const plainReduce = { gram, weightedColumnSums, dot, sum, csrRowSums };

/** Sums, Gram matrices and norms. */
export type ReduceKernels = typeof plainReduce;
