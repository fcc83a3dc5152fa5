/** The Cholesky factorization A = L·Lᵀ of a positive definite matrix. */

import { badValue, checkFinite } from '../core/check.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { checkSymmetric, largestMagnitude, type Matrix, symmetrizeInPlace } from './matrix.ts';

/** Thrown when a pivot of the factorization is negative, or no larger than rounding. */
export class NotPositiveDefinite extends RangeError {
  /** The row and column where the factorization stopped: it depends on those before it. */
  readonly pivot: number;
  /** The diagonal entry there, after elimination of the rows before it. */
  readonly value: number;

  constructor(caller: string, pivot: number, value: number, largestDiagonal: number, remedy = dropOrAdd) {
    const got = `pivot ${pivot} of value ${value}, the largest entry of the diagonal being ${largestDiagonal}`;
    super(badValue(caller, 'a positive definite matrix', got, remedy).message);
    this.pivot = pivot;
    this.value = value;
  }
}

const dropOrAdd = 'Drop dependent columns, or add to the diagonal.';

/** out = lower triangular L, positive on the diagonal, with L·Lᵀ = A for a square A. Throws `NotPositiveDefinite`. */
export function choleskyInto(a: Tensor, out: Matrix): void {
  checkFinite('cholesky', 'a', a.data, a.cols);
  checkSymmetric('cholesky', 'a', a);
  out.data.set(a.data);
  symmetrizeInPlace(a.rows, out.data);
  factorInPlace('cholesky', out);
}

/** `choleskyInPlace` that throws an error in the name of `caller` instead of returning a pivot. */
export function factorInPlace(caller: string, a: Matrix, remedy?: string): void {
  const k = a.rows;
  const largest = largestMagnitude(a.data, 0, k + 1);
  const pivot = choleskyInPlace(k, a.data);
  if (pivot >= 0) throw new NotPositiveDefinite(caller, pivot, a.data[pivot * k + pivot], largest, remedy);
}

/**
 * a[k×k] ← L with L·Lᵀ = a, zeros above the diagonal. Reads only the lower triangle. k³/3 flops.
 * Returns −1, or the first pivot p that is not above (p+1)·ε·a[p,p]: a smaller one may be the rounding of zero, with a random
 * sign. Then a[p,p] holds the pivot's value, the rows above hold L, and those below are unchanged.
 */
export function choleskyInPlace(k: number, a: Float64Array): number {
  return factorRowsInPlace(k, 0, k, a);
}

/** `choleskyInPlace` for rows from ≤ i < to only, after those before them: a large matrix can be factored in several calls. */
export function factorRowsInPlace(k: number, from: number, to: number, a: Float64Array): number {
  for (let i = from; i < to; i++) {
    const row = i * k;
    const diagonal = a[row + i];
    let pivot = diagonal;
    for (let j = 0; j < i; j++) {
      const entry = (a[row + j] - dotOfRows(j, a, row, j * k)) / a[j * k + j];
      a[row + j] = entry;
      pivot -= entry * entry;
    }
    if (!(pivot > (i + 1) * Number.EPSILON * diagonal)) {
      a[row + i] = pivot;
      return i;
    }
    a[row + i] = Math.sqrt(pivot);
    for (let j = i + 1; j < k; j++) a[row + j] = 0;
  }
  return -1;
}

/** Σ a[p + i]·a[q + i] over i < n, in four independent sums that run in parallel. */
function dotOfRows(n: number, a: Float64Array, p: number, q: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let i = 0;
  for (; i + 3 < n; i += 4) {
    s0 += a[p + i] * a[q + i];
    s1 += a[p + i + 1] * a[q + i + 1];
    s2 += a[p + i + 2] * a[q + i + 2];
    s3 += a[p + i + 3] * a[q + i + 3];
  }
  for (; i < n; i++) s0 += a[p + i] * a[q + i];
  return s0 + s1 + (s2 + s3);
}
