/** Products of sparse matrices of any format with dense ones, in either precision. */

import { badKind, badValue } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import type { Floats } from '../../kernels/types.ts';
import { precisionOf, Tensor, zeros } from '../../tensor/tensor.ts';
import { productKernels } from '../../wasm/products-family.ts';
import { symmetricKernels } from '../../wasm/symmetric-family.ts';
import { CsrMatrix } from '../csr.ts';
import { BlockedMatrix } from './blocked.ts';
import { HalfMatrix } from './half.ts';
import { SlicedMatrix } from './sliced.ts';
import { transposedCopy } from './transposed.ts';

/** A sparse matrix: compressed rows, slices of eight rows, blocks of 4×4, or one half of a symmetric matrix. */
export type SparseMatrix = CsrMatrix | SlicedMatrix | BlockedMatrix | HalfMatrix;

/**
 * A·X, new, for X of the precision of A. The sums are of that precision; their bits depend on the format, not on the number of threads. X is finite: padding, and a diagonal that is not stored, multiply it by 0. For gradients, use `matmul`.
 */
export function sparseProduct(matrix: SparseMatrix, x: Tensor): Tensor {
  checkFactors('sparseProduct', matrix, x, 'cols');
  const product = zeros([matrix.rows, x.cols], x.precision);
  multiplyTo(matrix, x.cols, x.data, product.data);
  return product;
}

/** Options of `transposedProduct`. */
export interface TransposedProductOptions {
  /** Whether a copy of the transposed matrix is made and kept, together with the matrix, once that pays. Default: true. */
  readonly keepCopy?: boolean;
}

const transposedProductRules: Rules<TransposedProductOptions> = { keepCopy: 'boolean' };

/**
 * Aᵀ·X, new, for compressed rows and X of their precision. After some products with the same matrix, a copy of its transpose is made, which takes about as many bytes
 * as the matrix and is as fast as A·X. Entries of a column are added in the order of the rows: so bits depend neither on the copy nor on the number of threads. X is finite.
 */
export function transposedProduct(matrix: CsrMatrix, x: Tensor, options: TransposedProductOptions = {}): Tensor {
  if (!(matrix instanceof CsrMatrix)) throw badKind('transposedProduct', 'a CsrMatrix', matrix);
  checkFactors('transposedProduct', matrix, x, 'rows');
  checkOptions('transposedProduct', options, transposedProductRules);
  const { rows, cols, starts, columns, values } = matrix;
  const product = zeros([cols, x.cols], x.precision);
  const copy = (options.keepCopy ?? true) ? transposedCopy(matrix, x.cols) : null;
  if (copy) multiplyTo(copy, x.cols, x.data, product.data);
  else productKernels().csrTransposeProduct(rows, cols, x.cols, starts, columns, values, x.data, product.data);
  return product;
}

/** A·x to `out`, for arrays of the right lengths and precision. */
export function multiplyTo(matrix: SparseMatrix, width: number, x: Floats, out: Floats): void {
  const { csrProduct, slicedProduct, blockedProduct } = productKernels();
  if (matrix instanceof CsrMatrix) {
    csrProduct(matrix.rows, width, matrix.starts, matrix.columns, matrix.values, x, out);
  } else if (matrix instanceof SlicedMatrix) {
    const { rows, isOrdered, starts, order, columns, values } = matrix;
    slicedProduct(rows, width, isOrdered, starts, order, columns, values, x, out);
  } else if (matrix instanceof HalfMatrix) {
    const { rows, diagonal, starts, columns, values } = matrix;
    symmetricKernels().csrSymmetricMatmul(rows, width, diagonal, starts, columns, values, x, out);
  } else {
    const { rows, cols, starts, firsts, values } = matrix;
    blockedProduct(rows, cols, width, starts, firsts, values, x, out);
  }
}

/** Checks a product of the matrix, or of its transpose if x has as many rows as the matrix has rows. */
function checkFactors(caller: string, matrix: SparseMatrix, x: Tensor, side: 'rows' | 'cols'): void {
  if (![CsrMatrix, SlicedMatrix, BlockedMatrix, HalfMatrix].some((Format) => matrix instanceof Format)) {
    throw badKind(caller, 'a CsrMatrix, or what toSliced, toBlocked or toHalf returned', matrix);
  }
  if (!(x instanceof Tensor)) throw badKind(caller, 'x to be a tensor', x, 'tensor() makes one.');
  if (x.rows !== matrix[side]) throw badValue(caller, `x with ${matrix[side]} rows`, x.rows);
  const precision = precisionOf(matrix.values);
  if (x.precision !== precision) throw badValue(caller, `x of precision '${precision}' like the matrix`, x.precision);
}
