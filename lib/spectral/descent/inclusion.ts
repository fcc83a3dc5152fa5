/** The probability that a batch sees a row: that the row or one of its neighbors is in the batch. */

import type { CsrMatrix } from '../../sparse/csr.ts';

/** Inclusion probabilities for batches of different rows, drawn uniformly. */
export class Inclusion {
  /** For each row j: the number of its neighbors and itself. A batch sees j if it contains one of them. */
  readonly #counts: Int32Array;
  /** For each batch size, of which an epoch has at most two: the probability of a row with this count. */
  readonly #known = new Map<number, Map<number, number>>();

  constructor(counts: Int32Array) {
    this.#counts = counts;
  }

  /** The expected number of rows that a batch sees. */
  expectedSupport(batch: number): number {
    return this.#counts.reduce((sum, count) => sum + this.#of(batch, count), 0);
  }

  /** π_j for each of these rows j. */
  at(batch: number, rows: Int32Array): Float64Array {
    return Float64Array.from(rows, (row) => this.#of(batch, this.#counts[row]));
  }

  #of(batch: number, count: number): number {
    const byCount = this.#known.get(batch) ?? new Map<number, number>();
    if (byCount.size === 0) this.#known.set(batch, byCount);
    let probability = byCount.get(count);
    if (probability === undefined) {
      probability = inclusionProbability(this.#counts.length, count, batch);
      byCount.set(count, probability);
    }
    return probability;
  }
}

/** The probabilities on a graph. The nonzeros of `weights`, n×n, are at symmetric positions. */
export function inclusionIn(weights: CsrMatrix): Inclusion {
  const counts = new Int32Array(weights.rows);
  countNeighbors(weights, 0, counts);
  return new Inclusion(counts);
}

/** Sets the counts of the rows from `first` on, which `weights` has: of neighbors and the row itself. */
export function countNeighbors({ rows, starts, columns }: CsrMatrix, first: number, counts: Int32Array): void {
  for (let i = 0; i < rows; i++) {
    const own = columns.subarray(starts[i], starts[i + 1]);
    counts[first + i] = own.length + Number(!own.includes(first + i));
  }
}

/**
 * The probability that at least one of `count` given rows is among `batch` rows drawn from `size` rows:
 * 1 − C(size − count, batch)/C(size, batch). The quotient is a product of factors 1 − count/(size − t), t < batch.
 */
function inclusionProbability(size: number, count: number, batch: number): number {
  if (batch > size - count) return 1;
  let logOfNone = 0;
  for (let t = 0; t < batch; t++) logOfNone += Math.log1p(-count / (size - t));
  return -Math.expm1(logOfNone);
}
