/** When is a symmetric matrix A = L·Lᵀ, and what is L? */

import { badValue, checkFinite } from '../core/check.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { checkSymmetric, type Matrix, symmetriseInPlace } from './matrix.ts';

/** The factorisation met a pivot that is no more than rounding, or negative. */
export class NotPositiveDefinite extends RangeError {
  /** The row and column where it stopped: this one depends on those before it. */
  readonly pivot: number;
  /** What was left of the diagonal entry there. */
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
  symmetriseInPlace(a.rows, out.data);
  factorInPlace('cholesky', out);
}

/** `choleskyInPlace` with an error in the name of `caller` instead of a pivot to look at. */
export function factorInPlace(caller: string, a: Matrix, remedy?: string): void {
  const k = a.rows;
  let largest = 0;
  for (let i = 0; i < k; i++) largest = Math.max(largest, Math.abs(a.data[i * k + i]));
  const pivot = choleskyInPlace(k, a.data);
  if (pivot >= 0) throw new NotPositiveDefinite(caller, pivot, a.data[pivot * k + pivot], largest, remedy);
}

/**
 * a[k×k] ← L with L·Lᵀ = a, zeros above the diagonal; reads the lower triangle alone. k³/3 flops.
 * Returns −1, or the first pivot p that is not above (p+1)·ε·a[p,p]: less than that is what rounding leaves of zero, and
 * its sign is chance. Then a[p,p] holds the pivot's value, the rows above hold L, and those below are as they were.
 */
export function choleskyInPlace(k: number, a: Float64Array): number {
  for (let i = 0; i < k; i++) {
    const row = i * k;
    const diagonal = a[row + i];
    let pivot = diagonal;
    for (let j = 0; j < i; j++) {
      let entry = a[row + j];
      for (let p = 0; p < j; p++) entry -= a[row + p] * a[j * k + p];
      entry /= a[j * k + j];
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
