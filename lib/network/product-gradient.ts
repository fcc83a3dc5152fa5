/** What is the gradient of a layer whose inputs are few rows, mostly zeros? A product xᵀ·δ, which need not be made to be used. */

import type { BackwardCall } from '../autodiff/operation.ts';
import { slopeTimesGradient } from '../autodiff/products.ts';
import { kernels } from '../kernels/table.ts';
import type { Activation } from '../kernels/types.ts';
import type { CsrArrays } from '../sparse/csr.ts';
import { allocateIndices } from '../sparse/indices.ts';
import { turn } from '../sparse/turn.ts';
import { Buffer } from '../tensor/buffer.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Layer } from './mlp.ts';
import { ZeroSkipper } from './zero-skipper.ts';

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

/** Makes such products for one layer, in buffers that are used again: each is good until the next one is made. */
export class ProductMaker {
  readonly #activation: Activation;
  readonly #starts: Int32Array;
  #columns = allocateIndices(0);
  readonly #values: Buffer;
  readonly #zeros = new ZeroSkipper();

  constructor({ weights, activation }: Layer) {
    this.#activation = activation;
    this.#starts = allocateIndices(weights.rows + 1);
    this.#values = new Buffer(weights.precision);
  }

  /**
   * For rows x of which many entries are 0, the layer's values there and the gradient that arrived. A δ that is not finite
   * is not seen where x is 0.
   */
  ofDense(x: Tensor, layer: Pick<BackwardCall<unknown>, 'value' | 'gradient' | 'workspace'>): ProductGradient {
    return this.of(x.rows, this.#zeros.compress(x, x.size)!, slopeTimesGradient(this.#activation, layer));
  }

  /** xᵀ·δ for so many rows of CSR arrays. */
  of(rows: number, { starts, columns, values }: CsrArrays, arrived: Tensor): ProductGradient {
    const entries = starts[rows];
    if (this.#columns.length < entries) this.#columns = allocateIndices(2 * entries);
    const turned = {
      starts: this.#starts.fill(0),
      columns: this.#columns,
      values: this.#values.take(this.#columns.length),
    };
    turn(rows, starts, columns, values, turned.starts, turned.columns, turned.values);
    return { ...turned, arrived };
  }
}
