/** Forecasts of what the eigensolvers cost: before they start, and of Lanczos from the residuals at its restarts. */

import type { Graph } from '../../graph/graph.ts';
import { largestMagnitude } from '../../linalg/matrix.ts';
import type { Analysis } from '../../linalg/factorization/analysis.ts';
import type { Breadth } from '../../linalg/factorization/breadth.ts';
import type { LanczosProgress } from '../../linalg/lanczos/search.ts';

/**
 * Lanczos always gets the fraction `ofWorth` of the products that cost as much as the multilevel solver: earlier forecasts are too
 * pessimistic. If it is expected to need fewer products in all, it gets `ofExpected` times the expected number.
 */
const trial = { ofWorth: 0.2, ofExpected: 1.5 };
/** Multiples of the cost of the multilevel solver: Lanczos ends after `poor` in any case, and is hopeless beyond `hopeless`. */
const mostFactor = { poor: 2, hopeless: 6 };
/** What the multilevel solver costs, in products of Lanczos: `products`, and `work` for what does not depend on the size. */
const worth = { products: 350, work: 4.5e8 };
/** A product of Lanczos costs as much as this many matrix entries for each node, for orthogonalization. */
const entriesPerNode = 32;

/**
 * Work is counted in matrix entries that a product reads, of about 0.35 ns each. The other units were measured on graphs of 16
 * neighbors: `analysis` for each entry of the matrix, `factor` and `solve` for each entry of the factor, and `flop` for each flop.
 */
const units = { analysis: 240, factor: 45, flop: 1, solve: 8 };
/** The solves of the direct solver: `least`, and `perPair` more for each pair. */
const solves = { least: 16, perPair: 3 };
/** Lanczos needs at least this many products for each level of a breadth-first search: 5.5 to 20 on eight graphs of points. */
const productsPerLevel = 6;
/** and mostly about this many: 5.5 to 15 on ten graphs. */
const typicalPerLevel = 10;
/** A factorization takes at least this many times the cube of a separator: 7 to 48 on graphs of points in two and three dimensions. */
const flopsPerCube = 7;
/** The factor has at least about this many entries for each of the matrix: 2.1 to 3.7 on graphs of points in the plane and on a surface. */
const entriesPerEntry = 2;

/** The work of a product of Lanczos. */
export function productWork({ size, weights }: Graph): number {
  return weights.nonzeros + entriesPerNode * size;
}

export function lanczosWork(graph: Graph, { depth }: Breadth): number {
  return productsPerLevel * depth * productWork(graph);
}

/** Of the hierarchy and the iteration. */
export function multilevelWork(graph: Graph): number {
  return worth.products * productWork(graph) + worth.work;
}

export function analysisWork({ weights }: Graph): number {
  return units.analysis * weights.nonzeros;
}

/** About the least work of the direct solver, before the analysis. */
export function leastDirectWork({ weights }: Graph, { width }: Breadth, count: number): number {
  return directWork({ entries: entriesPerEntry * weights.nonzeros, flops: flopsPerCube * width ** 3 }, count);
}

/** The work of a factorization. */
export function factorWork({ entries, flops }: Pick<Analysis, 'entries' | 'flops'>): number {
  return units.factor * entries + units.flop * flops;
}

/** The work of the direct solver after the analysis: one factorization for the search and another one for the count. */
export function directWork(analysis: Pick<Analysis, 'entries' | 'flops'>, count: number): number {
  return 2 * factorWork(analysis) + (solves.least + solves.perPair * count) * units.solve * analysis.entries;
}

export class Forecast {
  /** Products up to the last restart. */
  products = 0;
  /** Whether Lanczos seems to need many more products, as it may before it begins. False once the wanted pairs have converged. */
  isPoor = false;
  /** Whether it seems so after very many products. */
  isHopeless = false;
  readonly #target: number;
  /** The products that the multilevel solver is worth on this graph, and those that Lanczos gets before it is judged. */
  readonly #worth: number;
  readonly #trial: number;
  /** The smallest residual up to each restart: residuals rise again where Lanczos discovers another pair. */
  readonly #history: { products: number; residual: number }[] = [];

  /** For residuals of at most `target`. A small graph need not be searched in breadth. */
  constructor(target: number, graph: Graph, breadth: Breadth | null) {
    this.#target = target;
    this.#worth = multilevelWork(graph) / productWork(graph);
    const expected = typicalPerLevel * (breadth?.depth ?? 0);
    this.#trial = Math.max(trial.ofWorth * this.#worth, Math.min(trial.ofExpected * expected, this.#worth));
    this.isPoor = expected > this.#worth;
  }

  /** Takes note of a restart. */
  add({ products, round, residuals }: LanczosProgress): void {
    this.products = products;
    const last = largestMagnitude(residuals);
    const residual = Math.min(last, this.#history.at(-1)?.residual ?? Infinity);
    this.#history.push({ products, residual });
    if (round > 0 || last <= this.#target || products < this.#trial) {
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
