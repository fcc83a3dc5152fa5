/** The current nearest neighbors of every point in a descent, as heaps, with a flag for those that are new. */

import { clearBest, isNearer, noIndex, replaceFarthest } from '../../../kernels/nearest/heap.ts';

/**
 * The nearest neighbors of row i form a heap at i·width. Entries are tagged: twice the index, plus one while the neighbor is
 * new, that is, was not compared with the others of its list. Tags keep the order of indices.
 */
export class NeighborHeaps {
  readonly width: number;
  readonly tagged: Int32Array;
  readonly distances: Float32Array;

  constructor(points: number, width: number) {
    this.width = width;
    this.tagged = new Int32Array(points * width);
    this.distances = new Float32Array(points * width);
    clearBest(this.tagged, this.distances);
  }

  isFull(row: number): boolean {
    return this.tagged[row * this.width] !== noIndex;
  }

  /** The distance of the farthest neighbor; Infinity while the row is not full. */
  farthest(row: number): number {
    return this.distances[row * this.width];
  }

  /** Adds (distance, index) as new if it is nearer than the farthest and not in the row yet. Returns whether it did. */
  offer(row: number, index: number, distance: number): boolean {
    const { width, tagged, distances } = this;
    const base = row * width;
    if (!isNearer(distance, 2 * index, distances[base], tagged[base])) return false;
    for (let at = base; at < base + width; at++) if (tagged[at] >> 1 === index) return false;
    replaceFarthest(width, base, 2 * index + 1, distance, tagged, distances);
    return true;
  }
}
