/**
 * Kernels on blocks of Float64 vectors, for the multilevel eigensolver. A block of `width` vectors is row-major: row i holds entry
 * i of each. Entries begins[i] … ends[i]−1 of `columns` and `weights` are row i of a sparse matrix, or a part of it.
 */

import type { Floats } from './types.ts';

/**
 * Row i of out ← factors[i]·(row i of x) − Σₑ weights[e]·(row columns[e] of x) for from ≤ i < to; with factors null, the sum
 * itself, with a plus sign. `out` is not x. 2·entries·width flops.
 */
export function blockProduct(
  from: number,
  to: number,
  width: number,
  begins: Int32Array,
  ends: Int32Array,
  columns: Int32Array,
  weights: Floats,
  factors: Float64Array | null,
  x: Float64Array,
  out: Float64Array,
): void {
  let c = 0;
  for (; c + 4 <= width; c += 4) productFour(from, to, width, c, begins, ends, columns, weights, factors, x, out);
  for (; c + 2 <= width; c += 2) productTwo(from, to, width, c, begins, ends, columns, weights, factors, x, out);
  if (c < width) productOne(from, to, width, c, begins, ends, columns, weights, factors, x, out);
}

/**
 * Row i of x ← factors[i]·(row i of b + Σₑ weights[e]·(row columns[e] of x)), in place, for i = first, first + step, … (`count` rows;
 * step 1 or −1): a sweep of Gauss-Seidel. 2·entries·width flops.
 */
export function blockSweep(
  first: number,
  count: number,
  step: number,
  width: number,
  begins: Int32Array,
  ends: Int32Array,
  columns: Int32Array,
  weights: Floats,
  factors: Float64Array,
  b: Float64Array,
  x: Float64Array,
): void {
  let c = 0;
  for (; c + 4 <= width; c += 4) sweepFour(first, count, step, width, c, begins, ends, columns, weights, factors, b, x);
  for (; c + 2 <= width; c += 2) sweepTwo(first, count, step, width, c, begins, ends, columns, weights, factors, b, x);
  if (c < width) sweepOne(first, count, step, width, c, begins, ends, columns, weights, factors, b, x);
}

/** Columns c … c+3 of the product. */
function productFour(
  from: number,
  to: number,
  width: number,
  c: number,
  begins: Int32Array,
  ends: Int32Array,
  columns: Int32Array,
  weights: Floats,
  factors: Float64Array | null,
  x: Float64Array,
  out: Float64Array,
): void {
  for (let i = from, o = from * width + c; i < to; i++, o += width) {
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let e = begins[i]; e < ends[i]; e++) {
      const weight = weights[e];
      const at = columns[e] * width + c;
      s0 += weight * x[at];
      s1 += weight * x[at + 1];
      s2 += weight * x[at + 2];
      s3 += weight * x[at + 3];
    }
    out[o] = factors ? factors[i] * x[o] - s0 : s0;
    out[o + 1] = factors ? factors[i] * x[o + 1] - s1 : s1;
    out[o + 2] = factors ? factors[i] * x[o + 2] - s2 : s2;
    out[o + 3] = factors ? factors[i] * x[o + 3] - s3 : s3;
  }
}

/** Columns c and c+1 of the product. */
function productTwo(
  from: number,
  to: number,
  width: number,
  c: number,
  begins: Int32Array,
  ends: Int32Array,
  columns: Int32Array,
  weights: Floats,
  factors: Float64Array | null,
  x: Float64Array,
  out: Float64Array,
): void {
  for (let i = from, o = from * width + c; i < to; i++, o += width) {
    let s0 = 0;
    let s1 = 0;
    for (let e = begins[i]; e < ends[i]; e++) {
      const weight = weights[e];
      const at = columns[e] * width + c;
      s0 += weight * x[at];
      s1 += weight * x[at + 1];
    }
    out[o] = factors ? factors[i] * x[o] - s0 : s0;
    out[o + 1] = factors ? factors[i] * x[o + 1] - s1 : s1;
  }
}

/** Column c of the product. */
function productOne(
  from: number,
  to: number,
  width: number,
  c: number,
  begins: Int32Array,
  ends: Int32Array,
  columns: Int32Array,
  weights: Floats,
  factors: Float64Array | null,
  x: Float64Array,
  out: Float64Array,
): void {
  for (let i = from, o = from * width + c; i < to; i++, o += width) {
    let sum = 0;
    for (let e = begins[i]; e < ends[i]; e++) sum += weights[e] * x[columns[e] * width + c];
    out[o] = factors ? factors[i] * x[o] - sum : sum;
  }
}

/** Columns c … c+3 of the sweep. */
function sweepFour(
  first: number,
  count: number,
  step: number,
  width: number,
  c: number,
  begins: Int32Array,
  ends: Int32Array,
  columns: Int32Array,
  weights: Floats,
  factors: Float64Array,
  b: Float64Array,
  x: Float64Array,
): void {
  for (let i = first, k = 0; k < count; i += step, k++) {
    const o = i * width + c;
    let s0 = b[o];
    let s1 = b[o + 1];
    let s2 = b[o + 2];
    let s3 = b[o + 3];
    for (let e = begins[i]; e < ends[i]; e++) {
      const weight = weights[e];
      const at = columns[e] * width + c;
      s0 += weight * x[at];
      s1 += weight * x[at + 1];
      s2 += weight * x[at + 2];
      s3 += weight * x[at + 3];
    }
    const factor = factors[i];
    x[o] = factor * s0;
    x[o + 1] = factor * s1;
    x[o + 2] = factor * s2;
    x[o + 3] = factor * s3;
  }
}

/** Columns c and c+1 of the sweep. */
function sweepTwo(
  first: number,
  count: number,
  step: number,
  width: number,
  c: number,
  begins: Int32Array,
  ends: Int32Array,
  columns: Int32Array,
  weights: Floats,
  factors: Float64Array,
  b: Float64Array,
  x: Float64Array,
): void {
  for (let i = first, k = 0; k < count; i += step, k++) {
    const o = i * width + c;
    let s0 = b[o];
    let s1 = b[o + 1];
    for (let e = begins[i]; e < ends[i]; e++) {
      const weight = weights[e];
      const at = columns[e] * width + c;
      s0 += weight * x[at];
      s1 += weight * x[at + 1];
    }
    x[o] = factors[i] * s0;
    x[o + 1] = factors[i] * s1;
  }
}

/** Column c of the sweep. */
function sweepOne(
  first: number,
  count: number,
  step: number,
  width: number,
  c: number,
  begins: Int32Array,
  ends: Int32Array,
  columns: Int32Array,
  weights: Floats,
  factors: Float64Array,
  b: Float64Array,
  x: Float64Array,
): void {
  for (let i = first, k = 0; k < count; i += step, k++) {
    const o = i * width + c;
    let sum = b[o];
    for (let e = begins[i]; e < ends[i]; e++) sum += weights[e] * x[columns[e] * width + c];
    x[o] = factors[i] * sum;
  }
}
