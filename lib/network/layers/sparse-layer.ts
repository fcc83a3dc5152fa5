/** How does a first layer work on listed rows of sparse points, forward and back? Without a copy of the rows. */

import { slopeTimesGradient } from '../../autodiff/products.ts';
import { kernels } from '../../kernels/table.ts';
import { everyIndex } from '../../sparse/indices.ts';
import type { CsrArrays, CsrMatrix } from '../../sparse/csr.ts';
import { RowSlicer } from '../../sparse/row-slicer.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Workspace } from '../../tensor/workspace.ts';
import { batchKernels } from '../../wasm/simd/batch/twins.ts';
import type { Layer } from '../bodies/mlp.ts';
import { type ProductGradient, ProductMaker } from '../optimizer/product-gradient.ts';

export class SparseLayer {
  readonly #layer: Layer;
  readonly #points: CsrMatrix;
  readonly #slicer: RowSlicer;
  readonly #products: ProductMaker;
  #all: Int32Array | null = null;

  constructor(layer: Layer, points: CsrMatrix) {
    this.#layer = layer;
    this.#points = points;
    this.#slicer = new RowSlicer(points);
    this.#products = new ProductMaker(layer);
  }

  get activation(): Layer['activation'] {
    return this.#layer.activation;
  }

  /** The layer's values for these rows, all of them for null. */
  evaluate(rows: Int32Array | null, workspace: Workspace): Tensor {
    const list = rows ?? (this.#all ??= everyIndex(this.#points.rows));
    const { weights } = this.#layer;
    const out = workspace.take([list.length, weights.cols], weights.precision);
    layerOnRows(this.#layer, list, this.#points, out);
    return out;
  }

  /** These rows of the points, turned: what of the weights' gradient is known before. Good until the next call. */
  turn(rows: Int32Array | null): CsrArrays {
    const list = rows ?? this.#all!;
    return this.#products.turn(list.length, this.#slicer.take(list));
  }

  /** The gradients of weights and bias, from rows that were turned, values for them and the gradient that arrived there. */
  pullBack(turned: CsrArrays, values: Tensor, arrived: Tensor, workspace: Workspace): [ProductGradient, Tensor] {
    const { bias, activation } = this.#layer;
    const inner = slopeTimesGradient(activation, { value: values, gradient: arrived, workspace });
    const ofBias = workspace.take(bias.shape, bias.precision);
    kernels.columnSums(inner.rows, inner.cols, inner.data, ofBias.data, false);
    return [{ ...turned, arrived: inner }, ofBias];
  }
}

/** The layer's values for listed rows of CSR arrays, to `out`. */
export function layerOnRows(
  { weights, bias, activation }: Layer,
  list: Int32Array,
  { starts, columns, values }: CsrArrays,
  { rows, cols, size, data }: Tensor,
): void {
  const { csrRowsMatmul } = batchKernels();
  const floor = activation === 'relu' ? 0 : -Infinity;
  csrRowsMatmul(rows, cols, list, starts, columns, values, weights.data, bias.data, floor, data);
  if (activation !== 'identity' && floor < 0) kernels.activate(activation, size, data, data);
}
