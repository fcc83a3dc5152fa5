/** Properties of sparse matrices: row sums, diagonal, entries, asymmetry, bandwidth. */

import { badValue } from '../core/check.ts';
import { firstAtLeast } from '../core/search.ts';
import { reduceKernels } from '../wasm/families.ts';
import type { Floats } from '../kernels/types.ts';
import { type Tensor, zeros } from '../tensor/tensor.ts';
import type { Triplets } from './build.ts';
import { checkCsr, type CsrMatrix, rowOfEach } from './csr.ts';
import { transpose } from './combine.ts';

/** The sum of every row, in Float64. For the weights of a graph: the degrees. */
export function rowSums(matrix: CsrMatrix): Float64Array {
  checkCsr('rowSums', matrix);
  const sums = new Float64Array(matrix.rows);
  reduceKernels().csrRowSums(matrix.rows, matrix.starts, matrix.values, sums);
  return sums;
}

/** Entries (i, i), as many as the shorter side; 0 if not stored. O(rows·log of the longest row). */
export function diagonal(matrix: CsrMatrix): Float64Array {
  checkCsr('diagonal', matrix);
  const result = new Float64Array(Math.min(matrix.rows, matrix.cols));
  for (let i = 0; i < result.length; i++) result[i] = entry(matrix, i, i);
  return result;
}

/** The dense matrix with the same entries, in the same precision. */
export function toDense(matrix: CsrMatrix): Tensor {
  checkCsr('toDense', matrix);
  const dense = zeros([matrix.rows, matrix.cols], matrix.precision);
  for (let i = 0; i < matrix.rows; i++) {
    for (let e = matrix.starts[i]; e < matrix.starts[i + 1]; e++) {
      dense.data[i * matrix.cols + matrix.columns[e]] = matrix.values[e];
    }
  }
  return dense;
}

/** The stored entries in new arrays, sorted by row, then by column. */
export function toTriplets(matrix: CsrMatrix): Triplets<Int32Array, Floats> {
  checkCsr('toTriplets', matrix);
  return { rows: rowOfEach(matrix.starts), columns: matrix.columns.slice(), values: matrix.values.slice() };
}

/** max |aᵢⱼ − aⱼᵢ|: 0 for a symmetric matrix. O(nonzeros). */
export function asymmetry(matrix: CsrMatrix): number {
  checkSquare('asymmetry', matrix);
  let worst = 0;
  forEachPair(matrix, (a, b) => {
    worst = Math.max(worst, Math.abs(a - b));
  });
  return worst;
}

/** Calls `visit` with aᵢⱼ and aⱼᵢ, row by row, where one of them is stored. The other one counts as 0. O(nonzeros). */
export function forEachPair(
  matrix: CsrMatrix,
  visit: (a: number, b: number, i: number, j: number, bothStored: boolean) => void,
): void {
  const { rows, starts, columns, values } = matrix;
  const mirror = transpose(matrix);
  for (let i = 0, p = 0, q = 0; i < rows; i++) {
    while (p < starts[i + 1] || q < mirror.starts[i + 1]) {
      const left = p < starts[i + 1] ? columns[p] : rows;
      const right = q < mirror.starts[i + 1] ? mirror.columns[q] : rows;
      const a = left <= right ? values[p++] : 0;
      const b = right <= left ? mirror.values[q++] : 0;
      visit(a, b, i, Math.min(left, right), left === right);
    }
  }
}

/** max |i − j| over the stored entries: how far from the diagonal a product with the matrix reads. */
export function bandwidth(matrix: CsrMatrix): number {
  checkCsr('bandwidth', matrix);
  let widest = 0;
  for (let i = 0; i < matrix.rows; i++) {
    const start = matrix.starts[i];
    const end = matrix.starts[i + 1];
    if (start < end) widest = Math.max(widest, i - matrix.columns[start], matrix.columns[end - 1] - i);
  }
  return widest;
}

export function checkSquare(caller: string, matrix: CsrMatrix): void {
  checkCsr(caller, matrix);
  if (matrix.rows !== matrix.cols) throw badValue(caller, 'a square matrix', `${matrix.rows}×${matrix.cols}`);
}

function entry({ starts, columns, values }: CsrMatrix, row: number, column: number): number {
  const end = starts[row + 1];
  const at = firstAtLeast(columns, column, starts[row], end);
  return at < end && columns[at] === column ? values[at] : 0;
}
