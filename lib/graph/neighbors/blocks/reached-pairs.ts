/** Pairs of a query and a point whose reach may include the query, collected while products find the nearest points. */

import { allocate } from '../../../tensor/tensor.ts';
import type { HitList } from '../hit-list.ts';
import type { Reach, SiftedPairs } from './products.ts';

/** Notes the pairs with ‖x − y‖² ≤ squared[y], up to rounding. */
export class ReachedPairs implements Reach {
  readonly hits: HitList;
  readonly #squared: Float32Array;
  #limits: Float32Array = new Float32Array(0);

  constructor(squared: Float32Array, hits: HitList) {
    this.#squared = squared;
    this.hits = hits;
  }

  /** The same for points that were moved by at most `error`. */
  widened(error: number): ReachedPairs {
    return new ReachedPairs(
      this.#squared.map((one) => (Math.sqrt(one) + error) ** 2),
      this.hits,
    );
  }

  /** The same for points in another order: place i holds row order[i]. */
  reordered(order: Int32Array): ReachedPairs {
    return new ReachedPairs(
      Float32Array.from(order, (row) => this.#squared[row]),
      this.hits,
    );
  }

  limits(bound: number): Float32Array {
    const squared = this.#squared;
    const limits = allocate(squared.length, 'single');
    for (let j = 0; j < limits.length; j++) limits[j] = (squared[j] + bound) * (1 + 2 ** -20);
    this.#limits = limits;
    return limits;
  }

  /** Adds the pairs of a block in which the query is within the limit of the point. */
  note(...[count, n, top, left, places, distances]: SiftedPairs): void {
    const { hits } = this;
    const limits = this.#limits;
    hits.makeRoom(count);
    for (let h = 0, row = top, begin = 0; h < count; h++) {
      for (; places[h] >= begin + n; begin += n) row++;
      if (!(distances[h] <= limits[row])) continue;
      hits.rows[hits.count] = left + places[h] - begin;
      hits.indices[hits.count++] = row;
    }
  }
}
