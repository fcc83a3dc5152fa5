/**
 * Kernels on blocks of Float64 vectors, for the multilevel eigensolver. A block of `width` vectors is row-major: row i has entry
 * i of each. A family of its own, so that only the solver loads the SIMD twins.
 */

import type { Floats } from './types.ts';

/**
 * Row i of out ← factors[i]·(row i of y) + sign·Σₑ weights[e]·(row columns[e] of x) for from ≤ i < to, where e runs from starts[i] to
 * ends[i]−1 without gapStarts[i] … gapEnds[i]−1. Gaps null means none, factors null ones, y null zeros. `out` may be y, never
 * x. 2·entries·width flops.
 */
export function blockProduct(
  from: number,
  to: number,
  width: number,
  starts: Int32Array,
  ends: Int32Array,
  gapStarts: Int32Array | null,
  gapEnds: Int32Array | null,
  columns: Int32Array,
  weights: Floats,
  sign: number,
  factors: Float64Array | null,
  y: Float64Array | null,
  x: Float64Array,
  out: Float64Array,
): void {
  for (let i = from; i < to; i++) {
    const o = i * width;
    const factor = factors ? factors[i] : 1;
    for (let c = 0; c < width; c++) out[o + c] = y ? factor * y[o + c] : 0;
    for (let e = starts[i]; e < ends[i]; e++) {
      if (gapStarts && e >= gapStarts[i] && e < gapEnds![i]) continue;
      const weight = sign * weights[e];
      const at = columns[e] * width;
      for (let c = 0; c < width; c++) out[o + c] += weight * x[at + c];
    }
  }
}

/**
 * Row i of x ← factors[i]·(row i of b + Σₑ weights[e]·(row columns[e] of x)), in place, with e from starts[i] to ends[i]−1: a sweep of
 * Gauss-Seidel in each chunk of `chunk` rows, upward or downward. The columns of a row are in its chunk, so chunks are
 * independent. `from` begins a chunk, `to` ends one. 2·entries·width flops.
 */
export function blockSweep(
  from: number,
  to: number,
  chunk: number,
  isDownward: boolean,
  width: number,
  starts: Int32Array,
  ends: Int32Array,
  columns: Int32Array,
  weights: Floats,
  factors: Float64Array,
  b: Float64Array,
  x: Float64Array,
): void {
  for (let first = from; first < to; first += chunk) {
    const rows = Math.min(chunk, to - first);
    for (let k = 0; k < rows; k++) {
      const i = isDownward ? first + rows - 1 - k : first + k;
      for (let c = 0, o = i * width; c < width; c++, o++) {
        let sum = b[o];
        for (let e = starts[i]; e < ends[i]; e++) sum += weights[e] * x[columns[e] * width + c];
        x[o] = factors[i] * sum;
      }
    }
  }
}

/** out = ax − diag(mass)·x·diag(values) for blocks of n rows: residuals of eigenpairs. 3·n·width flops. */
export function blockResidual(
  n: number,
  width: number,
  values: Float64Array,
  mass: Float64Array | null,
  x: Float64Array,
  ax: Float64Array,
  out: Float64Array,
): void {
  for (let i = 0, at = 0; i < n; i++) {
    const factor = mass ? mass[i] : 1;
    for (let c = 0; c < width; c++, at++) out[at] = ax[at] - values[c] * (factor * x[at]);
  }
}

/** Row i of x −= row labels[i] of means, in place, for blocks of n rows. n·width flops. */
export function blockCenter(n: number, width: number, labels: Int32Array, means: Float64Array, x: Float64Array): void {
  for (let i = 0, at = 0; i < n; i++) {
    for (let c = 0, m = labels[i] * width; c < width; c++) x[at++] -= means[m++];
  }
}

/** The number of rows whose products `blockGram` sums before it adds them to others. */
export const gramChunk = 4096;

/** Aᵀ·diag(weights)·B to out[p×q], for a[n×p] and b[n×q]; weights null means ones. 2·n·p·q flops. */
export function blockGram(
  n: number,
  p: number,
  q: number,
  a: Float64Array,
  b: Float64Array,
  weights: Float64Array | null,
  out: Float64Array,
): void {
  const sums = new Float64Array(p * q);
  out.fill(0, 0, p * q);
  for (let from = 0; from < n; from += gramChunk) {
    sums.fill(0);
    for (let i = from; i < Math.min(n, from + gramChunk); i++) {
      for (let k = 0, to = 0; k < p; k++) {
        const factor = weights ? weights[i] * a[i * p + k] : a[i * p + k];
        for (let c = 0; c < q; c++) sums[to++] += factor * b[i * q + c];
      }
    }
    for (let k = 0; k < p * q; k++) out[k] += sums[k];
  }
}

/**
 * out[n×q] = A·F₁ + B·F₂ + C·F₃, where F₁, F₂, F₃ are the rows of factors, one after the other, for a[n×p₁], b[n×p₂] and c[n×p₃]. A block
 * of no vectors may be null. `out` is none of them. 2·n·(p₁+p₂+p₃)·q flops.
 */
export function blockCombine(
  n: number,
  p1: number,
  p2: number,
  p3: number,
  q: number,
  a: Float64Array | null,
  b: Float64Array | null,
  c: Float64Array | null,
  factors: Float64Array,
  out: Float64Array,
): void {
  for (let i = 0, o = 0; i < n; i++, o += q) {
    out.fill(0, o, o + q);
    addRow(i, p1, q, 0, a, factors, o, out);
    addRow(i, p2, q, p1, b, factors, o, out);
    addRow(i, p3, q, p1 + p2, c, factors, o, out);
  }
}

/** Row `o`/q of out += row i of a[·×p]·(rows first … of factors). */
function addRow(
  i: number,
  p: number,
  q: number,
  first: number,
  a: Float64Array | null,
  factors: Float64Array,
  o: number,
  out: Float64Array,
): void {
  for (let k = 0; k < p; k++) {
    const entry = a![i * p + k];
    for (let j = 0, at = (first + k) * q; j < q; j++) out[o + j] += entry * factors[at + j];
  }
}

/** The plain twins, as in the table of all other kernels. */
export const plainBlocks = { blockProduct, blockSweep, blockResidual, blockCenter, blockGram, blockCombine };

export type BlockKernels = typeof plainBlocks;
