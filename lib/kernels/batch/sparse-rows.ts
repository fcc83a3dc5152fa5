/** Products of listed rows of a CSR matrix with a dense one. */

import { activate } from '../elementwise.ts';
import { addBias } from '../rows.ts';
import type { Floats } from '../types.ts';

/**
 * out[count×width], row i = max(row rows[i] of S·x + bias, floor): the product for a batch, without a copy of its rows.
 * `floor` is 0, ReLU, or −Infinity, no effect. x is row-major with `width` columns, and rows may repeat. `values` may have another type
 * than x and `out`. `out` is not x. Sums are in Float64, separately for even and odd entries; the SIMD twin sums in
 * Float32. 2·width flops for each entry.
 */
export function csrRowsMatmul(
  count: number,
  width: number,
  rows: Int32Array,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
  x: Floats,
  bias: Floats | null,
  floor: number,
  out: Floats,
): void {
  for (let i = 0; i < count; i++) {
    const start = starts[rows[i]];
    const end = starts[rows[i] + 1];
    let c = 0;
    for (; c + 2 <= width; c += 2) csrRowTwo(width, c, start, end, columns, values, x, i * width, out);
    if (c < width) csrRowOne(width, c, start, end, columns, values, x, i * width, out);
  }
  if (bias) addBias(count, width, out, bias, out);
  if (floor === 0) activate('relu', count * width, out, out);
}

/** Columns from c on of the row with entries start … end−1 of the product, to out[o + c] and what follows. */
type CsrRowColumns = (
  width: number,
  c: number,
  start: number,
  end: number,
  columns: Int32Array,
  values: Floats,
  x: Floats,
  o: number,
  out: Floats,
) => void;

/** Columns c and c+1. */
const csrRowTwo: CsrRowColumns = (width, c, start, end, columns, values, x, o, out) => {
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
};

/** Column c. */
const csrRowOne: CsrRowColumns = (width, c, start, end, columns, values, x, o, out) => {
  let s = 0;
  let t = 0;
  let e = start;
  for (; e + 2 <= end; e += 2) {
    s += values[e] * x[columns[e] * width + c];
    t += values[e + 1] * x[columns[e + 1] * width + c];
  }
  if (e < end) s += values[e] * x[columns[e] * width + c];
  out[o + c] = s + t;
};

export const plainSparseRows = { csrRowsMatmul };

export type SparseRowsKernels = typeof plainSparseRows;
