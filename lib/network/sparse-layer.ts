/** How does a first layer work on listed rows of sparse points, forward and back? Without a copy of the rows. */

import { kernels } from '../kernels/table.ts';
import { allocateIndices, everyIndex } from '../sparse/indices.ts';
import type { CsrMatrix } from '../sparse/csr.ts';
import { RowSlicer } from '../sparse/row-slicer.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Workspace } from '../tensor/workspace.ts';
import { batchKernels } from '../wasm/batch.ts';
import type { Layer } from './mlp.ts';
import type { RowGradient } from './row-gradient.ts';

export class SparseLayer {
  readonly #layer: Layer;
  readonly #points: CsrMatrix;
  readonly #slicer: RowSlicer;
  readonly #places: Int32Array;
  /** The inputs that have a place. */
  readonly #placed: number[] = [];
  #columns = allocateIndices(0);
  #all: Int32Array | null = null;

  constructor(layer: Layer, points: CsrMatrix) {
    this.#layer = layer;
    this.#points = points;
    this.#slicer = new RowSlicer(points);
    this.#places = allocateIndices(points.cols).fill(-1);
  }

  /** The layer's values for these rows, all of them for null. */
  evaluate(rows: Int32Array | null, workspace: Workspace): Tensor {
    const { weights, bias, activation } = this.#layer;
    const list = rows ?? (this.#all ??= everyIndex(this.#points.rows));
    const { starts, columns, values } = this.#points;
    const out = workspace.take([list.length, weights.cols], weights.precision);
    const { data } = out;
    const { csrRowsMatmul } = batchKernels();
    csrRowsMatmul(list.length, weights.cols, list, starts, columns, values, weights.data, data);
    kernels.addBias(list.length, weights.cols, data, bias.data, data);
    if (activation !== 'identity') kernels.activate(activation, out.size, data, data);
    return out;
  }

  /** The gradients of weights and bias, from values for these rows and the gradient that arrived there. */
  pullBack(rows: Int32Array | null, values: Tensor, arrived: Tensor, workspace: Workspace): [RowGradient, Tensor] {
    const { bias, activation } = this.#layer;
    const inner = activation === 'identity' ? arrived : workspace.take(values.shape, values.precision);
    if (inner !== arrived) {
      kernels.activateBackward(activation, values.size, values.data, arrived.data, inner.data, false);
    }
    const ofBias = workspace.take(bias.shape, bias.precision);
    kernels.columnSums(inner.rows, inner.cols, inner.data, ofBias.data, false);
    const x = this.#slicer.take(rows ?? this.#all!);
    const columns = this.#place(x.columns);
    const gradient = workspace.take([this.#placed.length, inner.cols], values.precision);
    const { data } = gradient;
    const count = gradient.rows;
    kernels.csrTransposeMatmul(x.rows, count, inner.cols, x.starts, columns, x.values, inner.data, data, false);
    return [{ places: this.#places, values: gradient }, ofBias];
  }

  /** Gives each input that is met a place, in the order in which they are met; returns the places of all. */
  #place(columns: Int32Array): Int32Array {
    const places = this.#places;
    const placed = this.#placed;
    for (const column of placed) places[column] = -1;
    placed.length = 0;
    if (this.#columns.length < columns.length) this.#columns = allocateIndices(2 * columns.length);
    const result = this.#columns;
    for (let e = 0; e < columns.length; e++) {
      const column = columns[e];
      if (places[column] < 0) places[column] = placed.push(column) - 1;
      result[e] = places[column];
    }
    return result;
  }
}
