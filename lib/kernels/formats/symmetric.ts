/** The product of a symmetric matrix, of which one half is stored, with a dense one. A family of its own, so that only `specnet/sparse` and benchmarks load its SIMD twin. */

import type { Floats } from '../types.ts';

/**
 * out[rows×width] = (D + S + Sᵀ)·x for D = diag(diagonal), S[rows×rows] in CSR and x[rows×width]: with S strictly upper triangular, every
 * entry is read once and used twice. `out` is not x. (2·rows + 4·nonzeros)·width flops.
 */
export function csrSymmetricMatmul(
  rows: number,
  width: number,
  diagonal: Floats,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
  x: Floats,
  out: Floats,
): void {
  out.fill(0, 0, rows * width);
  for (let i = 0; i < rows; i++) {
    const own = i * width;
    for (let c = 0; c < width; c++) out[own + c] += diagonal[i] * x[own + c];
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const value = values[e];
      for (let c = 0, other = columns[e] * width; c < width; c++, other++) {
        out[own + c] += value * x[other];
        out[other] += value * x[own + c];
      }
    }
  }
}

export const plainSymmetric = { csrSymmetricMatmul };

export type SymmetricKernels = typeof plainSymmetric;
