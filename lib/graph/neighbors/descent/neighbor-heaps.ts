/** The current nearest neighbors of every point in a descent, as heaps, with a flag for those that are new. */

import { noIndex } from '../../../kernels/nearest/heap.ts';
import { offerTo } from '../../../kernels/nearest/join.ts';
import { Heaps } from '../heaps.ts';

/**
 * Indices are tagged: twice the index, plus one while the neighbor is new, that is, was not compared with the others of its
 * list. Tags keep the order of indices.
 */
export class NeighborHeaps extends Heaps {
  isFull(row: number): boolean {
    return this.indices[row * this.width] !== noIndex;
  }

  /** The distance of the farthest neighbor; Infinity while the row is not full. */
  farthest(row: number): number {
    return this.distances[row * this.width];
  }

  /** Adds (distance, index) as new if it is nearer than the farthest and not in the row yet. */
  offer(row: number, index: number, distance: number): void {
    offerTo(row, index, distance, this.width, this.indices, this.distances);
  }

  /** The fraction of neighbors that are new. */
  newFraction(): number {
    let count = 0;
    for (let at = 0; at < this.indices.length; at++) count += this.indices[at] & 1;
    return count / this.indices.length;
  }
}
