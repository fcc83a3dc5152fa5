/** What is the gradient of a layer whose inputs are few rows, mostly zeros? A product xᵀ·δ, which need not be made to be used. */

import { kernels } from '../kernels/table.ts';
import { allocateIndices } from '../sparse/indices.ts';
import { turn } from '../sparse/turn.ts';
import { Buffer } from '../tensor/buffer.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Layer } from './mlp.ts';
import { type CsrArrays, ZeroSkipper } from './zero-skipper.ts';

/** xᵀ as CSR arrays, a row for each input, most of them empty. */
export interface ProductGradient extends CsrArrays {
  /** δ, a row for each row of x. */
  readonly arrived: Tensor;
}

/** The product itself, into a matrix as large as the parameter. */
export function expandProduct({ starts, columns, values, arrived }: ProductGradient, out: Tensor): Tensor {
  kernels.csrMatmul(out.rows, out.cols, starts, columns, values, arrived.data, out.data, false);
  return out;
}

/** Makes such products for one layer, in buffers that are used again: each is good until the next one is made. */
export class ProductMaker {
  readonly #starts: Int32Array;
  #columns = allocateIndices(0);
  readonly #values: Buffer;
  readonly #zeros = new ZeroSkipper();

  constructor({ weights }: Layer) {
    this.#starts = allocateIndices(weights.rows + 1);
    this.#values = new Buffer(weights.precision);
  }

  /** xᵀ·δ for rows of which most entries are 0. */
  ofDense(x: Tensor, arrived: Tensor): ProductGradient {
    return this.of(x.rows, this.#zeros.compress(x, x.size)!, arrived);
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
