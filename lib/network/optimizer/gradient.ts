/** Gradients as optimizers take them: tensors, products xᵀ·δ, or products of which only the pattern is known yet. */

import { kernels } from '../../kernels/table.ts';
import type { CsrView } from '../../sparse/csr.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/** The gradient of one parameter; null where it has none. */
export type Gradient = Tensor | ProductGradient | null;

/** xᵀ·δ for few rows x that are mostly zeros, with xᵀ as CSR arrays: a row for each input, most of them empty. */
export interface ProductGradient extends CsrView {
  /** δ, a row for each row of x. */
  readonly delta: Tensor;
}

/** Gradients that are still to be computed. Rows known to have none can be moved before that. */
export interface PendingGradients {
  /** For parameters whose gradient will be a product: the row starts of xᵀ. A row without entries has no gradient. */
  readonly starts: readonly (Int32Array | null)[];
  compute(): readonly Gradient[];
}

/** The product itself, written to a matrix as large as the parameter. */
export function expandProduct({ starts, columns, values, delta }: ProductGradient, out: Tensor): Tensor {
  kernels.csrMatmul(out.rows, out.cols, starts, columns, values, delta.data, out.data, false);
  return out;
}
