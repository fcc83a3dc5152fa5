/** The local join of NN-descent: points compared with each other, all distances from one call of a kernel. */

import { kernels } from '../../../kernels/table.ts';
import { allocate, type Tensor } from '../../../tensor/tensor.ts';
import { measureDistances } from '../blocks/distances.ts';
import type { NeighborHeaps } from './neighbor-heaps.ts';

/** Buffers for up to `capacity` members: their coordinates side by side, and their distances. */
export class LocalJoin {
  readonly #points: Tensor;
  readonly #power: number;
  readonly #coordinates: Float32Array;
  readonly #distances: Float32Array;
  /** Sums of powers, where the norm is not Euclidean. */
  readonly #sums: Float64Array;
  /** For each member the distance below which another is a nearer neighbor. */
  readonly #limits: Float32Array;

  constructor(points: Tensor, power: number, capacity: number) {
    this.#points = points;
    this.#power = power;
    this.#sums = allocate(power === 2 ? 0 : capacity * capacity, 'double');
    this.#coordinates = allocate(capacity * points.cols, 'single');
    this.#distances = allocate(capacity * capacity, 'single');
    this.#limits = new Float32Array(capacity);
  }

  /**
   * Compares the first `news` of the `all` members with each other and with the rest, which were compared before, and offers
   * each pair to both heaps. Returns the number of changes.
   */
  join(members: Int32Array, news: number, all: number, heaps: NeighborHeaps): number {
    const { cols, data } = this.#points;
    kernels.gatherRows(all, cols, members, data, this.#coordinates);
    const near = this.#coordinates;
    measureDistances(this.#power, news, all, cols, near, near, this.#sums, this.#distances);
    const limits = this.#limits;
    for (let k = 0; k < all; k++) limits[k] = heaps.farthest(members[k]);
    let changes = 0;
    for (let p = 0; p < news; p++) {
      for (let q = p + 1; q < all; q++) {
        const distance = this.#distances[p * all + q];
        // Most pairs are too far for both, which is known without reading the heaps.
        if ((distance > limits[p] && distance > limits[q]) || members[p] === members[q]) continue;
        if (heaps.offer(members[p], members[q], distance)) {
          limits[p] = heaps.farthest(members[p]);
          changes++;
        }
        if (heaps.offer(members[q], members[p], distance)) {
          limits[q] = heaps.farthest(members[q]);
          changes++;
        }
      }
    }
    return changes;
  }
}
