/** What may a batch of rows see, step after step? W[B, S] for three choices of S, in buffers that are used again. */

import { badKind } from '../core/check.ts';
import type { Floats } from '../kernels/types.ts';
import { allocate } from '../tensor/tensor.ts';
import { canonical, type CsrMatrix } from './csr.ts';
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
  /** Where each row of the support stands in it, −1 for all others. */
  readonly #places: Int32Array;
  readonly #everyPlace: Int32Array;
  #support = allocateIndices(0);
  /** Rows of the support that have a place. */
  #count = 0;
  #inSupport = allocateIndices(0);
  #starts = allocateIndices(1);
  #columns = allocateIndices(0);
  #values: Floats;

  constructor(matrix: CsrMatrix) {
    checkSquare('BatchSlicer', matrix);
    this.matrix = matrix;
    this.#places = new Int32Array(matrix.rows).fill(-1);
    this.#everyPlace = everyIndex(matrix.rows);
    this.#values = allocate(0, matrix.precision);
  }

  /** S = the batch and all its neighbours. O(entries of the batch's rows + sorting S). */
  neighbors(batch: Int32Array): BatchSlice {
    const entries = this.#prepare('BatchSlicer.neighbors', batch);
    const { starts, columns } = this.matrix;
    this.#meet(batch, 0, batch.length, batch.length + entries);
    for (const row of batch) this.#meet(columns, starts[row], starts[row + 1], 0);
    return this.#slice(batch, this.#placed());
  }

  /** S = the batch itself. O(entries of the batch's rows). */
  local(batch: Int32Array): BatchSlice {
    this.#prepare('BatchSlicer.local', batch);
    this.#meet(batch, 0, batch.length, batch.length);
    return this.#slice(batch, this.#placed());
  }

  /** S = all rows. O(entries of the batch's rows). */
  full(batch: Int32Array): BatchSlice {
    this.#prepare('BatchSlicer.full', batch);
    return this.#slice(batch, this.#everyPlace, this.#everyPlace);
  }

  /** Checks the batch, makes room for its rows and forgets the last support; returns how many entries the rows hold. */
  #prepare(caller: string, batch: Int32Array): number {
    if (!(batch instanceof Int32Array)) throw badKind(caller, 'the batch as an Int32Array', batch);
    const { starts, rows } = this.matrix;
    checkIndices(caller, 'the batch', batch, rows);
    let entries = 0;
    for (const row of batch) entries += starts[row + 1] - starts[row];
    this.#starts = roomFor(this.#starts, batch.length + 1);
    this.#inSupport = roomFor(this.#inSupport, batch.length);
    this.#columns = roomFor(this.#columns, entries);
    if (this.#values.length < entries) this.#values = allocate(Math.ceil(entries * growth), this.matrix.precision);
    while (this.#count > 0) this.#places[this.#support[--this.#count]] = -1;
    return entries;
  }

  /** Appends the rows list[from … to−1] that have no place yet to the support, with room for `most`. */
  #meet(list: Int32Array, from: number, to: number, most: number): void {
    this.#support = roomFor(this.#support, Math.min(this.matrix.rows, most));
    const places = this.#places;
    for (let k = from; k < to; k++) {
      if (places[list[k]] >= 0) continue;
      places[list[k]] = 0;
      this.#support[this.#count++] = list[k];
    }
  }

  /** The support in order, with the places of its rows. */
  #placed(): Int32Array {
    const support = this.#support.subarray(0, this.#count);
    support.sort();
    for (let k = 0; k < support.length; k++) this.#places[support[k]] = k;
    return support;
  }

  /** W[B, S]: entries outside of S are left out, and as places rise with rows the columns stay sorted. */
  #slice(batch: Int32Array, support: Int32Array, places: Int32Array = this.#places): BatchSlice {
    const { matrix } = this;
    const starts = this.#starts;
    const columns = this.#columns;
    const values = this.#values;
    let at = 0;
    starts[0] = 0;
    for (let i = 0; i < batch.length; i++) {
      this.#inSupport[i] = places[batch[i]];
      for (let e = matrix.starts[batch[i]]; e < matrix.starts[batch[i] + 1]; e++) {
        const column = matrix.columns[e];
        if (places[column] < 0) continue;
        columns[at] = places[column];
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
