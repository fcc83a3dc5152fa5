/**
 * A dense layer with forward and backward pass. If its inputs are ReLU outputs with few enough nonzeros, it multiplies only by
 * the nonzeros. A weight that is not finite then does not affect rows whose input there is 0.
 */

import { sectionRows } from '../../kernels/batch/compression.ts';
import { kernels } from '../../kernels/table.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Workspace } from '../../tensor/workspace.ts';
import { gradientKernels } from '../../wasm/families.ts';
import { RowCompressor, RowTransposer } from './compressed-rows.ts';
import {
  applyToListedRows,
  type BackwardRows,
  biasGradient,
  type Layer,
  type LayerGradients,
  type DifferentiableLayer,
  throughActivation,
} from './layer.ts';

/** A dense product takes as long as a sparse one with this fraction of nonzeros. */
const worthwhileShare = 0.6;
/** With fewer inputs or outputs than this, a dense product is always faster. */
const leastColumns = 32;
/** The number of entries that are compressed at a time. */
const blockEntries = 2 ** 20;
/**
 * Up to this many rows, the gradient of the weights is kept as a product xᵀ·δ. On MNIST that is faster up to somewhere between 32 and
 * 64 rows; one section has 32, and its entries are contiguous.
 */
const fewRows = sectionRows;
/** Up to this many rows, the gradient of the weights is computed from the nonzeros of x: δ stays in the cache. */
const someRows = 256;

/** Up to this many outputs, the kernel that computes the gradient also applies the slope of the preceding ReLU. */
const fewOutputs = 4;

export class DenseLayer implements DifferentiableLayer {
  readonly layer: Layer;
  readonly #followsRelu: boolean;
  readonly #skipsZeros: boolean;
  readonly #compressor = new RowCompressor();
  readonly #transposer: RowTransposer;

  constructor(layer: Layer, followsRelu: boolean) {
    this.layer = layer;
    this.#followsRelu = followsRelu;
    const { rows, cols, precision } = layer.weights;
    this.#skipsZeros = followsRelu && precision === 'single' && Math.min(rows, cols) >= leastColumns;
    this.#transposer = new RowTransposer(rows, precision);
  }

  forward(x: Tensor, workspace: Workspace): Tensor {
    const { cols, precision } = this.layer.weights;
    const out = workspace.take([x.rows, cols], precision);
    if (!this.#skipsZeros) {
      this.#multiply(x, out);
      return out;
    }
    const some = Math.max(1, Math.floor(blockEntries / x.cols));
    for (let from = 0; from < x.rows; from += some) {
      const to = Math.min(x.rows, from + some);
      this.#multiplyNonzeros(x.rowRange(from, to), out.rowRange(from, to));
    }
    return out;
  }

  backward(given: BackwardRows, wantsX: boolean, workspace: Workspace): LayerGradients {
    const { layer } = this;
    const { x, value, delta, isPicked } = given;
    const inner = given.isPulled ? delta : throughActivation(layer, value, delta, workspace);
    const bias = biasGradient(layer, inner, workspace);
    const dx = wantsX ? workspace.take(x.shape, x.precision) : null;
    const { rows, cols, shape, precision, data } = layer.weights;
    if (this.#skipsZeros && isPicked && x.rows <= fewRows) {
      const { starts, columns, values } = this.#compressor.compress(x);
      // The gradient is 0 where ReLU is, so it is not computed there.
      if (dx) {
        gradientKernels().sampledProduct(x.rows, rows, cols, starts, columns, inner.data, data, dx.data);
      }
      const transposed = this.#transposer.transpose(x.rows, { starts, columns, values });
      return { weights: { ...transposed, delta: inner }, bias, x: dx, isPulled: false };
    }
    const isPulled = this.#followsRelu && cols <= fewOutputs;
    if (dx && isPulled) gradientKernels().maskedProduct(x.rows, rows, cols, x.data, inner.data, data, dx.data);
    else if (dx) kernels.matmulTransposeB(x.rows, rows, cols, inner.data, data, dx.data, false);
    const weights = workspace.take(shape, precision);
    this.#multiplyTransposed(x, inner, weights);
    return { weights, bias, x: dx, isPulled };
  }

  /** xᵀ·δ, without the zeros of x if there are enough of them. Both products are equal: they add the same numbers in the same order. */
  #multiplyTransposed(x: Tensor, delta: Tensor, { rows, cols, data: out }: Tensor): void {
    if (this.#skipsZeros && x.rows <= someRows) {
      const { starts, columns, values, entries } = this.#transposer.compress(x);
      if (entries <= worthwhileShare * x.size) {
        gradientKernels().orderedProduct(rows, cols, starts, columns, values, delta.data, out);
        return;
      }
    }
    kernels.matmulTransposeA(rows, cols, x.rows, x.data, delta.data, out, false);
  }

  #multiply(x: Tensor, out: Tensor): void {
    const { weights, bias, activation } = this.layer;
    kernels.dense(activation, x.rows, out.cols, x.cols, x.data, weights.data, bias.data, out.data);
  }

  /** The choice between the dense and the sparse product depends only on x, so that results are reproducible. */
  #multiplyNonzeros(x: Tensor, out: Tensor): void {
    const compressed = this.#compressor.compress(x);
    if (compressed.entries > worthwhileShare * x.size) this.#multiply(x, out);
    else applyToListedRows(this.layer, compressed.list, compressed, out);
  }
}
