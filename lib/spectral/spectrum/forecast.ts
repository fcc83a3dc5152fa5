/** A forecast of how many products Lanczos still needs, from the residuals at its restarts. */

import { largestMagnitude } from '../../linalg/matrix.ts';
import type { LanczosProgress } from '../../linalg/lanczos/search.ts';

/** Lanczos always gets this fraction of the products that the multilevel solver is worth: before, forecasts are too long. */
const trial = 0.2;
/** It ends in any case after so many times as many products as the multilevel solver is worth, and is hopeless after more. */
const mostFactor = { poor: 2, hopeless: 6 };
/** What the multilevel solver costs, in products of Lanczos: `products`, and `work` for what does not depend on the size. */
const worth = { products: 280, work: 2.5e8 };
/** A product of Lanczos costs as much as this many matrix entries for each node, for orthogonalization. */
const entriesPerNode = 32;

export class Forecast {
  /** Products up to the last restart. */
  products = 0;
  /** Whether Lanczos seems to need many more products. False once the wanted pairs have converged. */
  isPoor = false;
  /** Whether it seems so after very many products. */
  isHopeless = false;
  readonly #target: number;
  /** The products that the multilevel solver is worth on this graph. */
  readonly #worth: number;
  /** The smallest residual up to each restart: residuals rise again where Lanczos discovers another pair. */
  readonly #history: { products: number; residual: number }[] = [];

  /** For residuals of at most `target` on a graph of so many nodes and matrix entries. */
  constructor(target: number, nodes: number, entries: number) {
    this.#target = target;
    this.#worth = worth.products + worth.work / (entries + entriesPerNode * nodes);
  }

  /** Takes note of a restart. */
  add({ products, round, residuals }: LanczosProgress): void {
    this.products = products;
    const last = largestMagnitude(residuals);
    const residual = Math.min(last, this.#history.at(-1)?.residual ?? Infinity);
    this.#history.push({ products, residual });
    if (round > 0 || last <= this.#target || products < trial * this.#worth) {
      this.isPoor = this.isHopeless = false;
      return;
    }
    // The rate over the second half of the products: at first, residuals hardly fall.
    const start = this.#history.find((entry) => 2 * entry.products >= products)!;
    const rate = Math.log(start.residual / residual) / (products - start.products);
    const left = rate > 0 ? Math.log(residual / this.#target) / rate : Infinity;
    this.isPoor = left > this.#worth || products > mostFactor.poor * this.#worth;
    this.isHopeless = this.isPoor && products > mostFactor.hopeless * this.#worth;
  }
}
