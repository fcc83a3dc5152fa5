/** Rows of Y whose entries are the unknowns, as in the linear algebra of the paper. */

import type { Random } from '../../../core/random.ts';
import type { followRows } from '../../../kernels/batch/moving-rows.ts';
import { kernels } from '../../../kernels/table.ts';
import type { Floats } from '../../../kernels/types.ts';
import { solveRightInPlace } from '../../../linalg/triangular.ts';
import { GrowableArray } from '../../../tensor/growable-array.ts';
import { allocate, type Precision, type Tensor, zeros } from '../../../tensor/tensor.ts';
import { movingRowsKernels, reduceKernels } from '../../../wasm/families.ts';
import type { Moments } from '../moments.ts';
import { BatchRows, rotateRows, type Rows } from './rows.ts';
import type { RowUpdate } from '../row-update.ts';
import type { Stepper } from '../step-rule.ts';
import type { BatchView, SeenRows } from '../view.ts';

/** A factor with a larger ratio of diagonal entries is applied to the rows, because dividing by it would lose digits. */
const widestFactor = 1e6;

/**
 * Y = stored·factor. A rotation of all rows changes only the factor, in O(K³), so that no step touches all rows.
 * `applyFactor` multiplies the factor into the rows.
 */
export class FreeRows implements Rows {
  readonly width: number;
  readonly stored: Tensor;
  readonly #factor: Float64Array;
  #isRotated = false;
  /** The moments of all rows, updated after every move. Null if they are not tracked. */
  readonly #record: Moments | null;
  readonly #follow: typeof followRows | null;
  readonly #batch: BatchRows;
  readonly #support: GrowableArray;
  readonly #product: GrowableArray;

  /**
   * Takes over `rows`, n×K. `record` is shared with `recordedMoments`; a move updates it. Checks of that formula pass `follow`,
   * which replaces the kernel.
   */
  constructor(rows: Tensor, record: Moments | null = null, follow: typeof followRows | null = null) {
    this.stored = rows;
    this.width = rows.cols;
    this.#record = record;
    this.#follow = follow;
    this.#factor = allocate(this.width ** 2, 'double');
    this.#batch = new BatchRows(this.width, rows.precision);
    this.#support = new GrowableArray(rows.precision);
    this.#product = new GrowableArray(rows.precision);
    this.#resetFactor();
  }

  evaluate(support: Int32Array | null): SeenRows {
    const count = support ? support.length : this.stored.rows;
    return { count, data: this.#storedRows(support), factor: this.#isRotated ? this.#factor : null };
  }

  move(view: BatchView, seen: SeenRows, moments: Moments, update: RowUpdate, stepper: Stepper): number {
    if (stepper.length !== null && this.#moveFused(view, update, stepper.length)) return stepper.length;
    const { batch } = view;
    this.#batch.read(view, this.stored.data, batch, seen.data, seen.factor);
    const { rows, direction } = this.#batch;
    const length = stepper.choose(view, this.#batch, moments, update);
    this.#add(batch, direction, length);
    if (this.#record) this.#followMove(view, rows, this.#record);
    return length;
  }

  rotate({ support }: BatchView, seen: SeenRows, r: Float64Array): SeenRows {
    const { width } = this;
    const before = this.#factor.slice();
    kernels.matmul(width, width, width, before, r, this.#factor, false);
    this.#isRotated = true;
    let [least, most] = [Infinity, 0];
    for (let p = 0; p < this.#factor.length; p += width + 1) {
      least = Math.min(least, Math.abs(this.#factor[p]));
      most = Math.max(most, Math.abs(this.#factor[p]));
    }
    if (most <= widestFactor * least) return { ...seen, factor: this.#factor };
    this.applyFactor();
    return this.evaluate(support);
  }

  /** stored ← Y, factor ← I. O(n·K²). */
  applyFactor(): void {
    if (this.#isRotated) rotateRows(this.stored.size, this.width, this.stored.data, this.#factor);
    this.#resetFactor();
  }

  /** Moves rows (eq:iterYneighbor) and updates the record in one pass over the batch. Returns false, without effect, if that kernel does not apply. */
  #moveFused(view: BatchView, update: RowUpdate, length: number): boolean {
    const { listed } = view;
    if (!listed || !this.#record || this.#isRotated || this.#follow) return false;
    const { width, own, affinity, massExponent } = update;
    const { gram, mean } = this.#record;
    const { data } = this.stored;
    const shift = update.shift(mean);
    const { rows, mass, eta } = listed;
    const count = rows.length;
    const product = this.#product.take(count * width);
    view.multiply(width, data, product);
    const { moveRows } = movingRowsKernels();
    moveRows(count, width, rows, mass, eta, own, affinity, shift, massExponent, length, product, data, gram, mean);
    return true;
  }

  /**
   * stored_B ← stored_B + length·direction·factor⁻¹: eq:iterYlocal, eq:iterYfull, eq:iterYneighbor, and with SpecNet1 eq:iterYlocal1, eq:iterYfull1,
   * eq:iterYneighbor1. Overwrites `direction`.
   */
  #add(batch: Int32Array, direction: Float64Array, length: number): void {
    const { width } = this;
    const { data } = this.stored;
    if (this.#isRotated) {
      solveRightInPlace(batch.length, width, false, false, this.#factor, new Float64Array(width), direction);
    }
    for (let i = 0, at = 0; i < batch.length; i++) {
      for (let j = 0, to = batch[i] * width; j < width; j++) data[to + j] += length * direction[at++];
    }
  }

  /** Updates the record for rows of the batch that have moved. Overwrites the direction of the batch. */
  #followMove({ batch, mass, eta }: BatchView, before: Float64Array, { gram, mean }: Moments): void {
    const { width } = this;
    const { data } = this.stored;
    const after = this.#batch.direction;
    for (let i = 0, at = 0; i < batch.length; i++) {
      for (let j = 0, from = batch[i] * width; j < width; j++) after[at++] = data[from + j];
    }
    if (this.#isRotated) rotateRows(after.length, width, after, this.#factor);
    const follow = this.#follow ?? movingRowsKernels().followRows;
    follow(batch.length, width, mass, eta, before, after, gram, mean);
  }

  #resetFactor(): void {
    this.#isRotated = false;
    for (let p = 0; p < this.#factor.length; p++) this.#factor[p] = Number(p % (this.width + 1) === 0);
  }

  #storedRows(support: Int32Array | null): Floats {
    if (!support) return this.stored.data;
    const rows = this.#support.take(support.length * this.width);
    kernels.gatherRows(support.length, this.width, support, this.stored.data, rows);
    return rows;
  }
}

/** Rows drawn from a normal law, of a size that makes YᵀDY about n²·I. */
export function randomRows(
  random: Random,
  size: number,
  width: number,
  mass: Float64Array,
  precision: Precision,
): Tensor {
  const rows = zeros([size, width], precision);
  const deviation = size / Math.sqrt(reduceKernels().sum(size, mass));
  for (let p = 0; p < rows.size; p++) rows.data[p] = deviation * random.normal();
  return rows;
}
