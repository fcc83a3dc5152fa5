/** Growable lists of pairs whose number is not known in advance, and their conversion to rows. */

import { badValue } from '../../core/check.ts';
import { bucketByRow } from '../../kernels/batch/counting-sort.ts';

/** Row i holds entries starts[i] … starts[i+1]−1, indices ascending. */
export interface RadiusRows {
  readonly starts: Int32Array;
  readonly indices: Int32Array;
  readonly squaredDistances: Float32Array;
}

/** The largest count in an Int32Array. */
const mostHits = 2 ** 31 - 1;

/** Entries 0 … count − 1. After `makeRoom` callers write behind them and raise the count. */
export class HitList {
  rows = new Int32Array(1024);
  indices = new Int32Array(1024);
  squaredDistances = new Float32Array(1024);
  count = 0;
  readonly #caller: string;

  /** Errors are in the name of `caller`. */
  constructor(caller: string) {
    this.#caller = caller;
  }

  /** Ensures that `more` entries can be written. */
  makeRoom(more: number): void {
    const needed = this.count + more;
    if (needed <= this.rows.length) return;
    if (needed > mostHits) throw tooMany(this.#caller);
    const capacity = Math.min(mostHits, Math.max(needed, this.rows.length * 2));
    const { rows, indices, squaredDistances } = this;
    this.rows = new Int32Array(capacity);
    this.indices = new Int32Array(capacity);
    this.squaredDistances = new Float32Array(capacity);
    this.rows.set(rows);
    this.indices.set(indices);
    this.squaredDistances.set(squaredDistances);
  }

  /** Adds an entry, for which there is room. */
  add(row: number, index: number, squaredDistance: number): void {
    this.rows[this.count] = row;
    this.indices[this.count] = index;
    this.squaredDistances[this.count++] = squaredDistance;
  }

  /** CSR rows. Entries of one row remain in the order in which they were added; rows may have been added in any order. */
  byRows(size: number): RadiusRows {
    const starts = new Int32Array(size + 1);
    const indices = new Int32Array(this.count);
    const squaredDistances = new Float32Array(this.count);
    const rows = this.rows.subarray(0, this.count);
    bucketByRow(rows, this.indices, this.squaredDistances, starts, indices, squaredDistances);
    return { starts, indices, squaredDistances };
  }

  /** CSR rows of a symmetric relation from its pairs i < j: both directions, and each point with itself at distance 0. */
  bothWays(size: number): RadiusRows {
    const upper = this.byRows(size);
    if (2 * this.count + size > mostHits) throw tooMany(this.#caller);
    const starts = new Int32Array(size + 1);
    for (let e = 0; e < this.count; e++) starts[upper.indices[e] + 1]++;
    for (let i = 0; i < size; i++) starts[i + 1] += starts[i] + 1 + upper.starts[i + 1] - upper.starts[i];
    const indices = new Int32Array(starts[size]);
    const squaredDistances = new Float32Array(starts[size]);
    const next = starts.slice();
    // When row i is reached, all its neighbors below i were written, in ascending order.
    for (let i = 0; i < size; i++) {
      indices[next[i]++] = i;
      for (let e = upper.starts[i]; e < upper.starts[i + 1]; e++) {
        const j = upper.indices[e];
        squaredDistances[next[i]] = squaredDistances[next[j]] = upper.squaredDistances[e];
        indices[next[i]++] = j;
        indices[next[j]++] = i;
      }
    }
    return { starts, indices, squaredDistances };
  }
}

/** Sorts every row by its indices, in place. */
export function sortRows({ starts, indices, squaredDistances }: RadiusRows): void {
  for (let i = 0; i + 1 < starts.length; i++) {
    // By insertion: rows are short, or nearly sorted.
    for (let e = starts[i] + 1; e < starts[i + 1]; e++) {
      const [index, squared] = [indices[e], squaredDistances[e]];
      let at = e;
      for (; at > starts[i] && indices[at - 1] > index; at--) {
        indices[at] = indices[at - 1];
        squaredDistances[at] = squaredDistances[at - 1];
      }
      indices[at] = index;
      squaredDistances[at] = squared;
    }
  }
}

function tooMany(caller: string): RangeError {
  return badValue(caller, `at most ${mostHits} pairs of neighbors`, 'more', 'Take a smaller radius or sigma.');
}
