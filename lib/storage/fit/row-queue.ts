/** `RowQueue`: the rows of W of several batches, read together in the order of the file, so that a page serves all of them. */

import { type CsrMatrix, rowsBetween } from '../../sparse/csr.ts';
import { allocateIndices } from '../../sparse/indices.ts';
import { rowGrowth } from '../graph/row-room.ts';
import type { StoredGraph } from '../graph/stored-graph.ts';

/** At most so many rows are read at a time: more would keep the caller waiting. */
const mostRows = 1 << 10;

/** The batches come from `before`, and their rows from `take`, which reads those of a whole group when the first of them is taken. */
export class RowQueue {
  readonly #room: number;
  readonly #takeSeveral: (rows: Int32Array) => CsrMatrix;
  readonly #takeOne: (rows: Int32Array) => CsrMatrix;
  /** The batches of the group, one after the other, and where they begin in it. */
  #rows = new Int32Array(0);
  readonly #begins = new Map<Int32Array, number>();
  #matrix: CsrMatrix | null = null;
  #starts = allocateIndices(0);

  /** `memory` bytes bound the rows of a group. A graph whose cache holds it is read batch by batch. */
  constructor(graph: StoredGraph, memory: number) {
    const perRow = rowGrowth * (graph.nonzeros / graph.size) * (graph.precision === 'double' ? 12 : 8);
    this.#room = graph.fitsCache ? 0 : Math.min(mostRows, Math.floor(memory / perRow));
    [this.#takeSeveral, this.#takeOne] = [graph.rowTaker(), graph.rowTaker()];
  }

  /** Yields copies of the batches, as long groups at a time as the memory allows. */
  *before(batches: Iterable<Int32Array>): Generator<Int32Array, void> {
    let [group, count]: [Int32Array[], number] = [[], 0];
    for (const batch of batches) {
      if (count > 0 && count + batch.length > this.#room) {
        yield* this.#begin(group, count);
        [group, count] = [[], 0];
      }
      group.push(batch.slice());
      count += batch.length;
    }
    yield* this.#begin(group, count);
  }

  /** The rows of a batch, valid until the next call. They may be overwritten. */
  take(batch: Int32Array): CsrMatrix {
    const begin = this.#begins.get(batch);
    if (begin === undefined || this.#begins.size < 2) return this.#takeOne(batch);
    this.#matrix ??= this.#takeSeveral(this.#rows);
    this.#begins.delete(batch); // the caller may overwrite its rows
    if (this.#starts.length <= batch.length) this.#starts = allocateIndices(2 * batch.length + 1);
    return rowsBetween(this.#matrix, begin, begin + batch.length, this.#starts.subarray(0, batch.length + 1));
  }

  *#begin(group: readonly Int32Array[], count: number): Generator<Int32Array, void> {
    this.#begins.clear();
    this.#matrix = null;
    this.#rows = new Int32Array(count);
    let at = 0;
    for (const batch of group) {
      this.#rows.set(batch, at);
      this.#begins.set(batch, at);
      at += batch.length;
    }
    yield* group;
  }
}
