/** How does a row's gradient, or its step, follow from the row and its product with W? By two K×K matrices that all rows share. */

import { mapRows } from '../../kernels/batch/batch.ts';
import { allocate } from '../../tensor/tensor.ts';

/** Rows, with their mass and η. */
interface Batch {
  readonly batch: Int32Array;
  readonly mass: Float64Array;
  readonly eta: Float64Array | null;
}

/** Of a row y of mass m with the affinity a, its row of (W − ηηᵀ)Y: (m·y·P + a·Q)/m^power, and 0 where m is 0. */
export class RowMap {
  /** P and Q. */
  readonly pull: Float64Array;
  readonly push: Float64Array;
  power = 0;
  readonly width: number;
  readonly #shift: Float64Array;

  constructor(width: number) {
    this.width = width;
    this.pull = allocate(width * width, 'double');
    this.push = allocate(width * width, 'double');
    this.#shift = allocate(width, 'double');
  }

  /** P = pull·I, Q = push·I. */
  set(pull: number, push: number, power: number): void {
    this.pull.fill(0);
    this.push.fill(0);
    for (let p = 0; p < this.pull.length; p += this.width + 1) {
      this.pull[p] = pull;
      this.push[p] = push;
    }
    this.power = power;
  }

  copy({ pull, push, power }: RowMap): void {
    this.pull.set(pull);
    this.push.set(push);
    this.power = power;
  }

  scale(factor: number): void {
    for (let p = 0; p < this.pull.length; p++) {
      this.pull[p] *= factor;
      this.push[p] *= factor;
    }
  }

  /** out[|B|×K] = what becomes of the rows Y_B; `mean` is ηᵀY, and `product` W[B,S]·Y_S. */
  apply(
    { batch, mass, eta }: Batch,
    rows: Float64Array,
    product: Float64Array,
    mean: Float64Array,
    out: Float64Array,
  ): void {
    const { width, pull, push, power } = this;
    mapRows(batch.length, width, mass, eta, pull, push, this.shift(mean), power, rows, product, out);
  }

  /** What the product lacks of the affinity, −ηηᵀY, times Q, but for the η in front: good until asked again. */
  shift(mean: Float64Array): Float64Array {
    const { width, push } = this;
    for (let j = 0; j < width; j++) {
      this.#shift[j] = 0;
      for (let k = 0; k < width; k++) this.#shift[j] -= mean[k] * push[k * width + j];
    }
    return this.#shift;
  }
}
