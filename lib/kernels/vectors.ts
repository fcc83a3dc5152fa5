/**
 * Kernels on long Float64 vectors, for eigensolvers. A family of its own, so that only eigensolvers load the SIMD twins. A set of vectors
 * is a contiguous matrix `a`, one vector per row.
 */

import type { Floats } from './types.ts';

/** The number of columns that `combineRows` processes at a time: 40 rows of this length fill a third of the second-level cache. */
export const band = 512;

/** a·b. */
export function dotVectors(n: number, a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/** out = a∘b, entry by entry; `out` may be a or b. */
export function multiplyVectors(n: number, a: Float64Array, b: Float64Array, out: Float64Array): void {
  for (let i = 0; i < n; i++) out[i] = a[i] * b[i];
}

/** out = factor·x, added to `out` if `accumulate`; `out` may be x. */
export function scaleVector(n: number, factor: number, x: Float64Array, out: Float64Array, accumulate: boolean): void {
  for (let i = 0; i < n; i++) out[i] = accumulate ? out[i] + factor * x[i] : factor * x[i];
}

/**
 * out[i] = factors[i]·(row i of S·x) in Float64, for values of either type; factors null means ones. Four independent sums,
 * so that no addition waits for the one before. 2·nonzeros flops. `out` is not x.
 */
export function csrTimesVector(
  rows: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
  factors: Float64Array | null,
  x: Float64Array,
  out: Float64Array,
): void {
  for (let i = 0, e = starts[0]; i < rows; i++) {
    const end = starts[i + 1];
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (; e + 3 < end; e += 4) {
      s0 += values[e] * x[columns[e]];
      s1 += values[e + 1] * x[columns[e + 1]];
      s2 += values[e + 2] * x[columns[e + 2]];
      s3 += values[e + 3] * x[columns[e + 3]];
    }
    for (; e < end; e++) s0 += values[e] * x[columns[e]];
    const sum = s0 + s1 + (s2 + s3);
    out[i] = factors ? factors[i] * sum : sum;
  }
}

/** out[r] = row r of a[rows×n]·x. 2·rows·n flops. */
export function rowDots(rows: number, n: number, a: Float64Array, x: Float64Array, out: Float64Array): void {
  for (let r = 0, at = 0; r < rows; r++) {
    let sum = 0;
    for (let i = 0; i < n; i++, at++) sum += a[at] * x[i];
    out[r] = sum;
  }
}

/** x −= Σᵣ factors[r]·row r of a[rows×n], in place; x is none of the rows. 2·rows·n flops. */
export function subtractRows(rows: number, n: number, factors: Float64Array, a: Float64Array, x: Float64Array): void {
  for (let r = 0, at = 0; r < rows; r++) for (let i = 0; i < n; i++, at++) x[i] -= factors[r] * a[at];
}

/** The length of the workspace of `combineRows`. */
export function combineWork(kept: number): number {
  return 4 * Math.ceil(kept / 4) * band;
}

/**
 * Row j of a[rows×n] ← Σᵢ factors[i·rows + j]·row i for j < kept ≤ rows, in place; the rows beyond are left as they were.
 * `work` has `combineWork(kept)` numbers, which are overwritten. 2·n·rows·kept flops.
 */
export function combineRows(
  rows: number,
  kept: number,
  n: number,
  factors: Float64Array,
  a: Float64Array,
  work: Float64Array,
): void {
  for (let from = 0; from < n; from += band) {
    const width = Math.min(band, n - from);
    work.fill(0, 0, kept * band);
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < kept; j++) {
        const factor = factors[i * rows + j];
        for (let c = 0; c < width; c++) work[j * band + c] += factor * a[i * n + from + c];
      }
    }
    for (let j = 0; j < kept; j++) a.set(work.subarray(j * band, j * band + width), j * n + from);
  }
}

/** The plain twins, as in the table of all other kernels. */
export const plainVectors = {
  dotVectors,
  multiplyVectors,
  scaleVector,
  csrTimesVector,
  rowDots,
  subtractRows,
  combineRows,
};

export type VectorKernels = typeof plainVectors;
