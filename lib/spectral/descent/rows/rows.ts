/** `Rows`: the rows of Y as a step reads and moves them. They are free (`FreeRows`) or outputs of a network (`NetworkRows`). */

import type { Floats } from '../../../kernels/types.ts';
import { GrowableArray } from '../../../tensor/growable-array.ts';
import { allocate, type Precision } from '../../../tensor/tensor.ts';
import { movingRowsKernels } from '../../../wasm/families.ts';
import type { Moments } from '../moments.ts';
import type { BatchArrays, RowUpdate } from '../row-update.ts';
import type { Stepper } from '../step-rule.ts';
import type { BatchView, SeenRows } from '../view.ts';

export interface Rows {
  /** K, the columns of Y. */
  readonly width: number;
  /** Y_S for these rows, or all rows for null. Valid until the next call. */
  evaluate(support: Int32Array | null): SeenRows;
  /**
   * Free rows: Y_B ← Y_B + length·direction, from what `evaluate` has seen. A network: one step of its optimizer, where −length·direction
   * is the gradient with respect to Y_B. The stepper chooses the length and may change the direction, which is that of the update.
   * Returns the length, which is not positive: directions point along the gradient.
   */
  move(view: BatchView, seen: SeenRows, moments: Moments, update: RowUpdate, stepper: Stepper): number;
  /** Y ← Y·r for an upper triangular r; a network's rows for the rest of the step only. Returns Y_S·r. */
  rotate(view: BatchView, seen: SeenRows, r: Float64Array): SeenRows;
}

/** The arrays of a batch, in buffers that are reused by the next batch. */
export class BatchRows implements BatchArrays {
  rows: Float64Array = new Float64Array(0);
  product: Float64Array = new Float64Array(0);
  direction: Float64Array = new Float64Array(0);
  readonly #width: number;
  readonly #product: GrowableArray;

  constructor(width: number, precision: Precision) {
    this.#width = width;
    this.#product = new GrowableArray(precision);
  }

  /** Reads Y_B, the rows of data·factor at these places, and computes W[B,:]·table·factor. `table` is the operand of `view.multiply`. */
  read(view: BatchView, data: Floats, places: Int32Array, table: Floats, factor: Float64Array | null): void {
    const width = this.#width;
    const length = view.batch.length * width;
    if (this.rows.length !== length) {
      [this.rows, this.product, this.direction] = [0, 1, 2].map(() => allocate(length, 'double'));
    }
    for (let i = 0, at = 0; at < length; i++) {
      for (let j = 0, from = places[i] * width; j < width; j++) this.rows[at++] = data[from + j];
    }
    const product = this.#product.take(length);
    view.multiply(width, table, product);
    for (let p = 0; p < length; p++) this.product[p] = product[p];
    if (!factor) return;
    rotateRows(length, width, this.rows, factor);
    rotateRows(length, width, this.product, factor);
  }
}

/** rows ← rows·r for the first `length` numbers, in Float64 and rounded once. */
export function rotateRows(length: number, width: number, rows: Floats, r: Float64Array): void {
  movingRowsKernels().multiplyRows(length / width, width, null, rows, r, rows);
}
