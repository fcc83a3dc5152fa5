/** Candidates for the next round of a descent: for every point a uniform sample of bounded size, drawn from a stream. */

import type { Random } from '../../../core/random.ts';

export class CandidateLists {
  readonly #capacity: number;
  readonly #candidates: Int32Array;
  /** The number of candidates offered to each point, including those that were not kept. */
  readonly #seen: Int32Array;

  constructor(points: number, capacity: number) {
    this.#capacity = capacity;
    this.#candidates = new Int32Array(points * capacity);
    this.#seen = new Int32Array(points);
  }

  clear(): void {
    this.#seen.fill(0);
  }

  /** Keeps each candidate that is offered to a point with the same probability (reservoir sampling). */
  add(point: number, candidate: number, random: Random): void {
    if (this.has(point, candidate)) return;
    const seen = ++this.#seen[point];
    const slot = seen <= this.#capacity ? seen - 1 : random.integer(seen);
    if (slot < this.#capacity) this.#candidates[point * this.#capacity + slot] = candidate;
  }

  has(point: number, candidate: number): boolean {
    const base = point * this.#capacity;
    for (let at = base; at < base + this.#lengthOf(point); at++) if (this.#candidates[at] === candidate) return true;
    return false;
  }

  /** Copies the point's candidates to out[from …]. Returns their number. */
  read(point: number, out: Int32Array, from: number): number {
    const base = point * this.#capacity;
    const count = this.#lengthOf(point);
    for (let k = 0; k < count; k++) out[from + k] = this.#candidates[base + k];
    return count;
  }

  #lengthOf(point: number): number {
    return Math.min(this.#seen[point], this.#capacity);
  }
}
