/** The thin QR factorization A = Q·R of a tall matrix, by Householder reflections. */

import { badValue } from '../core/check.ts';
import type { Floats } from '../kernels/types.ts';
import { type Tensor, zeros } from '../tensor/tensor.ts';
import { largestMagnitude, type Matrix, matrixOf } from './matrix.ts';

export interface ThinQr {
  /** n×k with QᵀQ = I, whatever the rank of A. */
  readonly q: Matrix;
  /** k×k, upper triangular, with a diagonal that is not negative. */
  readonly r: Matrix;
}

/**
 * Q[n×k] and R[k×k] of A[n×k], n ≥ k. If A has full rank R's diagonal is positive, which makes both unique and smooth in A.
 * If not, a pivot of R is (nearly) zero, and the column of Q there is arbitrary but orthonormal to the others:
 * `numericalRank(r)` of eigen.ts tells.
 */
export function thinQr(a: Tensor): ThinQr {
  const q = matrixOf('thinQr', 'a', a);
  const n = q.rows;
  const k = q.cols;
  if (n < k) {
    const got = `${n} rows and ${k} columns`;
    throw badValue('thinQr', 'at least as many rows as columns', got, 'Pass the transpose.');
  }
  const r = zeros([k, k], 'double');
  thinQrInto(n, k, q.data, new Float64Array(2 * k), q.data, r.data);
  return { q, r };
}

/**
 * q[n×k]·r[k×k] = a[n×k], n ≥ k, with r's diagonal ≥ 0 and zeros below it. a may be of either precision, or be q itself.
 * `work` has 2k numbers, which are overwritten. 4nk² flops.
 */
export function thinQrInto(
  n: number,
  k: number,
  a: Floats,
  work: Float64Array,
  q: Float64Array,
  r: Float64Array,
): void {
  for (let i = 0; i < n * k; i++) q[i] = a[i];
  for (let j = 0; j < k; j++) {
    work[j] = reflect(n, k, j, q);
    applyReflection(n, k, j, work[j], work, q);
  }
  for (let i = 0; i < k; i++) {
    const sign = q[i * k + i] < 0 ? -1 : 1;
    for (let j = 0; j < k; j++) r[i * k + j] = j < i ? 0 : sign * q[i * k + j];
  }
  accumulate(n, k, work, q);
}

/**
 * Column j of q, from row j on, becomes R's pivot at row j and below it the rest of v, v[j] = 1, of the reflection
 * I − τ·v·vᵀ that makes it so. Returns τ. Scaled by the largest entry, so that no square overflows.
 */
function reflect(n: number, k: number, j: number, q: Float64Array): number {
  const largest = largestMagnitude(q, j * k + j, k, n * k);
  if (largest === 0) return 0;
  let squares = 0;
  for (let i = j; i < n; i++) squares += (q[i * k + j] / largest) ** 2;
  const first = q[j * k + j];
  const pivot = first > 0 ? -largest * Math.sqrt(squares) : largest * Math.sqrt(squares);
  for (let i = j + 1; i < n; i++) q[i * k + j] /= first - pivot;
  q[j * k + j] = pivot;
  return (pivot - first) / pivot;
}

/** Columns j+1 … k−1 of q, from row j on ← (I − τ·v·vᵀ) times them, v in column j. work[k+j+1 … 2k−1] is overwritten. */
function applyReflection(n: number, k: number, j: number, tau: number, work: Float64Array, q: Float64Array): void {
  for (let c = j + 1; c < k; c++) work[k + c] = q[j * k + c];
  for (let i = j + 1; i < n; i++) {
    const v = q[i * k + j];
    for (let c = j + 1; c < k; c++) work[k + c] += v * q[i * k + c];
  }
  for (let c = j + 1; c < k; c++) {
    work[k + c] *= tau;
    q[j * k + c] -= work[k + c];
  }
  for (let i = j + 1; i < n; i++) {
    const v = q[i * k + j];
    for (let c = j + 1; c < k; c++) q[i * k + c] -= v * work[k + c];
  }
}

/**
 * q ← the first k columns of the product of all reflections, the last applied first. A column whose pivot came out
 * negative is negated, as the row of r was.
 */
function accumulate(n: number, k: number, work: Float64Array, q: Float64Array): void {
  for (let j = k - 1; j >= 0; j--) {
    const flipped = q[j * k + j] < 0;
    const tau = work[j];
    for (let c = j + 1; c < k; c++) q[j * k + c] = 0;
    applyReflection(n, k, j, tau, work, q);
    q[j * k + j] = 1 - tau;
    for (let i = j + 1; i < n; i++) q[i * k + j] *= -tau;
    if (flipped) for (let i = j; i < n; i++) q[i * k + j] = -q[i * k + j];
  }
}
