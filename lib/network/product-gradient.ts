/** What is the gradient of a first layer on sparse points? A product xᵀ·δ of few rows, which need not be made to be used. */

import { kernels } from '../kernels/table.ts';
import type { Floats } from '../kernels/types.ts';
import type { Tensor } from '../tensor/tensor.ts';

export interface ProductGradient {
  /** xᵀ as CSR arrays: a row for each input, most of them empty. */
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly values: Floats;
  /** δ, a row for each row of x. */
  readonly arrived: Tensor;
}

/** The product itself, into a matrix as large as the parameter. */
export function expandProduct({ starts, columns, values, arrived }: ProductGradient, out: Tensor): Tensor {
  kernels.csrMatmul(out.rows, out.cols, starts, columns, values, arrived.data, out.data, false);
  return out;
}
