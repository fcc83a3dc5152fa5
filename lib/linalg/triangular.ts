/** Solutions of equations with a triangular matrix on either side of X, and triangular inverses. */

import { badValue, placeOf } from '../core/check.ts';
import type { Rules } from '../core/options.ts';
import type { Floats } from '../kernels/types.ts';

/** The half of a triangular matrix that holds its entries, including the diagonal. */
export type Triangle = 'lower' | 'upper';

/** Which triangle holds the entries of a matrix. */
export interface TriangularOptions {
  /** Where T's entries are; the rest must be zeros. Default: 'lower'. */
  readonly triangle?: Triangle;
}

export const triangularRules = { triangle: ['lower', 'upper'] } as const satisfies Rules<TriangularOptions>;

/** The side of X on which the triangular matrix T is, and whether it is transposed. */
export interface SolveTriangularOptions extends TriangularOptions {
  /** 'left' solves T·X = B, 'right' solves X·T = B. Default: 'left'. */
  readonly side?: 'left' | 'right';
  /** Use Tᵀ instead of T: Tᵀ·X = B, or X·Tᵀ = B. */
  readonly transposed?: boolean;
}

export const solveTriangularRules = {
  ...triangularRules,
  side: ['left', 'right'],
  transposed: 'boolean',
} as const satisfies Rules<SolveTriangularOptions>;

/**
 * x[k×cols] ← the solution X of T·X = x, or of Tᵀ·X = x if `transposed`; t[k×k] has its entries in the lower triangle or
 * the upper one, the other is not read. No pivot is zero. k²·cols flops.
 */
export function solveLeftInPlace(
  k: number,
  cols: number,
  lower: boolean,
  transposed: boolean,
  t: Float64Array,
  x: Float64Array,
): void {
  if (cols === 1) return solveVectorInPlace(k, lower, transposed, t, x);
  const forward = lower !== transposed;
  for (let step = 0; step < k; step++) {
    const i = forward ? step : k - 1 - step;
    // Both cases read t along its rows: for T the factors of unknowns already solved, for Tᵀ those of unknowns still to solve.
    if (!transposed) {
      const [from, to] = forward ? [0, i] : [i + 1, k];
      for (let p = from; p < to; p++) subtractRow(cols, t[i * k + p], p, i, x);
    }
    const pivot = t[i * k + i];
    for (let c = 0; c < cols; c++) x[i * cols + c] /= pivot;
    if (transposed) {
      const [from, to] = forward ? [i + 1, k] : [0, i];
      for (let p = from; p < to; p++) subtractRow(cols, t[i * k + p], i, p, x);
    }
  }
}

/** The same for one right-hand side, the most frequent case of large systems, without an inner loop. */
function solveVectorInPlace(k: number, lower: boolean, transposed: boolean, t: Float64Array, x: Float64Array): void {
  const forward = lower !== transposed;
  for (let step = 0; step < k; step++) {
    const i = forward ? step : k - 1 - step;
    const row = i * k;
    const from = forward === transposed ? i + 1 : 0;
    const to = forward === transposed ? k : i;
    if (transposed) {
      const value = (x[i] /= t[row + i]);
      for (let p = from; p < to; p++) x[p] -= t[row + p] * value;
    } else {
      let even = 0;
      let odd = 0;
      let p = from;
      for (; p + 1 < to; p += 2) {
        even += t[row + p] * x[p];
        odd += t[row + p + 1] * x[p + 1];
      }
      if (p < to) even += t[row + p] * x[p];
      x[i] = (x[i] - (even + odd)) / t[row + i];
    }
  }
}

/** Row `to` of x minus a factor times row `from`. */
function subtractRow(cols: number, factor: number, from: number, to: number, x: Float64Array): void {
  for (let c = 0; c < cols; c++) x[to * cols + c] -= factor * x[from * cols + c];
}

/**
 * x[rows×k] ← the solution X of X·T = x, or of X·Tᵀ = x if `transposed`; t as above. x is of either precision: a row is
 * solved in `row`, k numbers of Float64 that are overwritten, and rounded once. rows·k² flops.
 */
export function solveRightInPlace(
  rows: number,
  k: number,
  lower: boolean,
  transposed: boolean,
  t: Float64Array,
  row: Float64Array,
  x: Floats,
): void {
  const down = transposed ? 1 : k;
  const right = transposed ? k : 1;
  const forward = lower === transposed;
  for (let i = 0; i < rows; i++) {
    for (let step = 0; step < k; step++) {
      const j = forward ? step : k - 1 - step;
      let rest = x[i * k + j];
      for (let solved = 0; solved < step; solved++) {
        const p = forward ? solved : k - 1 - solved;
        rest -= row[p] * t[p * down + j * right];
      }
      row[j] = rest / t[j * k + j];
    }
    for (let j = 0; j < k; j++) x[i * k + j] = row[j];
  }
}

/** out[k×k] = t⁻¹ with zeros in the other triangle, which is not read of t; out is not t. No pivot is zero. k³/3 flops. */
export function invertTriangularInto(k: number, lower: boolean, t: Float64Array, out: Float64Array): void {
  // An upper matrix is the transpose of a lower one, and so is its inverse: only the strides are swapped.
  const down = lower ? k : 1;
  const right = lower ? 1 : k;
  for (let j = 0; j < k; j++) {
    for (let i = 0; i < j; i++) out[i * down + j * right] = 0;
    out[j * k + j] = 1 / t[j * k + j];
    for (let i = j + 1; i < k; i++) {
      let sum = 0;
      for (let p = j; p < i; p++) sum -= t[i * down + p * right] * out[p * down + j * right];
      out[i * down + j * right] = sum / t[i * k + i];
    }
  }
}

/**
 * Refuses entries outside of the triangle and pivots that are zero or rounding. A pivot is measured against the row of a
 * lower matrix, the column of an upper one: in L·Lᵀ and Q·R that is the vector it is left over from, so that badly scaled
 * but independent vectors pass.
 */
export function checkTriangular(caller: string, k: number, triangle: Triangle, t: Floats): void {
  const line = triangle === 'lower' ? 'row' : 'column';
  for (let i = 0; i < k; i++) {
    let largest = 0;
    for (let j = 0; j < k; j++) {
      const at = triangle === 'lower' ? i * k + j : j * k + i;
      if (j <= i) largest = Math.max(largest, Math.abs(t[at]));
      else if (t[at] !== 0) {
        throw badValue(caller, `t to be ${triangle} triangular`, `${t[at]} at ${placeOf(at, k)}`);
      }
    }
    const pivot = t[i * k + i];
    if (!(Math.abs(pivot) > k * Number.EPSILON * largest)) {
      const got = `pivot ${i} of value ${pivot}, the largest entry of its ${line} being ${largest}`;
      throw badValue(caller, 'an invertible t', got, `Drop ${line} ${i}.`);
    }
  }
}
