/**
 * How is a layer computed whose inputs come out of relu? From those that are not 0, where they are few enough. A weight that
 * is not finite is then not seen by rows whose input there is 0.
 */

import { kernels } from '../../kernels/table.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Layer } from '../bodies/mlp.ts';
import { layerOnRows } from './sparse-layer.ts';
import { ZeroSkipper } from './zero-skipper.ts';

/** A dense product takes as long as one of so large a share of the entries. */
const worthwhile = 0.6;
/** Columns on either side below which a dense product is over too soon. */
const narrow = 32;
/** Entries that are looked through at a time. */
const block = 2 ** 20;

export class AfterRelu {
  readonly #zeros = new ZeroSkipper();

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

  #evaluateBlock(x: Tensor, layer: Layer, out: Tensor): void {
    const left = this.#zeros.compress(x);
    if (left.entries <= worthwhile * x.size) return layerOnRows(layer, left.places, left, out);
    const { weights, bias, activation } = layer;
    kernels.dense(activation, x.rows, out.cols, x.cols, x.data, weights.data, bias.data, out.data);
  }
}
