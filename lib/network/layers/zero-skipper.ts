/** What is left of the rows that come out of relu? CSR arrays without their zeros, in buffers that are used again. */

import { startOf } from '../../kernels/batch/gaps.ts';
import type { CsrArrays } from '../../sparse/csr.ts';
import { allocateIndices } from '../../sparse/indices.ts';
import { Buffer } from '../../tensor/buffer.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { gapKernels } from '../../wasm/simd/batch/gaps.ts';

/** The arrays have gaps of their own between sections of rows: a row's start is where `places` says, and its end behind it. */
export interface LeftOver extends CsrArrays {
  readonly places: Int32Array;
  readonly entries: number;
}

export class ZeroSkipper {
  #places = allocateIndices(0);
  #starts = allocateIndices(0);
  #columns = allocateIndices(0);
  readonly #values = new Buffer('single');

  /** Good until the next call. */
  compress({ rows, cols, size, data }: Tensor): LeftOver {
    if (this.#places.length < rows) {
      this.#places = allocateIndices(2 * rows);
      for (let i = 0; i < 2 * rows; i++) this.#places[i] = startOf(i);
      this.#starts = allocateIndices(startOf(2 * rows) + 2);
    }
    if (this.#columns.length < size) this.#columns = allocateIndices(2 * size);
    const [starts, columns, values] = [this.#starts, this.#columns, this.#values.take(this.#columns.length)];
    const entries = gapKernels().compressRows(rows, cols, data, starts, columns, values);
    return { starts, columns, values, places: this.#places, entries };
  }
}
