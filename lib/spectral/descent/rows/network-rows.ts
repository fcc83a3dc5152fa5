/** Rows of Y that a network computes (eq:nnY; for SpecNet2 without the orthogonalization). They are evaluated by a forward pass and moved by backpropagation and an optimizer. */

import { kernels } from '../../../kernels/table.ts';
import type { LayerChain } from '../../../network/layers/chain.ts';
import type { Optimizer } from '../../../network/optimizer/optimizer.ts';
import { type Rate, rateAt } from '../../../network/optimizer/schedule.ts';
import type { Precision, Tensor } from '../../../tensor/tensor.ts';
import { movingRowsKernels } from '../../../wasm/families.ts';
import type { Moments } from '../moments.ts';
import { retractionPullback } from '../objective.ts';
import { BatchRows, type Rows } from './rows.ts';
import type { RowUpdate } from '../row-update.ts';
import type { Stepper } from '../step-rule.ts';
import type { BatchView, SeenRows } from '../view.ts';

export interface NetworkRowsOptions {
  /** K, the outputs of the network. */
  readonly width: number;
  readonly chain: Pick<LayerChain, 'workspace' | 'forward' | 'backward'>;
  readonly optimizer: Pick<Optimizer, 'steps' | 'step'>;
  readonly rate: Rate;
  /** Differentiate through the orthogonalization. If false, it counts as a constant. */
  readonly through: boolean;
  /** For the neighbor scheme in memory: all rows as last computed, which `trackedMoments` updates. Else null: a step evaluates all rows that it reads. */
  readonly table: Tensor | null;
  readonly precision: Precision;
}

export class NetworkRows implements Rows {
  readonly width: number;
  readonly #options: NetworkRowsOptions;
  readonly #batch: BatchRows;

  constructor(options: NetworkRowsOptions) {
    this.#options = options;
    this.width = options.width;
    this.#batch = new BatchRows(options.width, options.precision);
  }

  evaluate(support: Int32Array | null): SeenRows {
    const { rows, data } = this.#options.chain.forward(support);
    return { count: rows, data, factor: null };
  }

  /**
   * Follows the gradient of the paper's trace surrogate tr(Y_B(θ)ᵀ·g), in which g is constant (subsec:net2-training). With respect
   * to the outputs, that gradient is g.
   */
  move(view: BatchView, seen: SeenRows, moments: Moments, update: RowUpdate, stepper: Stepper): number {
    const { chain, optimizer, rate, table } = this.#options;
    const { data, factor } = seen;
    this.#batch.read(view, data, view.place, table?.data ?? data, factor);
    const length = stepper.choose(view, this.#batch, moments, update);
    const [places, delta] = this.#outputGradient(view, seen, this.#batch.direction, length);
    optimizer.step(chain.backward(places, delta), rateAt(rate, optimizer.steps));
    return length;
  }

  rotate(_view: BatchView, seen: SeenRows, r: Float64Array): SeenRows {
    return { ...seen, factor: r };
  }

  /** The gradient with respect to Y_B = (outputs·factor)_B is −length·direction. Returns it with respect to the outputs, and their places. */
  #outputGradient(
    view: BatchView,
    seen: SeenRows,
    direction: Float64Array,
    length: number,
  ): [places: Int32Array | null, gradient: Tensor] {
    const { chain, through, precision } = this.#options;
    const { width } = this;
    const { factor } = seen;
    const count = view.batch.length;
    const gradient = chain.workspace.take([count, width], precision);
    const matrix = through && factor ? retractionPullback(this.#batch.rows, direction, factor, view.population) : null;
    if (factor) kernels.matmulTransposeB(count, width, width, direction.slice(), factor, direction, false);
    for (let p = 0; p < direction.length; p++) gradient.data[p] = -length * direction[p];
    if (!matrix) return [view.place, gradient];
    return [null, this.#throughOrthogonalization(view, seen, gradient, matrix, -length)];
  }

  /** scale·D·Y_S·matrix, and the gradient of the batch added to its rows: the pullback of the orthogonalization. */
  #throughOrthogonalization(
    { supportMass, place }: BatchView,
    { count, data }: SeenRows,
    { data: own }: Tensor,
    matrix: Float64Array,
    scale: number,
  ): Tensor {
    const { width } = this;
    const { chain, precision } = this.#options;
    const all = chain.workspace.take([count, width], precision);
    const scaled = matrix.map((value) => scale * value);
    movingRowsKernels().multiplyRows(count, width, supportMass, data, scaled, all.data);
    for (let i = 0, at = 0; i < place.length; i++) {
      for (let j = 0, to = place[i] * width; j < width; j++) all.data[to + j] += own[at++];
    }
    return all;
  }
}
