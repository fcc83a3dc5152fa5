/** What is the gradient of a layer whose inputs are few rows, mostly zeros? A product xᵀ·δ, which need not be made to be used. */

import { pullBias } from '../../autodiff/arithmetic.ts';
import type { Operation } from '../../autodiff/operation.ts';
import { dense, slopeTimesGradient } from '../../autodiff/products.ts';
import { kernels } from '../../kernels/table.ts';
import type { Activation } from '../../kernels/types.ts';
import type { CsrArrays } from '../../sparse/csr.ts';
import { allocateIndices } from '../../sparse/indices.ts';
import { Buffer } from '../../tensor/buffer.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { batchKernels } from '../../wasm/simd/batch/twins.ts';
import type { Layer } from '../bodies/mlp.ts';
import { ZeroSkipper } from '../layers/zero-skipper.ts';

/** xᵀ as CSR arrays, a row for each input, most of them empty. */
export interface ProductGradient extends CsrArrays {
  /** δ, a row for each row of x. */
  readonly arrived: Tensor;
}

/** The product itself, into a matrix as large as the parameter, or added to what is there. */
export function expandProduct(
  { starts, columns, values, arrived }: ProductGradient,
  out: Tensor,
  accumulate = false,
): Tensor {
  kernels.csrMatmul(out.rows, out.cols, starts, columns, values, arrived.data, out.data, accumulate);
  return out;
}

/** Few rows that come out of relu, by what is left of them, on their way through a layer. */
interface FewRows {
  readonly activation: Activation;
  readonly left: CsrArrays;
}

/**
 * `dense` for such rows, of which nobody asks the weights' gradient: that is a product. The rows' own gradient is made where
 * they are not 0, since the relu that they come out of lets nothing else pass; it is the whole of it: nothing else may
 * depend on these rows.
 */
export const denseOfFew: Operation<FewRows> = {
  name: 'dense',
  shape: (inputs, { activation }, caller) => dense.shape(inputs, activation, caller),
  forward: ({ params: { activation }, ...call }, value) => dense.forward({ ...call, params: activation }, value),
  prepare: (call) => slopeTimesGradient(call.params.activation, call),
  pullbacks: [
    ({ inputs: [, weights], params: { left }, gradient: { rows, cols, data } }, into) =>
      batchKernels().sampledProduct(rows, weights.rows, cols, left.starts, left.columns, data, weights.data, into.data),
    () => {},
    pullBias,
  ],
};

/** Makes what is known before δ of the product for one layer, in buffers that are used again: good until the next call. */
export class ProductMaker {
  readonly #starts: Int32Array;
  #columns = allocateIndices(0);
  readonly #values: Buffer;
  readonly #zeros = new ZeroSkipper();

  constructor({ weights }: Layer) {
    this.#starts = allocateIndices(weights.rows + 1);
    this.#values = new Buffer(weights.precision);
  }

  /** What is left of rows that come out of relu: at most as many as make a section, so that there are no gaps. */
  leftOf(x: Tensor): CsrArrays {
    return this.#zeros.compress(x);
  }

  /** xᵀ for so many rows of CSR arrays: a product xᵀ·δ, once δ is known. A δ that is not finite is not seen where x is 0. */
  turn(rows: number, { starts, columns, values }: CsrArrays): CsrArrays {
    const entries = starts[rows];
    if (this.#columns.length < entries) this.#columns = allocateIndices(2 * entries);
    const turned = {
      starts: this.#starts,
      columns: this.#columns,
      values: this.#values.take(this.#columns.length),
    };
    const cols = this.#starts.length - 1;
    batchKernels().turnRows(rows, cols, starts, columns, values, turned.starts, turned.columns, turned.values);
    return turned;
  }
}
