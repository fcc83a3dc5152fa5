/** The first layer on sparse points, with forward and backward pass. It reads rows of the points in place. */

import type { CsrView, CsrMatrix } from '../../sparse/csr.ts';
import { everyIndex } from '../../sparse/indices.ts';
import { RowSlicer } from '../../sparse/slices/row-slicer.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Workspace } from '../../tensor/workspace.ts';
import type { Gradient } from '../optimizer/gradient.ts';
import { RowTransposer } from './compressed-rows.ts';
import { applyToListedRows, biasGradient, type ChainInput, type Layer, throughActivation } from './layer.ts';

export class SparseLayer implements ChainInput {
  readonly learns = true;
  readonly layer: Layer;
  readonly #points: CsrMatrix;
  readonly #slicer: RowSlicer;
  readonly #transposer: RowTransposer;
  #everyRow: Int32Array | null = null;

  constructor(layer: Layer, points: CsrMatrix) {
    this.layer = layer;
    this.#points = points;
    this.#slicer = new RowSlicer(points);
    this.#transposer = new RowTransposer(layer.weights.rows, layer.weights.precision);
  }

  forward(rows: Int32Array | null, workspace: Workspace): Tensor {
    const list = this.#listed(rows);
    const { cols, precision } = this.layer.weights;
    const out = workspace.take([list.length, cols], precision);
    applyToListedRows(this.layer, list, this.#points, out);
    return out;
  }

  transposed(rows: Int32Array | null): CsrView {
    const list = this.#listed(rows);
    return this.#transposer.transpose(list.length, this.#slicer.take(list));
  }

  backward(transposed: CsrView | null, value: Tensor, delta: Tensor, workspace: Workspace): readonly Gradient[] {
    const inner = throughActivation(this.layer, value, delta, workspace);
    return [{ ...transposed!, delta: inner }, biasGradient(this.layer, inner, workspace)];
  }

  #listed(rows: Int32Array | null): Int32Array {
    return rows ?? (this.#everyRow ??= everyIndex(this.#points.rows));
  }
}
