/** What does a descent know so far? For every point its nearest few, and which of them are new to the others. */

import { kernels } from '../../../kernels/table.ts';
import { allocate, type Tensor } from '../../../tensor/tensor.ts';
import { clearBest, isNearer, nobody, replaceFarthest } from '../../../kernels/nearest/heap.ts';

/**
 * Row i's best in a heap at i·width. Entries are tagged: twice the index, plus one if it has not met the others of its
 * list yet. That keeps the order of indices.
 */
export class Net {
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
    return this.tagged[row * this.width] !== nobody;
  }

  /** The distance of the farthest; without end while the row is not full. */
  farthest(row: number): number {
    return this.distances[row * this.width];
  }

  /** Takes (distance, index) in, as new, if it is nearer than the farthest and not there yet; says whether it did. */
  offer(row: number, index: number, distance: number): boolean {
    const { width, tagged, distances } = this;
    const base = row * width;
    if (!isNearer(distance, 2 * index, distances[base], tagged[base])) return false;
    for (let at = base; at < base + width; at++) if (tagged[at] >> 1 === index) return false;
    replaceFarthest(width, base, 2 * index + 1, distance, tagged, distances);
    return true;
  }
}

/** A place where points meet: their coordinates side by side, so that one call of a kernel measures all distances. */
export class Meeting {
  readonly #points: Tensor;
  readonly #coordinates: Float32Array;
  readonly #distances: Float32Array;
  /** Of each member, what the next one has to beat. */
  readonly #limits: Float32Array;

  constructor(points: Tensor, capacity: number) {
    this.#points = points;
    this.#coordinates = allocate(capacity * points.cols, 'single');
    this.#distances = allocate(capacity * capacity, 'single');
    this.#limits = new Float32Array(capacity);
  }

  /** The first `news` of the `all` members meet each other and the rest, who know each other; counts what changed. */
  hold(members: Int32Array, news: number, all: number, net: Net): number {
    const { cols, data } = this.#points;
    kernels.gatherRows(all, cols, members, data, this.#coordinates);
    kernels.squaredDistances(news, all, cols, this.#coordinates, this.#coordinates, this.#distances);
    const limits = this.#limits;
    for (let k = 0; k < all; k++) limits[k] = net.farthest(members[k]);
    let changes = 0;
    for (let p = 0; p < news; p++) {
      for (let q = p + 1; q < all; q++) {
        const distance = this.#distances[p * all + q];
        // Most are too far for both, and that is seen without a look at the net.
        if ((distance > limits[p] && distance > limits[q]) || members[p] === members[q]) continue;
        if (net.offer(members[p], members[q], distance)) {
          limits[p] = net.farthest(members[p]);
          changes++;
        }
        if (net.offer(members[q], members[p], distance)) {
          limits[q] = net.farthest(members[q]);
          changes++;
        }
      }
    }
    return changes;
  }
}
