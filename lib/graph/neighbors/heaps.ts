/** Heaps of the nearest points so far, one for each row. */

import { clearBest } from '../../kernels/nearest/heap.ts';
import { allocateIndices } from '../../sparse/indices.ts';
import { allocate } from '../../tensor/tensor.ts';

/** The heap of row i is at i·width. Its root is the farthest; empty entries are farther than every point. */
export class Heaps {
  readonly width: number;
  readonly indices: Int32Array;
  readonly distances: Float32Array;

  constructor(rows: number, width: number) {
    this.width = width;
    this.indices = allocateIndices(rows * width);
    this.distances = allocate(rows * width, 'single');
    clearBest(this.indices, this.distances);
  }
}
