/** Sampled edges and the unbiased gradient of f2 on them: the scheme 'edges', which needs neither neighborhoods nor moments. */

import { AliasTable } from '../../core/alias-table.ts';
import type { Random } from '../../core/random.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';

/** Draws entries (i, j) of W with the probability W_ij/volume. Then i, and also j, is a node drawn in proportion to its degree. */
export class EdgeSampler {
  readonly #weights: CsrMatrix;
  /** Null if all weights are equal. */
  readonly #table: AliasTable | null;

  constructor(weights: CsrMatrix) {
    const { values } = weights;
    this.#weights = weights;
    this.#table = values.every((value) => value === values[0]) ? null : new AliasTable(values);
  }

  /** Overwrites `ends` with the two nodes of each edge, one edge after the other. Edges are independent of each other. */
  draw(random: Random, ends: Int32Array): void {
    const { starts, columns } = this.#weights;
    for (let at = 0; at < ends.length; at += 2) {
      const entry = this.#table ? this.#table.draw(random) : random.integer(columns.length);
      ends[at] = rowOf(starts, entry);
      ends[at + 1] = columns[entry];
    }
  }

  /** `steps` batches of `edges` edges, each valid until the next one. */
  *batches(steps: number, edges: number, random: Random): Generator<Int32Array, void> {
    const ends = new Int32Array(2 * edges);
    for (let step = 0; step < steps; step++) {
      this.draw(random, ends);
      yield ends;
    }
  }
}

/** The row of an entry: the last one that does not start after it. */
function rowOf(starts: Int32Array, entry: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (starts[middle] <= entry) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * The gradient of an unbiased estimate of f2. rows[count×width] are the rows f = (√volume/n)·y of the ends of count/2 ≥ 2 edges,
 * partners next to each other. In these units f2 = −2·E[f_i·f_j over edges] + E[2f_i·f_j + (f_i·f_j)² over pairs of nodes], where
 * both nodes are drawn in proportion to their degrees; without deflation there is no 2f_i·f_j. The ends of different edges
 * are such a pair, those of the same edge are not. With p′ the partner of p and N = count·(count − 2), the number of pairs,
 *
 *     g_p = 4/N·(f_p·FᵀF − (f_p·f_p)f_p − (f_p·f_p′)f_p′ + ΣF − f_p − f_p′) − 4/count·f_p′
 *
 * Overwrites out[count×width]. O(count·width²).
 */
export function edgeGradient(
  count: number,
  width: number,
  deflate: boolean,
  rows: Float64Array,
  out: Float64Array,
): void {
  const gram = new Float64Array(width * width);
  const sum = new Float64Array(width);
  for (let at = 0; at < count * width; at += width) {
    for (let k = 0; k < width; k++) {
      const entry = rows[at + k];
      if (deflate) sum[k] += entry;
      for (let l = 0; l < width; l++) gram[k * width + l] += entry * rows[at + l];
    }
  }
  const pairs = 4 / (count * (count - 2));
  const edges = 4 / count;
  for (let p = 0; p < count; p++) {
    const own = p * width;
    const partner = (p ^ 1) * width;
    let square = Number(deflate);
    let product = Number(deflate);
    for (let k = 0; k < width; k++) {
      square += rows[own + k] * rows[own + k];
      product += rows[own + k] * rows[partner + k];
    }
    for (let k = 0; k < width; k++) {
      let all = sum[k];
      for (let l = 0; l < width; l++) all += rows[own + l] * gram[l * width + k];
      const others = all - square * rows[own + k] - product * rows[partner + k];
      out[own + k] = pairs * others - edges * rows[partner + k];
    }
  }
}
