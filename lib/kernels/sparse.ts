/** How is a CSR matrix multiplied by a dense one? Row i holds entries starts[i] … starts[i+1]−1 of columns and values. */

import type { Floats } from './types.ts';

/**
 * out[rows×width] = S·x for S[rows×·] in CSR and x row-major with `width` columns, added to `out` if `accumulate`.
 * Sums in Float64, in the order of storage; in the SIMD twin in Float32. `values` may be of another type than x and
 * `out`. 2·nonzeros·width flops. `out` is not x.
 */
export function csrMatmul(
  rows: number,
  width: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
  x: Floats,
  out: Floats,
  accumulate: boolean,
): void {
  let c = 0;
  for (; c + 4 <= width; c += 4) csrFour(rows, width, c, starts, columns, values, x, out, accumulate);
  for (; c + 2 <= width; c += 2) csrTwo(rows, width, c, starts, columns, values, x, out, accumulate);
  for (; c < width; c++) csrOne(rows, width, c, starts, columns, values, x, out, accumulate);
}

/**
 * out[count×width], row i = row rows[i] of S·x: the product for a batch, without a copy of its rows. x and `out` as above,
 * rows may repeat. Sums in Float64, even and odd entries apart; in the SIMD twin in Float32. 2·width flops for each entry.
 */
export function csrRowsMatmul(
  count: number,
  width: number,
  rows: Int32Array,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
  x: Floats,
  out: Floats,
): void {
  for (let i = 0; i < count; i++) {
    const start = starts[rows[i]];
    const end = starts[rows[i] + 1];
    let c = 0;
    for (; c + 2 <= width; c += 2) csrRowTwo(width, c, start, end, columns, values, x, i * width, out);
    if (c < width) csrRowOne(width, c, start, end, columns, values, x, i * width, out);
  }
}

/** out[cols×width] += Sᵀ·x for S[rows×cols] in CSR and x[rows×width]; set to zero first unless `accumulate`. */
export function csrTransposeMatmul(
  rows: number,
  cols: number,
  width: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
  x: Floats,
  out: Floats,
  accumulate: boolean,
): void {
  if (!accumulate) out.fill(0, 0, cols * width);
  for (let i = 0; i < rows; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const value = values[e];
      for (let j = 0, at = columns[e] * width; j < width; j++, at++) out[at] += value * x[i * width + j];
    }
  }
}

/** out[i] = sum of row i, in Float64: the degrees of a graph. */
export function csrRowSums(rows: number, starts: Int32Array, values: Floats, out: Float64Array): void {
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) sum += values[e];
    out[i] = sum;
  }
}

/** Columns c … c+3 of the product. */
function csrFour(
  rows: number,
  width: number,
  c: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
  x: Floats,
  out: Floats,
  accumulate: boolean,
): void {
  for (let i = 0, o = c; i < rows; i++, o += width) {
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const value = values[e];
      const at = columns[e] * width + c;
      s0 += value * x[at];
      s1 += value * x[at + 1];
      s2 += value * x[at + 2];
      s3 += value * x[at + 3];
    }
    out[o] = accumulate ? out[o] + s0 : s0;
    out[o + 1] = accumulate ? out[o + 1] + s1 : s1;
    out[o + 2] = accumulate ? out[o + 2] + s2 : s2;
    out[o + 3] = accumulate ? out[o + 3] + s3 : s3;
  }
}

/** Columns c and c+1 of the product. */
function csrTwo(
  rows: number,
  width: number,
  c: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
  x: Floats,
  out: Floats,
  accumulate: boolean,
): void {
  for (let i = 0, o = c; i < rows; i++, o += width) {
    let s0 = 0;
    let s1 = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const value = values[e];
      const at = columns[e] * width + c;
      s0 += value * x[at];
      s1 += value * x[at + 1];
    }
    out[o] = accumulate ? out[o] + s0 : s0;
    out[o + 1] = accumulate ? out[o + 1] + s1 : s1;
  }
}

/** Column c of the product. */
function csrOne(
  rows: number,
  width: number,
  c: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
  x: Floats,
  out: Floats,
  accumulate: boolean,
): void {
  for (let i = 0, o = c; i < rows; i++, o += width) {
    let sum = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) sum += values[e] * x[columns[e] * width + c];
    out[o] = accumulate ? out[o] + sum : sum;
  }
}

/** Columns c and c+1 of one row of the product, to out[o + c] and the next. */
function csrRowTwo(
  width: number,
  c: number,
  start: number,
  end: number,
  columns: Int32Array,
  values: Floats,
  x: Floats,
  o: number,
  out: Floats,
): void {
  let s0 = 0;
  let s1 = 0;
  let t0 = 0;
  let t1 = 0;
  let e = start;
  for (; e + 2 <= end; e += 2) {
    const s = columns[e] * width + c;
    const t = columns[e + 1] * width + c;
    s0 += values[e] * x[s];
    s1 += values[e] * x[s + 1];
    t0 += values[e + 1] * x[t];
    t1 += values[e + 1] * x[t + 1];
  }
  if (e < end) {
    s0 += values[e] * x[columns[e] * width + c];
    s1 += values[e] * x[columns[e] * width + c + 1];
  }
  out[o + c] = s0 + t0;
  out[o + c + 1] = s1 + t1;
}

/** Column c of one row of the product, to out[o + c]. */
function csrRowOne(
  width: number,
  c: number,
  start: number,
  end: number,
  columns: Int32Array,
  values: Floats,
  x: Floats,
  o: number,
  out: Floats,
): void {
  let s = 0;
  let t = 0;
  let e = start;
  for (; e + 2 <= end; e += 2) {
    s += values[e] * x[columns[e] * width + c];
    t += values[e + 1] * x[columns[e + 1] * width + c];
  }
  if (e < end) s += values[e] * x[columns[e] * width + c];
  out[o + c] = s + t;
}
