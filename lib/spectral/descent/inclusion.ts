/** The probability that a batch sees a row: that the row or one of its neighbors is in the batch. */

import type { CsrMatrix } from '../../sparse/csr.ts';

/** Inclusion probabilities for batches of different rows, drawn uniformly. */
export class Inclusion {
  readonly #size: number;
  /** For each row j: the number of its neighbors and itself. A batch sees j if it contains one of them. */
  readonly #counts: Int32Array;
  readonly #known = new Map<number, Float64Array>();

  /** The nonzeros of `weights`, n×n, are at symmetric positions. */
  constructor({ rows, starts, columns }: CsrMatrix) {
    this.#size = rows;
    this.#counts = new Int32Array(rows);
    for (let j = 0; j < rows; j++) {
      const own = columns.subarray(starts[j], starts[j + 1]);
      this.#counts[j] = own.length + Number(!own.includes(j));
    }
  }

  /** The expected number of rows that a batch sees. */
  expectedSupport(batch: number): number {
    return this.of(batch).reduce((sum, probability) => sum + probability, 0);
  }

  /** π_j for each row j. Cached for each batch size, of which an epoch has at most two. */
  of(batch: number): Float64Array {
    const known = this.#known.get(batch);
    if (known) return known;
    const byCount = new Map<number, number>();
    const all = Float64Array.from(this.#counts, (count) => {
      const probability = byCount.get(count) ?? inclusionProbability(this.#size, count, batch);
      byCount.set(count, probability);
      return probability;
    });
    this.#known.set(batch, all);
    return all;
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
