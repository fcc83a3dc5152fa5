/** Heaps of the nearest points so far, one for each row. */

import { clearBest } from '../../kernels/nearest/heap.ts';

/** The heap of row i is at i·width. Its root is the farthest; empty entries are farther than every point. */
export class Heaps {
  readonly width: number;
  readonly indices: Int32Array;
  readonly distances: Float32Array;

  constructor(rows: number, width: number) {
    this.width = width;
    this.indices = new Int32Array(rows * width);
    this.distances = new Float32Array(rows * width);
    clearBest(this.indices, this.distances);
  }
}
