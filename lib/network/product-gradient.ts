/** What is the gradient of a layer whose inputs are few rows, mostly zeros? A product xᵀ·δ, which need not be made to be used. */

import { kernels } from '../kernels/table.ts';
import type { Floats } from '../kernels/types.ts';
import { allocateIndices } from '../sparse/indices.ts';
import { allocate, type Tensor } from '../tensor/tensor.ts';

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

/** Finds what is not 0 in the columns of an x, for one layer, in buffers that are used again. */
export class ProductMaker {
  #starts = allocateIndices(0);
  #columns = allocateIndices(0);
  #values: Floats = allocate(0, 'single');

  /** xᵀ·δ; good until the next one is made. */
  make({ rows, cols, size, data, precision }: Tensor, arrived: Tensor): ProductGradient {
    if (this.#starts.length !== cols + 1) this.#starts = allocateIndices(cols + 1);
    if (this.#columns.length < size) {
      this.#columns = allocateIndices(2 * size);
      this.#values = allocate(2 * size, precision);
    }
    const [starts, columns, values] = [this.#starts, this.#columns, this.#values];
    let at = 0;
    for (let j = 0; j < cols; j++) {
      for (let i = 0, from = j; i < rows; i++, from += cols) {
        columns[at] = i;
        values[at] = data[from];
        at += Number(data[from] !== 0);
      }
      starts[j + 1] = at;
    }
    return { starts, columns, values, arrived };
  }
}
