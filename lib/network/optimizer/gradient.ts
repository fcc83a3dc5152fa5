/** Gradients for optimizers: tensors, products xᵀ·δ, and gradients that are not computed yet. */

import { kernels } from '../../kernels/table.ts';
import type { CsrView } from '../../sparse/csr.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/** The gradient of one parameter. Null for a parameter that does not move. */
export type Gradient = Tensor | ProductGradient | null;

/** xᵀ·δ for few rows x that are mostly zeros, with xᵀ as CSR arrays: a row for each input, most of them empty. */
export interface ProductGradient extends CsrView {
  /** δ, a row for each row of x. */
  readonly delta: Tensor;
}

/** Gradients that are not computed yet. Rows known to have no gradient can be moved before. */
export interface PendingGradients {
  /** By parameter, and perhaps for the first ones only: the row starts of xᵀ, if the gradient will be a product. A row without entries has no gradient. */
  readonly starts: readonly (Int32Array | null)[];
  compute(): readonly Gradient[];
}

/** The product itself, written to a matrix as large as the parameter. */
export function expandProduct({ starts, columns, values, delta }: ProductGradient, out: Tensor): Tensor {
  kernels.csrMatmul(out.rows, out.cols, starts, columns, values, delta.data, out.data, false);
  return out;
}
