/** `AliasTable`: draws indices with given weights in constant time (Walker's alias method). */

import type { Random } from './random.ts';

/** A table of cells, one for each weight. A draw picks a cell uniformly and returns its index or its alias. */
export class AliasTable {
  /** The probability that a cell returns its own index. */
  readonly #own: Float64Array;
  readonly #alias: Int32Array;

  /** The weights are not negative, and their sum is positive. O(count). */
  constructor(weights: ArrayLike<number>) {
    const count = weights.length;
    let total = 0;
    for (let i = 0; i < count; i++) total += weights[i];
    this.#own = Float64Array.from(weights, (weight) => (weight / total) * count);
    this.#alias = new Int32Array(count);
    this.#fill(count);
  }

  /** Index i with the probability weight_i/Σ weights. */
  draw(random: Random): number {
    const cell = random.integer(this.#own.length);
    return random.uniform() < this.#own[cell] ? cell : this.#alias[cell];
  }

  /** Vose's order: each cell below 1 is filled up from a cell above 1. */
  #fill(count: number): void {
    const own = this.#own;
    // Cells below 1 from the left end, the others from the right end.
    const order = new Int32Array(count);
    let small = 0;
    let large = count;
    for (let i = 0; i < count; i++) order[own[i] < 1 ? small++ : --large] = i;
    while (small > 0 && large < count) {
      const cell = order[--small];
      const from = order[large];
      this.#alias[cell] = from;
      own[from] -= 1 - own[cell];
      if (own[from] < 1) {
        large++;
        order[small++] = from;
      }
    }
    // The rest are 1 up to rounding.
    for (let p = 0; p < small; p++) own[order[p]] = 1;
    for (let p = large; p < count; p++) own[order[p]] = 1;
  }
}
