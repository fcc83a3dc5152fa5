/** Rows of Y that a network computes (eq:nnY). They are evaluated by a forward pass and moved by backpropagation and an optimizer. */

import { kernels } from '../../kernels/table.ts';
import type { LayerChain } from '../../network/layers/chain.ts';
import type { Optimizer } from '../../network/optimizer/optimizer.ts';
import { type Rate, rateAt } from '../../network/optimizer/schedule.ts';
import type { Precision, Tensor } from '../../tensor/tensor.ts';
import { movingRowsKernels } from '../../wasm/families.ts';
import type { Moments } from './moments.ts';
import { retractionPullback } from './objective.ts';
import { BatchRows, type Rows } from './rows.ts';
import type { RowUpdate } from './row-update.ts';
import type { Stepper } from './step-rule.ts';
import type { BatchView, SeenRows } from './view.ts';

export interface NetworkRowsOptions {
  /** K, the outputs of the network. */
  readonly width: number;
  readonly chain: Pick<LayerChain, 'workspace' | 'forward' | 'gradients'>;
  readonly optimizer: Pick<Optimizer, 'steps' | 'step'>;
  readonly rate: Rate;
  /** Differentiate through the orthogonalization. If false, it counts as a constant. */
  readonly through: boolean;
  /** For the neighbor scheme: all rows as last computed, which `trackedMoments` updates. Else null: a step evaluates all rows that it reads. */
  readonly table: Tensor | null;
  readonly precision: Precision;
}

export class NetworkRows implements Rows {
  readonly width: number;
  readonly #options: NetworkRowsOptions;
  readonly #batch: BatchRows;
  /** Y_S = values·factor, of this step. */
  #values!: Tensor;
  #factor: Float64Array | null = null;

  constructor(options: NetworkRowsOptions) {
    this.#options = options;
    this.width = options.width;
    this.#batch = new BatchRows(options.width, options.precision);
  }

  evaluate(support: Int32Array | null): SeenRows {
    this.#factor = null;
    this.#values = this.#options.chain.forward(support);
    return { count: this.#values.rows, data: this.#values.data, factor: null };
  }

  /** The trace surrogate tr(Y_B(θ)ᵀ·g) of the paper (subsec:net2-training): its gradient at the outputs is g, held constant. */
  move(view: BatchView, moments: Moments, update: RowUpdate, stepper: Stepper): number {
    const { chain, optimizer, rate, table } = this.#options;
    const { data } = this.#values;
    this.#batch.read(view, data, view.place, table?.data ?? data, this.#factor);
    const length = stepper.choose(view, this.#batch, moments, update);
    const [places, delta] = this.#outputGradient(view, this.#batch.direction, length);
    optimizer.step(chain.gradients(places, delta), rateAt(rate, optimizer.steps));
    return length;
  }

  rotate(r: Float64Array): void {
    this.#factor = r;
  }

  /** The gradient with respect to Y_B = (outputs·factor)_B is −length·direction. Returns it with respect to the outputs, and their places. */
  #outputGradient(view: BatchView, direction: Float64Array, length: number): [Int32Array | null, Tensor] {
    const { chain, through, precision } = this.#options;
    const { width } = this;
    const count = view.batch.length;
    const gradient = chain.workspace.take([count, width], precision);
    const matrix =
      through && this.#factor ? retractionPullback(this.#batch.rows, direction, this.#factor, view.population) : null;
    if (this.#factor) {
      kernels.matmulTransposeB(count, width, width, direction.slice(), this.#factor, direction, false);
    }
    for (let p = 0; p < direction.length; p++) gradient.data[p] = -length * direction[p];
    return matrix ? [null, this.#throughOrthogonalization(view, gradient, matrix, -length)] : [view.place, gradient];
  }

  /** length·D·Y_S·matrix, and the gradient of the batch added to its rows: the pullback of the orthogonalization. */
  #throughOrthogonalization(
    { supportMass, place }: BatchView,
    { data: own }: Tensor,
    matrix: Float64Array,
    length: number,
  ): Tensor {
    const { width } = this;
    const { rows, shape, precision, data } = this.#values;
    const all = this.#options.chain.workspace.take(shape, precision);
    const scaled = matrix.map((value) => length * value);
    movingRowsKernels().multiplyRows(rows, width, supportMass, data, scaled, all.data);
    for (let i = 0, at = 0; i < place.length; i++) {
      for (let j = 0, to = place[i] * width; j < width; j++) all.data[to + j] += own[at++];
    }
    return all;
  }
}
