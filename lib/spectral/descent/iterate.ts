/** What is improved step by step? Rows of Y: here numbers of their own; a network that computes them can take their place. */

import { kernels } from '../../kernels/table.ts';
import type { Floats } from '../../kernels/types.ts';
import { solveRightInPlace } from '../../linalg/triangular.ts';
import { Buffer } from '../../tensor/buffer.ts';
import { type Precision, type Tensor, zeros } from '../../tensor/tensor.ts';
import { type Moments, rotateMoments } from './moments.ts';
import type { RowMap } from './row-map.ts';
import type { BatchView } from './view.ts';

export interface Iterate {
  /** K, the columns of Y. */
  readonly width: number;
  /** out[|B|×K] = W[B,S]·Y_S. */
  product(view: BatchView, out: Float64Array): void;
  /** out[|B|×K] = Y_B. */
  rows(view: BatchView, out: Float64Array): void;
  /** out = YᵀDY and ηᵀY over the support's rows, all of them if null. */
  measure(support: Int32Array | null, mass: Float64Array, eta: Float64Array | null, out: Moments): void;
  /** Y_B ← Y_B + length·direction; the direction's contents are lost. */
  move(view: BatchView, direction: Float64Array, length: number): void;
  /** Y ← Y·r for an upper triangular r. */
  rotate(r: Float64Array): void;
}

/** Diagonals further apart than this would cost digits when the factor is divided out again. */
const widestFactor = 1e6;

/**
 * Free rows: Y = stored·factor. A rotation of all rows touches the factor alone, O(K³), and is multiplied into the rows
 * by `settle`, so that a step never works on all of them.
 */
export class FreeRows implements Iterate {
  readonly width: number;
  readonly stored: Tensor;
  readonly #factor: Float64Array;
  #turned = false;
  readonly #row: Float64Array;
  readonly #product: Buffer;
  readonly #support: Buffer;

  /** Takes over `rows`, n×K. */
  constructor(rows: Tensor) {
    this.stored = rows;
    this.width = rows.cols;
    this.#factor = new Float64Array(this.width ** 2);
    this.#row = new Float64Array(this.width);
    this.#product = new Buffer(rows.precision);
    this.#support = new Buffer(rows.precision);
    this.#reset();
  }

  product(view: BatchView, out: Float64Array): void {
    const single = this.#product.take(view.batch.length * this.width);
    view.multiply(this.width, this.#storedRows(view.support), single);
    for (let p = 0; p < view.batch.length * this.width; p++) out[p] = single[p];
    this.#turn(view.batch.length, out);
  }

  rows({ batch }: BatchView, out: Float64Array): void {
    const { width } = this;
    const { data } = this.stored;
    for (let i = 0, at = 0; i < batch.length; i++) {
      for (let j = 0, from = batch[i] * width; j < width; j++) out[at++] = data[from + j];
    }
    this.#turn(batch.length, out);
  }

  measure(support: Int32Array | null, mass: Float64Array, eta: Float64Array | null, out: Moments): void {
    const count = support ? support.length : this.stored.rows;
    const rows = this.#storedRows(support);
    kernels.gram(count, this.width, this.width, mass, rows, rows, out.gram);
    if (eta) kernels.weightedColumnSums(count, this.width, eta, rows, out.mean);
    if (this.#turned) rotateMoments(out, this.#factor);
  }

  move({ batch }: BatchView, direction: Float64Array, length: number): void {
    const { width } = this;
    const { data } = this.stored;
    if (this.#turned) solveRightInPlace(batch.length, width, false, false, this.#factor, this.#row, direction);
    for (let i = 0, at = 0; i < batch.length; i++) {
      for (let j = 0, to = batch[i] * width; j < width; j++) data[to + j] += length * direction[at++];
    }
  }

  /** Y_B ← Y_B + length·what the map makes of it, and the moments of all rows with it; false, and nothing done, where rows are turned. */
  follow(view: BatchView, map: RowMap, length: number, { gram, mean }: Moments): boolean {
    if (this.#turned || !view.move) return false;
    const product = this.#product.take(view.batch.length * this.width);
    view.multiply(this.width, this.stored.data, product);
    view.move(map, length, product, this.stored.data, gram, mean);
    return true;
  }

  rotate(r: Float64Array): void {
    const { width } = this;
    const before = this.#factor.slice();
    kernels.matmul(width, width, width, before, r, this.#factor, false);
    this.#turned = true;
    let [least, most] = [Infinity, 0];
    for (let p = 0; p < this.#factor.length; p += width + 1) {
      least = Math.min(least, Math.abs(this.#factor[p]));
      most = Math.max(most, Math.abs(this.#factor[p]));
    }
    if (most > widestFactor * least) this.settle();
  }

  /** Y itself is stored again. O(n·K²). */
  settle(): void {
    if (this.#turned) this.#turn(this.stored.rows, this.stored.data);
    this.#reset();
  }

  #reset(): void {
    this.#turned = false;
    for (let p = 0; p < this.#factor.length; p++) this.#factor[p] = Number(p % (this.width + 1) === 0);
  }

  /** rows ← rows·factor, in Float64 and rounded once. */
  #turn(count: number, rows: Floats): void {
    if (!this.#turned) return;
    const { width } = this;
    const row = this.#row;
    for (let at = 0; at < count * width; at += width) {
      for (let j = 0; j < width; j++) {
        row[j] = 0;
        for (let p = 0; p <= j; p++) row[j] += rows[at + p] * this.#factor[p * width + j];
      }
      for (let j = 0; j < width; j++) rows[at + j] = row[j];
    }
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
  random: { normal(): number },
  size: number,
  width: number,
  mass: Float64Array,
  precision: Precision,
): Tensor {
  const rows = zeros([size, width], precision);
  const deviation = size / Math.sqrt(kernels.sum(size, mass));
  for (let p = 0; p < rows.size; p++) rows.data[p] = deviation * random.normal();
  return rows;
}
