/**
 * Products of dense matrices. All are row-major, and `out` is none of the inputs. Sums run in Float64 here and are rounded
 * once; the SIMD twins sum blocks of 512 terms in Float32, with an error of at most (512 + k/512)·ε·Σ|aᵢbᵢ|.
 */

import { activate } from './elementwise.ts';
import type { Activation, Floats } from './types.ts';

type Matmul = (m: number, n: number, k: number, a: Floats, b: Floats, out: Floats, accumulate: boolean) => void;

/** out[m×n] = a[m×k]·b[k×n], added to `out` if `accumulate`. 2mnk flops. */
export const matmul: Matmul = (m, n, k, a, b, out, accumulate) => {
  multiply(m, n, k, a, k, 1, b, n, 1, out, accumulate);
};

/** out[m×n] = aᵀ·b with a[k×m], b[k×n]. */
export const matmulTransposeA: Matmul = (m, n, k, a, b, out, accumulate) => {
  multiply(m, n, k, a, 1, m, b, n, 1, out, accumulate);
};

/** out[m×n] = a·bᵀ with a[m×k], b[n×k]. */
export const matmulTransposeB: Matmul = (m, n, k, a, b, out, accumulate) => {
  multiply(m, n, k, a, k, 1, b, 1, k, out, accumulate);
};

/** out[m×n] = activation(x[m×k]·weights[k×n] + bias[n]); bias null for none. */
export function dense(
  activation: Activation,
  m: number,
  n: number,
  k: number,
  x: Floats,
  weights: Floats,
  bias: Floats | null,
  out: Floats,
): void {
  if (bias) {
    for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) out[i * n + j] = bias[j];
  }
  matmul(m, n, k, x, weights, out, bias !== null);
  if (activation !== 'identity') activate(activation, m * n, out, out);
}

/** out[i,j] = ‖a_i − b_j‖² of the rows of a[m×d] and b[n×d]; differences first, so that near points keep their digits. 3mnd flops. */
export function squaredDistances(m: number, n: number, d: number, a: Floats, b: Floats, out: Floats): void {
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let p = 0; p < d; p++) {
        const difference = a[i * d + p] - b[j * d + p];
        sum += difference * difference;
      }
      out[i * n + j] = sum;
    }
  }
}

/**
 * The one product behind the three: element (i, p) of A at i·aRow + p·aCol, (p, j) of B at p·bRow + j·bCol.
 * Tiles of 2×4 keep eight sums in registers.
 */
function multiply(
  m: number,
  n: number,
  k: number,
  a: Floats,
  aRow: number,
  aCol: number,
  b: Floats,
  bRow: number,
  bCol: number,
  out: Floats,
  accumulate: boolean,
): void {
  const wide = n - (n % 4);
  const tall = m - (m % 2);
  for (let i = 0; i < tall; i += 2) {
    for (let j = 0; j < wide; j += 4) {
      let s00 = 0;
      let s01 = 0;
      let s02 = 0;
      let s03 = 0;
      let s10 = 0;
      let s11 = 0;
      let s12 = 0;
      let s13 = 0;
      let ia = i * aRow;
      let ib = j * bCol;
      for (let p = 0; p < k; p++) {
        const a0 = a[ia];
        const a1 = a[ia + aRow];
        const b0 = b[ib];
        const b1 = b[ib + bCol];
        const b2 = b[ib + 2 * bCol];
        const b3 = b[ib + 3 * bCol];
        s00 += a0 * b0;
        s01 += a0 * b1;
        s02 += a0 * b2;
        s03 += a0 * b3;
        s10 += a1 * b0;
        s11 += a1 * b1;
        s12 += a1 * b2;
        s13 += a1 * b3;
        ia += aCol;
        ib += bRow;
      }
      const o = i * n + j;
      out[o] = accumulate ? out[o] + s00 : s00;
      out[o + 1] = accumulate ? out[o + 1] + s01 : s01;
      out[o + 2] = accumulate ? out[o + 2] + s02 : s02;
      out[o + 3] = accumulate ? out[o + 3] + s03 : s03;
      out[o + n] = accumulate ? out[o + n] + s10 : s10;
      out[o + n + 1] = accumulate ? out[o + n + 1] + s11 : s11;
      out[o + n + 2] = accumulate ? out[o + n + 2] + s12 : s12;
      out[o + n + 3] = accumulate ? out[o + n + 3] + s13 : s13;
    }
  }
  for (let i = 0; i < m; i++) {
    for (let j = i < tall ? wide : 0; j < n; j++) {
      let sum = 0;
      for (let p = 0; p < k; p++) sum += a[i * aRow + p * aCol] * b[p * bRow + j * bCol];
      out[i * n + j] = accumulate ? out[i * n + j] + sum : sum;
    }
  }
}
