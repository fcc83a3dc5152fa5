/**
 * How is a layer computed whose inputs come out of relu? From those that are not 0, where they are few enough. A weight that
 * is not finite is then not seen by rows whose input there is 0.
 */

import { kernels } from '../kernels/table.ts';
import { allocateIndices, everyIndex } from '../sparse/indices.ts';
import { Buffer } from '../tensor/buffer.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { gapKernels } from '../wasm/gaps.ts';
import type { Layer } from './mlp.ts';
import { layerOnRows } from './sparse-layer.ts';

/** A dense product takes as long as one of so large a share of the entries. */
const worthwhile = 0.6;
/** Columns on either side below which a dense product is over too soon. */
const narrow = 32;
/** What a kernel may write beyond the last entry. */
const spare = 4;
/** Entries that are looked through at a time. */
const block = 2 ** 20;

export class AfterRelu {
  #every = allocateIndices(0);
  #starts = allocateIndices(0);
  #columns = allocateIndices(0);
  readonly #values = new Buffer('single');

  /** Is it worth while to look for zeros? */
  suits({ cols, precision }: Tensor, { weights }: Layer): boolean {
    return precision === 'single' && Math.min(cols, weights.cols) >= narrow;
  }

  /** The layer's values for all rows of x, to `out`. Which way they are computed depends on x alone. */
  evaluate(x: Tensor, layer: Layer, out: Tensor): void {
    const some = Math.max(1, Math.floor(block / x.cols));
    for (let from = 0; from < x.rows; from += some) {
      const to = Math.min(x.rows, from + some);
      this.#evaluateBlock(x.rowRange(from, to), layer, out.rowRange(from, to));
    }
  }

  #evaluateBlock({ rows, cols, size, data }: Tensor, layer: Layer, out: Tensor): void {
    this.#grow(rows, size);
    const [starts, columns, values] = [this.#starts, this.#columns, this.#values.take(size + spare)];
    const most = Math.floor(worthwhile * size);
    if (gapKernels().compressRows(rows, cols, most, data, starts, columns, values) <= most) {
      return layerOnRows(layer, this.#every, { starts, columns, values }, out);
    }
    const { weights, bias, activation } = layer;
    kernels.dense(activation, rows, out.cols, cols, data, weights.data, bias.data, out.data);
  }

  #grow(rows: number, size: number): void {
    if (this.#every.length < rows) {
      this.#every = everyIndex(2 * rows);
      this.#starts = allocateIndices(2 * rows + 1);
    }
    if (this.#columns.length < size + spare) this.#columns = allocateIndices(2 * size + spare);
  }
}
