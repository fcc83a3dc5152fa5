/** The product of a sparse matrix and a dense one. */

import { kernels } from '../kernels/table.ts';
import { type Tensor, zeros } from '../tensor/tensor.ts';
import type { CsrMatrix } from './csr.ts';

/** A·X, new, for matrices of the same precision whose sizes agree. `matmul` checks that, and has a gradient. */
export function multiplyDense({ rows, starts, columns, values }: CsrMatrix, x: Tensor): Tensor {
  const product: Tensor = zeros([rows, x.cols], x.precision);
  kernels.csrMatmul(rows, x.cols, starts, columns, values, x.data, product.data, false);
  return product;
}
