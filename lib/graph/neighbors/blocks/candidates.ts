/** Candidates for the nearest neighbors of each row, by distances in single precision. */

import { allocate } from '../../../tensor/tensor.ts';
import { isNearer, replaceFarthest } from '../../../kernels/nearest/heap.ts';
import { Heaps } from '../heaps.ts';

/** `worst` repeats the roots, for fast access. */
export class Candidates extends Heaps {
  readonly worst: Float32Array;

  constructor(rows: number, width: number) {
    super(rows, width);
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
