/** `BatchSlicer`: the submatrices W[B, S] of one batch B after another, for three choices of the support S. */

import { badKind } from '../../core/check.ts';
import { visit, neighborUnion } from '../../kernels/batch/slice.ts';
import type { Floats } from '../../kernels/types.ts';
import { allocate } from '../../tensor/tensor.ts';
import { canonical, type CsrMatrix, entriesIn } from '../csr.ts';
import { allocateIndices, checkIndices, everyIndex } from '../indices.ts';
import { checkSquare } from '../inspect.ts';

/** Valid until the next call of the slicer that made it, which overwrites its arrays. */
export interface BatchSlice {
  /** B: the array that was passed. */
  readonly batch: Int32Array;
  /** S, ascending, each row once. */
  readonly support: Int32Array;
  /** support[batchInSupport[i]] = batch[i]. */
  readonly batchInSupport: Int32Array;
  /** W[B, S]: column j belongs to row support[j] of W. */
  readonly weights: CsrMatrix;
}

/** Maps a view to the array that owns its storage, so that the storage lives as long as the view. */
const keptAlive = new WeakMap<Int32Array, Int32Array>();

/** New buffers are larger than needed by this factor, since batches vary in size. */
const growth = 1.5;

/** Copies the submatrix W[B, S] of one batch after another out of a square matrix W, into buffers that it reuses. */
export class BatchSlicer {
  readonly matrix: CsrMatrix;
  /** #base + the position of each row in the support. Rows outside of the support have values below #base. */
  readonly #positions: Int32Array;
  #base = 0;
  readonly #everyPosition: Int32Array;
  /** Length: rows + 1, as `neighborUnion` requires. Overwritten by every batch. */
  readonly #support: Int32Array;
  #inSupport = allocateIndices(0);
  #starts = allocateIndices(1);
  #columns = allocateIndices(0);
  #values: Floats;

  constructor(matrix: CsrMatrix) {
    checkSquare('BatchSlicer', matrix);
    this.matrix = matrix;
    this.#positions = new Int32Array(matrix.rows).fill(-1);
    this.#everyPosition = everyIndex(matrix.rows);
    this.#support = allocateIndices(matrix.rows + 1);
    this.#values = allocate(0, matrix.precision);
  }

  /** S = the batch and all its neighbors. O(entries of the batch's rows + sorting S). */
  neighbors(batch: Int32Array): BatchSlice {
    this.#prepare('BatchSlicer.neighbors', batch);
    const { starts, columns } = this.matrix;
    const count = neighborUnion(batch.length, batch, starts, columns, this.#base, this.#positions, this.#support);
    return this.#slice(batch, this.#sortSupport(count));
  }

  /** S = the batch itself. O(entries of the batch's rows). */
  local(batch: Int32Array): BatchSlice {
    this.#prepare('BatchSlicer.local', batch);
    const count = visit(batch, 0, batch.length, this.#base, this.#positions, this.#support, 0);
    return this.#slice(batch, this.#sortSupport(count));
  }

  /** S = all rows. O(entries of the batch's rows + a copy of S). */
  full(batch: Int32Array): BatchSlice {
    this.#prepare('BatchSlicer.full', batch);
    this.#support.set(this.#everyPosition);
    return this.#slice(batch, this.#support.subarray(0, this.matrix.rows), this.#everyPosition, 0);
  }

  /** Checks the batch, grows the buffers to fit its rows and invalidates the last support. */
  #prepare(caller: string, batch: Int32Array): void {
    if (!(batch instanceof Int32Array)) throw badKind(caller, 'the batch as an Int32Array', batch);
    const { rows } = this.matrix;
    checkIndices(caller, 'the batch', batch, rows);
    const entries = entriesIn(this.matrix, batch);
    this.#starts = growTo(this.#starts, batch.length + 1);
    this.#inSupport = growTo(this.#inSupport, batch.length);
    this.#columns = growTo(this.#columns, entries);
    if (this.#values.length < entries) this.#values = allocate(Math.ceil(entries * growth), this.matrix.precision);
    this.#base += rows;
    if (this.#base + rows <= 2 ** 31) return;
    this.#base = 0;
    this.#positions.fill(-1);
  }

  /** Sorts the first `count` rows of the support and records the position of each. */
  #sortSupport(count: number): Int32Array {
    const support = this.#support.subarray(0, count);
    support.sort();
    for (let k = 0; k < count; k++) this.#positions[support[k]] = this.#base + k;
    return support;
  }

  /** W[B, S], without the entries outside of S. Positions increase with rows, so that the columns stay sorted. */
  #slice(batch: Int32Array, support: Int32Array, positions = this.#positions, base = this.#base): BatchSlice {
    const { starts: allStarts, columns: allColumns, values: allValues } = this.matrix;
    const starts = this.#starts;
    const columns = this.#columns;
    const values = this.#values;
    const inSupport = this.#inSupport;
    let at = 0;
    starts[0] = 0;
    for (let i = 0; i < batch.length; i++) {
      const row = batch[i];
      inSupport[i] = positions[row] - base;
      for (let e = allStarts[row], end = allStarts[row + 1]; e < end; e++) {
        const position = positions[allColumns[e]] - base;
        if (position < 0) continue;
        columns[at] = position;
        values[at++] = allValues[e];
      }
      starts[i + 1] = at;
    }
    const weights = canonical(
      batch.length,
      support.length,
      starts.subarray(0, batch.length + 1),
      columns.subarray(0, at),
      values.subarray(0, at),
      [starts, columns, values, this.#support, inSupport],
    );
    const batchInSupport = inSupport.subarray(0, batch.length);
    keptAlive.set(support, this.#support).set(batchInSupport, inSupport);
    return { batch, support, batchInSupport, weights };
  }
}

function growTo(buffer: Int32Array, length: number): Int32Array {
  return buffer.length < length ? allocateIndices(Math.ceil(length * growth)) : buffer;
}
