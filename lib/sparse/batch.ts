/** What may a batch of rows see, step after step? W[B, S] for three choices of S, in buffers that are used again. */

import { badKind } from '../core/check.ts';
import { visit, neighborUnion } from '../kernels/batch/batch.ts';
import type { Floats } from '../kernels/types.ts';
import { allocate } from '../tensor/tensor.ts';
import { canonical, type CsrMatrix, entriesIn } from './csr.ts';
import { allocateIndices, checkIndices, everyIndex } from './indices.ts';
import { checkSquare } from './inspect.ts';

/** Good until the next call of the slicer that made it; then its arrays hold the next batch. */
export interface BatchSlice {
  /** B, as given. */
  readonly batch: Int32Array;
  /** S, ascending, each row once. */
  readonly support: Int32Array;
  /** support[batchInSupport[i]] = batch[i]. */
  readonly batchInSupport: Int32Array;
  /** W[B, S]: its column j is row support[j]. */
  readonly weights: CsrMatrix;
}

/** A view and the storage it is a part of, which lives as long as the view. */
const keptAlive = new WeakMap<Int32Array, Int32Array>();

/** Slack for buffers whose contents vary in size from step to step. */
const growth = 1.5;

/** Slices the rows of batch after batch out of one square matrix, W[B, S], into buffers that are used again. */
export class BatchSlicer {
  readonly matrix: CsrMatrix;
  /** Where each row of the support stands in it, counted from `#base`; rows outside of it have less than that. */
  readonly #places: Int32Array;
  #base = 0;
  readonly #everyPlace: Int32Array;
  /** Room for all rows, and one more as `neighborUnion` wants it. Written anew for every batch, and never read again. */
  readonly #support: Int32Array;
  #inSupport = allocateIndices(0);
  #starts = allocateIndices(1);
  #columns = allocateIndices(0);
  #values: Floats;

  constructor(matrix: CsrMatrix) {
    checkSquare('BatchSlicer', matrix);
    this.matrix = matrix;
    this.#places = new Int32Array(matrix.rows).fill(-1);
    this.#everyPlace = everyIndex(matrix.rows);
    this.#support = allocateIndices(matrix.rows + 1);
    this.#values = allocate(0, matrix.precision);
  }

  /** S = the batch and all its neighbours. O(entries of the batch's rows + sorting S). */
  neighbors(batch: Int32Array): BatchSlice {
    this.#prepare('BatchSlicer.neighbors', batch);
    const { starts, columns } = this.matrix;
    const count = neighborUnion(batch.length, batch, starts, columns, this.#base, this.#places, this.#support);
    return this.#slice(batch, this.#placed(count));
  }

  /** S = the batch itself. O(entries of the batch's rows). */
  local(batch: Int32Array): BatchSlice {
    this.#prepare('BatchSlicer.local', batch);
    return this.#slice(batch, this.#placed(visit(batch, 0, batch.length, this.#base, this.#places, this.#support, 0)));
  }

  /** S = all rows. O(entries of the batch's rows + a copy of S). */
  full(batch: Int32Array): BatchSlice {
    this.#prepare('BatchSlicer.full', batch);
    this.#support.set(this.#everyPlace);
    return this.#slice(batch, this.#support.subarray(0, this.matrix.rows), this.#everyPlace, 0);
  }

  /** Checks the batch, makes room for its rows and forgets the last support. */
  #prepare(caller: string, batch: Int32Array): void {
    if (!(batch instanceof Int32Array)) throw badKind(caller, 'the batch as an Int32Array', batch);
    const { rows } = this.matrix;
    checkIndices(caller, 'the batch', batch, rows);
    const entries = entriesIn(this.matrix, batch);
    this.#starts = roomFor(this.#starts, batch.length + 1);
    this.#inSupport = roomFor(this.#inSupport, batch.length);
    this.#columns = roomFor(this.#columns, entries);
    if (this.#values.length < entries) this.#values = allocate(Math.ceil(entries * growth), this.matrix.precision);
    this.#base += rows;
    if (this.#base + rows <= 2 ** 31) return;
    this.#base = 0;
    this.#places.fill(-1);
  }

  /** The first so many rows of the support in order, with their places. */
  #placed(count: number): Int32Array {
    const support = this.#support.subarray(0, count);
    support.sort();
    for (let k = 0; k < count; k++) this.#places[support[k]] = this.#base + k;
    return support;
  }

  /** W[B, S]: entries outside of S are left out, and as places rise with rows the columns stay sorted. */
  #slice(batch: Int32Array, support: Int32Array, places = this.#places, base = this.#base): BatchSlice {
    const { matrix } = this;
    const starts = this.#starts;
    const columns = this.#columns;
    const values = this.#values;
    let at = 0;
    starts[0] = 0;
    for (let i = 0; i < batch.length; i++) {
      this.#inSupport[i] = places[batch[i]] - base;
      for (let e = matrix.starts[batch[i]]; e < matrix.starts[batch[i] + 1]; e++) {
        const place = places[matrix.columns[e]] - base;
        if (place < 0) continue;
        columns[at] = place;
        values[at++] = matrix.values[e];
      }
      starts[i + 1] = at;
    }
    const weights = canonical(
      batch.length,
      support.length,
      starts.subarray(0, batch.length + 1),
      columns.subarray(0, at),
      values.subarray(0, at),
      [starts, columns, values, this.#support, this.#inSupport],
    );
    const batchInSupport = this.#inSupport.subarray(0, batch.length);
    keptAlive.set(support, this.#support).set(batchInSupport, this.#inSupport);
    return { batch, support, batchInSupport, weights };
  }
}

function roomFor(buffer: Int32Array, length: number): Int32Array {
  return buffer.length < length ? allocateIndices(Math.ceil(length * growth)) : buffer;
}
