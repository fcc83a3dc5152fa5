/** How does a first layer work on listed rows of sparse points, forward and back? Without a copy of the rows. */

import { slopeTimesGradient } from '../autodiff/products.ts';
import { kernels } from '../kernels/table.ts';
import type { Floats } from '../kernels/types.ts';
import { allocateIndices, everyIndex } from '../sparse/indices.ts';
import type { CsrMatrix } from '../sparse/csr.ts';
import { RowSlicer } from '../sparse/row-slicer.ts';
import { turn } from '../sparse/turn.ts';
import { allocate, type Tensor } from '../tensor/tensor.ts';
import type { Workspace } from '../tensor/workspace.ts';
import { batchKernels } from '../wasm/batch.ts';
import type { Layer } from './mlp.ts';
import type { ProductGradient } from './product-gradient.ts';

export class SparseLayer {
  readonly #layer: Layer;
  readonly #points: CsrMatrix;
  readonly #slicer: RowSlicer;
  /** The transpose of the rows that were last pulled back, in buffers that are used again. */
  readonly #starts: Int32Array;
  #columns = allocateIndices(0);
  #values: Floats;
  #all: Int32Array | null = null;

  constructor(layer: Layer, points: CsrMatrix) {
    this.#layer = layer;
    this.#points = points;
    this.#slicer = new RowSlicer(points);
    this.#starts = allocateIndices(points.cols + 1);
    this.#values = allocate(0, points.precision);
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

  /** The gradients of weights and bias, from values for these rows and the gradient that arrived there. */
  pullBack(rows: Int32Array | null, values: Tensor, arrived: Tensor, workspace: Workspace): [ProductGradient, Tensor] {
    const { bias, activation } = this.#layer;
    const inner = slopeTimesGradient(activation, { value: values, gradient: arrived, workspace });
    const ofBias = workspace.take(bias.shape, bias.precision);
    kernels.columnSums(inner.rows, inner.cols, inner.data, ofBias.data, false);
    const x = this.#slicer.take(rows ?? this.#all!);
    if (this.#columns.length < x.nonzeros) {
      this.#columns = allocateIndices(2 * x.nonzeros);
      this.#values = allocate(2 * x.nonzeros, x.precision);
    }
    const turned = { starts: this.#starts.fill(0), columns: this.#columns, values: this.#values };
    turn(x.rows, x.starts, x.columns, x.values, turned.starts, turned.columns, turned.values);
    return [{ ...turned, arrived: inner }, ofBias];
  }
}

/** The layer's values for listed rows of CSR arrays, to `out`. */
export function layerOnRows(
  { weights, bias, activation }: Layer,
  list: Int32Array,
  { starts, columns, values }: Pick<CsrMatrix, 'starts' | 'columns' | 'values'>,
  { rows, cols, size, data }: Tensor,
): void {
  const { csrRowsMatmul } = batchKernels();
  const floor = activation === 'relu' ? 0 : -Infinity;
  csrRowsMatmul(rows, cols, list, starts, columns, values, weights.data, bias.data, floor, data);
  if (activation !== 'identity' && floor < 0) kernels.activate(activation, size, data, data);
}
