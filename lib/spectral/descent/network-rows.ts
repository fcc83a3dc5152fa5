/** What is improved when a network computes the rows of Y? Its parameters: rows are evaluated where a batch looks. */

import { convert, gatherRows, invertTriangular, matmul, scale, scaleRows, thinQr } from '../../autodiff/functions.ts';
import type { Variable } from '../../autodiff/tape.ts';
import { kernels } from '../../kernels/table.ts';
import type { Floats } from '../../kernels/types.ts';
import type { Points } from '../../network/layers/inputs.ts';
import type { Mlp } from '../../network/bodies/mlp.ts';
import type { Optimizer } from '../../network/optimizer/optimizer.ts';
import { Pass } from '../../network/layers/pass.ts';
import { allocate, type Tensor } from '../../tensor/tensor.ts';
import { batchKernels } from '../../wasm/simd/batch/twins.ts';
import type { Iterate } from './iterate.ts';
import { type Moments, type MomentSource, rotateMoments, zeroMoments } from './moments.ts';
import type { Pencil } from '../pencil/pencil.ts';
import type { BatchView } from './view.ts';

/** One step at a time: `evaluate`, then whatever the step reads, then `move`. */
export class NetworkRows implements Iterate {
  readonly width: number;
  readonly last: Tensor | null;
  /** Of the next step. */
  rate = 0;
  readonly #network: Mlp;
  readonly #optimizer: Optimizer;
  readonly #pass: Pass;
  /** Differentiate through the orthogonalisation of all rows that are seen; else it counts as a constant. */
  readonly #through: boolean;
  /** Leave the last layer as it is. */
  readonly #hiddenOnly: boolean;
  #output!: Variable;
  #values!: Tensor;
  /** By what the rows are multiplied in this step. */
  #turn: Float64Array | null = null;
  #product: Floats;

  /** `last`: all rows as they were when last computed; without, a step's rows are all that it sees. */
  constructor(
    network: Mlp,
    points: Points,
    optimizer: Optimizer,
    through: boolean,
    last: Tensor | null,
    hiddenOnly = false,
  ) {
    this.last = last;
    this.width = network.outputs;
    this.#network = network;
    this.#optimizer = optimizer;
    this.#pass = new Pass(network.layers, points);
    this.#through = through;
    this.#hiddenOnly = hiddenOnly;
    this.#product = allocate(0, network.precision);
  }

  /** The output for the rows that the view sees. */
  evaluate({ support }: BatchView): Tensor {
    this.#turn = null;
    this.#output = this.#pass.evaluate(support);
    this.#values = this.#output.value;
    return this.#values;
  }

  product(view: BatchView, out: Float64Array): void {
    const { batch } = view;
    const length = batch.length * this.width;
    if (this.#product.length < length) this.#product = allocate(length, this.#network.precision);
    view.multiply(this.width, (this.last ?? this.#values).data, this.#product);
    for (let p = 0; p < length; p++) out[p] = this.#product[p];
    this.#turnRows(batch.length, out);
  }

  rows({ batch, place }: BatchView, out: Float64Array): void {
    const { width } = this;
    const { data } = this.#values;
    for (let i = 0, at = 0; i < batch.length; i++) {
      for (let j = 0, from = place[i] * width; j < width; j++) out[at++] = data[from + j];
    }
    this.#turnRows(batch.length, out);
  }

  measure(_support: Int32Array | null, mass: Float64Array, eta: Float64Array | null, out: Moments): void {
    const { rows, data } = this.#values;
    kernels.gram(rows, this.width, this.width, mass, data, data, out.gram);
    if (eta) kernels.weightedColumnSums(rows, this.width, eta, data, out.mean);
  }

  /** A step of the optimizer along the gradient that the seed −length·direction at the batch's rows leads back to. */
  move(view: BatchView, direction: Float64Array, length: number): void {
    const { tape } = this.#pass;
    const { batch, place, support } = view;
    const seed = tape.workspace.take([batch.length, this.width], this.#network.precision);
    const through = this.#through && this.#turn !== null;
    if (!through) this.#turnBack(batch.length, direction);
    for (let p = 0; p < direction.length; p++) seed.data[p] = -length * direction[p];
    try {
      const root = through
        ? gatherRows(this.#orthogonalised(view), place)
        : support === batch
          ? this.#output
          : this.#restricted(batch, place);
      tape.backward(root, seed);
      const gradients = this.#pass.gradients();
      const moved = this.#hiddenOnly ? gradients.map((one, p) => (p < gradients.length - 2 ? one : null)) : gradients;
      this.#optimizer.step(moved, this.rate);
    } finally {
      this.#optimizer.settle();
    }
  }

  /** The output for the batch's rows. What needs no gradient begins to move meanwhile. */
  #restricted(batch: Int32Array, place: Int32Array): Variable {
    const starts = this.#hiddenOnly ? null : this.#pass.startsFor(batch);
    if (starts) this.#optimizer.begin(0, starts, this.rate);
    return this.#pass.restrict(place, batch);
  }

  rotate(r: Float64Array): void {
    this.#turn = r;
  }

  /** Ỹ = n·Y·R⁻¹ with D^½·Y = Q·R, on the tape. */
  #orthogonalised({ supportMass, population }: BatchView): Variable {
    const { r } = thinQr(scaleRows(this.#output, supportMass.map(Math.sqrt)));
    const inverse = convert(invertTriangular(r, { triangle: 'upper' }), this.#network.precision);
    return scale(matmul(this.#output, inverse), population);
  }

  /** rows ← rows·r. */
  #turnRows(count: number, rows: Float64Array): void {
    if (!this.#turn) return;
    const { width } = this;
    const before = rows.slice(0, count * width);
    kernels.matmul(count, width, width, before, this.#turn, rows, false);
  }

  /** A gradient with respect to Y·r becomes one with respect to Y: times rᵀ. */
  #turnBack(count: number, gradient: Float64Array): void {
    if (!this.#turn) return;
    const { width } = this;
    const before = gradient.slice(0, count * width);
    kernels.matmulTransposeB(count, width, width, before, this.#turn, gradient, false);
  }
}

/**
 * The moments of rows that a network computes, which asks for them first in every step. Where the last rows are kept, the
 * record is of all rows and follows those that are seen; else it is of the rows that are seen.
 */
export function networkMoments(rows: NetworkRows, record: Moments, { mass, eta }: Pencil): MomentSource {
  const { width, last } = rows;
  const { gram, mean } = record;
  const turned = zeroMoments(width);
  /** The batch of this step: views are used again, the list of a batch is not. */
  let seen: Int32Array | null = null;
  let turn: Float64Array | null = null;
  const follow = (support: Int32Array, values: Tensor): void => {
    batchKernels().replaceRows(support.length, width, support, mass, eta, values.data, last!.data, gram, mean);
  };
  return {
    read(view) {
      if (view.batch !== seen) {
        const values = rows.evaluate(view);
        seen = view.batch;
        turn = null;
        if (last) follow(view.support!, values);
        else rows.measure(view.support, view.supportMass, view.supportEta, record);
      }
      if (!turn) return record;
      turned.gram.set(record.gram);
      turned.mean.set(record.mean);
      rotateMoments(turned, turn);
      return turned;
    },
    commit() {},
    rotate(r) {
      turn = r;
    },
    work: ({ support }) => (last ? 4 : 2) * (support?.length ?? mass.length) * width * width,
  };
}
