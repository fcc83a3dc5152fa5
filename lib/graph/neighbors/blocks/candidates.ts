/** Candidates for the nearest neighbors of each row, by distances in single precision. */

import { allocate } from '../../../tensor/tensor.ts';
import { clearBest, isNearer, replaceFarthest } from '../../../kernels/nearest/heap.ts';

/** The candidates of row i form a heap at i·width. `worst` repeats the roots, for fast access. */
export class Candidates {
  readonly width: number;
  readonly indices: Int32Array;
  readonly distances: Float32Array;
  readonly worst: Float32Array;

  constructor(rows: number, width: number) {
    this.width = width;
    this.indices = new Int32Array(rows * width);
    this.distances = new Float32Array(rows * width);
    clearBest(this.indices, this.distances);
    this.worst = allocate(rows, 'single').fill(Infinity);
  }

  /** Adds (distance, index) if it is nearer than the farthest. The result does not depend on the order of offers. */
  offer(row: number, index: number, distance: number): void {
    if (distance > this.worst[row]) return;
    const base = row * this.width;
    if (!isNearer(distance, index, this.distances[base], this.indices[base])) return;
    replaceFarthest(this.width, base, index, distance, this.indices, this.distances);
    this.worst[row] = this.distances[base];
  }
}
