/** Permutations of the rows and columns of a sparse matrix. */

import { transpose } from '../combine.ts';
import { checkCsr, type CsrMatrix } from '../csr.ts';
import { checkPermutation } from '../indices.ts';
import { checkSquare } from '../inspect.ts';
import { takeRows } from '../slices/slice.ts';

/** Row i of the result is row order[i]. */
export function permuteRows(matrix: CsrMatrix, order: ArrayLike<number>): CsrMatrix {
  checkCsr('permuteRows', matrix);
  return takeRows('permuteRows', matrix, checkPermutation('permuteRows', order, matrix.rows));
}

/** P·A·Pᵀ = (P·(P·A)ᵀ)ᵀ: entry (i, j) of the result is entry (order[i], order[j]). O(rows + nonzeros). */
export function permute(matrix: CsrMatrix, order: ArrayLike<number>): CsrMatrix {
  checkSquare('permute', matrix);
  const checked = checkPermutation('permute', order, matrix.rows);
  const transposed = transpose(takeRows('permute', matrix, checked));
  return transpose(takeRows('permute', transposed, checked));
}
