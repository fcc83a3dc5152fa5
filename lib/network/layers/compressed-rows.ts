/** Rows without their zeros as CSR arrays, and their transposes, in reused buffers. */

import { startOf } from '../../kernels/batch/compression.ts';
import type { CsrView } from '../../sparse/csr.ts';
import { allocateIndices } from '../../sparse/indices.ts';
import { GrowableArray } from '../../tensor/growable-array.ts';
import type { Precision, Tensor } from '../../tensor/tensor.ts';
import { compressionKernels, gradientKernels } from '../../wasm/families.ts';

/** CSR arrays with unused entries between sections of rows: row i begins at starts[list[i]] and ends at starts[list[i] + 1]. */
export interface CompressedRows extends CsrView {
  readonly list: Int32Array;
  readonly entries: number;
}

/** Compresses the outputs of ReLU layers to their nonzeros. */
export class RowCompressor {
  #list = allocateIndices(0);
  #starts = allocateIndices(0);
  #columns = allocateIndices(0);
  readonly #values = new GrowableArray('single');

  /** Valid until the next call. */
  compress({ rows, cols, size, data }: Tensor): CompressedRows {
    if (this.#list.length < rows) {
      this.#list = allocateIndices(2 * rows);
      for (let i = 0; i < 2 * rows; i++) this.#list[i] = startOf(i);
      this.#starts = allocateIndices(startOf(2 * rows) + 2);
    }
    if (this.#columns.length < size) this.#columns = allocateIndices(2 * size);
    const [starts, columns, values] = [this.#starts, this.#columns, this.#values.take(this.#columns.length)];
    const entries = compressionKernels().compressRows(rows, cols, data, starts, columns, values);
    return { starts, columns, values, list: this.#list, entries };
  }
}

/** Transposes rows of a fixed number of columns to CSR arrays. */
export class RowTransposer {
  readonly #starts: Int32Array;
  #columns = allocateIndices(0);
  readonly #values: GrowableArray;

  constructor(cols: number, precision: Precision) {
    this.#starts = allocateIndices(cols + 1);
    this.#values = new GrowableArray(precision);
  }

  /** The nonzeros of xᵀ, for a dense x, and their number. Valid until the next call of either method. */
  compress({ rows, cols, size, data }: Tensor): CsrView & { readonly entries: number } {
    const out = this.#outputs(size);
    const entries = compressionKernels().compressColumns(rows, cols, data, out.starts, out.columns, out.values);
    return { ...out, entries };
  }

  /** xᵀ for the first `rows` rows of x, whose entries must be contiguous. Valid until the next call. */
  transpose(rows: number, { starts, columns, values }: CsrView): CsrView {
    const out = this.#outputs(starts[rows]);
    const cols = this.#starts.length - 1;
    gradientKernels().transposeRows(rows, cols, starts, columns, values, out.starts, out.columns, out.values);
    return out;
  }

  /** Buffers for this many entries. */
  #outputs(entries: number): CsrView {
    if (this.#columns.length < entries) this.#columns = allocateIndices(2 * entries);
    return { starts: this.#starts, columns: this.#columns, values: this.#values.take(this.#columns.length) };
  }
}
