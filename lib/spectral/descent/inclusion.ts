/** The probability that a batch sees a row: that the row or one of its neighbors is in the batch. */

import type { CsrMatrix } from '../../sparse/csr.ts';

/** Inclusion probabilities for batches of different rows, drawn uniformly. */
export class Inclusion {
  /** For each row j: the number of its neighbors and itself. A batch sees j if it contains one of them. */
  readonly #counts: Int32Array;
  /** For each batch size (an epoch has at most two), the probabilities by count; −1 until one is asked for. */
  readonly #known = new Map<number, Float64Array>();
  readonly #most: number;

  constructor(counts: Int32Array) {
    this.#counts = counts;
    this.#most = counts.reduce((most, count) => Math.max(most, count), 0);
  }

  /** The expected number of rows that a batch sees. */
  expectedSupport(batch: number): number {
    const known = this.#knownOf(batch);
    return this.#counts.reduce((sum, count) => sum + this.#probability(batch, count, known), 0);
  }

  /** π_j for each of these rows j. */
  at(batch: number, rows: Int32Array): Float64Array {
    const known = this.#knownOf(batch);
    const result = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) result[i] = this.#probability(batch, this.#counts[rows[i]], known);
    return result;
  }

  #knownOf(batch: number): Float64Array {
    const known = this.#known.get(batch) ?? new Float64Array(this.#most + 1).fill(-1);
    this.#known.set(batch, known);
    return known;
  }

  #probability(batch: number, count: number, known: Float64Array): number {
    if (known[count] < 0) known[count] = inclusionProbability(this.#counts.length, count, batch);
    return known[count];
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
