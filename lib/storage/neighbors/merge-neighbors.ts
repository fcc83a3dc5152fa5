/** Lists of nearest neighbors that grow: the best so far of each row, merged with those found in another part of the points. */

import { isNearer } from '../../kernels/nearest/heap.ts';
import type { NeighborRows } from '../../graph/neighbors/neighbor-rows.ts';
import { insertSelf, makeRows } from '../../graph/neighbors/neighbors.ts';

/** The nearest neighbors of rows among the points seen so far, without the row's own point. */
export class GrowingNeighbors {
  readonly rows: NeighborRows;
  /** The index of the point of each row. */
  readonly #selves: Int32Array;
  readonly #found: Int32Array;
  readonly #row: NeighborRows;

  /** `count` neighbors of each point, in rows with room for `stride`. */
  constructor(selves: Int32Array, stride: number, count: number) {
    this.rows = makeRows(selves.length, stride, count);
    this.#selves = selves;
    this.#found = new Int32Array(selves.length);
    this.#row = makeRows(1, count, count);
  }

  /** The rows that have fewer neighbors than they should. */
  unfinished(): Int32Array {
    return Int32Array.from(this.#found.keys()).filter((row) => this.#found[row] < this.rows.count);
  }

  /**
   * Merges row i with `width` others from place q on, sorted by distance, then by index, none of which the row has. Equal
   * distances are ordered by index.
   */
  merge(i: number, width: number, q: number, indices: Int32Array, squaredDistances: Float32Array): void {
    const { count, stride, indices: known, squaredDistances: knownDistances } = this.rows;
    const { indices: merged, squaredDistances: mergedDistances } = this.#row;
    const self = this.#selves[i];
    const begin = i * stride;
    const [knownEnd, end] = [begin + this.#found[i], q + width];
    let [p, kept] = [begin, 0];
    for (; kept < count; kept++) {
      while (q < end && indices[q] === self) q++;
      const isOver = q >= end;
      if (isOver && p >= knownEnd) break;
      const isKnown =
        isOver || (p < knownEnd && isNearer(knownDistances[p], known[p], squaredDistances[q], indices[q]));
      merged[kept] = isKnown ? known[p] : indices[q];
      mergedDistances[kept] = isKnown ? knownDistances[p++] : squaredDistances[q++];
    }
    for (let k = 0; k < kept; k++) {
      known[begin + k] = merged[k];
      knownDistances[begin + k] = mergedDistances[k];
    }
    this.#found[i] = kept;
  }

  /** The squared distance that a neighbor of row i must not exceed; Infinity while some are missing. */
  limit(i: number): number {
    const { count, stride, squaredDistances } = this.rows;
    return this.#found[i] < count ? Infinity : squaredDistances[i * stride + count - 1];
  }

  /** Adds a point that row i does not have, if it is nearer than the last neighbor and is not the row's own. */
  offer(i: number, index: number, squaredDistance: number): void {
    const { count, stride, indices, squaredDistances } = this.rows;
    if (index === this.#selves[i]) return;
    const begin = i * stride;
    let at = begin + this.#found[i];
    if (this.#found[i] < count) this.#found[i]++;
    else if (isNearer(squaredDistance, index, squaredDistances[at - 1], indices[at - 1])) at--;
    else return;
    for (; at > begin && isNearer(squaredDistance, index, squaredDistances[at - 1], indices[at - 1]); at--) {
      indices[at] = indices[at - 1];
      squaredDistances[at] = squaredDistances[at - 1];
    }
    indices[at] = index;
    squaredDistances[at] = squaredDistance;
  }

  /** Forgets the neighbors of row i. */
  clear(i: number): void {
    this.#found[i] = 0;
  }

  /** Adds each point to its own neighbors. Nothing is merged after that. */
  insertSelves(): void {
    for (let i = 0; i < this.#selves.length; i++) insertSelf(i, this.rows, this.#selves[i]);
  }
}
