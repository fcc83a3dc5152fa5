/** What is left of the rows that come out of relu? CSR arrays without their zeros, in buffers that are used again. */

import type { CsrArrays } from '../sparse/csr.ts';
import { allocateIndices } from '../sparse/indices.ts';
import { Buffer } from '../tensor/buffer.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { gapKernels } from '../wasm/gaps.ts';

/** What a kernel may write beyond the last entry. */
const spare = 4;

export class ZeroSkipper {
  #starts = allocateIndices(0);
  #columns = allocateIndices(0);
  readonly #values = new Buffer('single');

  /** Good until the next call; null where more than `most` entries are not 0. */
  compress({ rows, cols, size, data }: Tensor, most: number): CsrArrays | null {
    if (this.#starts.length <= rows) this.#starts = allocateIndices(2 * rows + 1);
    if (this.#columns.length < size + spare) this.#columns = allocateIndices(2 * size + spare);
    const [starts, columns, values] = [this.#starts, this.#columns, this.#values.take(this.#columns.length)];
    const entries = gapKernels().compressRows(rows, cols, most, data, starts, columns, values);
    return entries <= most ? { starts, columns, values } : null;
  }
}
