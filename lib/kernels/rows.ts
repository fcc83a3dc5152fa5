/** Operations on whole rows and columns of a row-major matrix. */

import type { Floats } from './types.ts';

/** out[count×cols], row i = row rows[i] of x. Rows may repeat. */
export function gatherRows(count: number, cols: number, rows: Int32Array, x: Floats, out: Floats): void {
  for (let i = 0; i < count; i++) {
    const from = rows[i] * cols;
    for (let j = 0; j < cols; j++) out[i * cols + j] = x[from + j];
  }
}

/** out[i,j] = factors[i]·x[i,j], added to `out` if `accumulate`. `factors` may be of either type. */
export function scaleRows(
  rows: number,
  cols: number,
  factors: Floats,
  x: Floats,
  out: Floats,
  accumulate: boolean,
): void {
  for (let i = 0; i < rows; i++) {
    for (let j = 0, at = i * cols; j < cols; j++, at++) {
      const scaled = factors[i] * x[at];
      out[at] = accumulate ? out[at] + scaled : scaled;
    }
  }
}

/** out[i,j] = x[i,j] + bias[j]; `out` may be x. */
export function addBias(rows: number, cols: number, x: Floats, bias: Floats, out: Floats): void {
  for (let i = 0; i < rows; i++) {
    for (let j = 0, at = i * cols; j < cols; j++, at++) out[at] = x[at] + bias[j];
  }
}

/** out[j] = Σᵢ x[i,j], added to `out` if `accumulate`. In the precision of `out`. */
export function columnSums(rows: number, cols: number, x: Floats, out: Floats, accumulate: boolean): void {
  if (!accumulate) out.fill(0, 0, cols);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) out[j] += x[i * cols + j];
  }
}

/** out[cols×rows] = xᵀ, added to `out` if `accumulate`; `out` is not x. */
export function transpose(rows: number, cols: number, x: Floats, out: Floats, accumulate: boolean): void {
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) {
      const at = j * rows + i;
      out[at] = accumulate ? out[at] + x[i * cols + j] : x[i * cols + j];
    }
  }
}
