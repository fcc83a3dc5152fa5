/** The current nearest neighbors of every point in a descent, as heaps, with a flag for those that are new. */

import { isNearer, noIndex, replaceFarthest } from '../../../kernels/nearest/heap.ts';
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

  /** Adds (distance, index) as new if it is nearer than the farthest and not in the row yet. Returns whether it did. */
  offer(row: number, index: number, distance: number): boolean {
    const { width, indices: tagged, distances } = this;
    const base = row * width;
    if (!isNearer(distance, 2 * index, distances[base], tagged[base])) return false;
    for (let at = base; at < base + width; at++) if (tagged[at] >> 1 === index) return false;
    replaceFarthest(width, base, 2 * index + 1, distance, tagged, distances);
    return true;
  }
}
