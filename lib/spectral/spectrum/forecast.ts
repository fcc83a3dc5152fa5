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
/** A product of Lanczos costs as much as this many matrix entries for each node, for orthogonalization. */
const entriesPerNode = 32;

/**
 * Work is counted in matrix entries that a product reads, of about 0.35 ns each. The units are what each step of a solver costs for every
 * node, for every entry of the matrix or the factor, and for every flop. They were fitted to 25 graphs of 5,000 to 150,000 nodes.
 */
const units = {
  multilevel: { node: 6800, entry: 1070, least: 8.6e7 },
  analysis: { node: 1400, entry: 270 },
  factor: { node: 650, entry: 57, flop: 0.08 },
  solve: { node: 170, entry: 6.3 },
};
/** In a small graph, code that runs for the first time costs more than anything else. That of the direct solver soon runs fast. */
const small = { below: 5000, multilevel: 4.5e8, direct: 3e7 };
/** The solves of the direct solver: `least`, and `perPair` more for each pair. */
const solves = { least: 10, perPair: 4.3 };
/**
 * The work of the multilevel solver for p pairs, relative to that for the four of which the units are: each takes steps of its own, and the
 * dense problems of a step grow with p³. Fitted to five graphs with 1 to 29 pairs.
 */
const pairs = { constant: 0.7, linear: 0.07, cubic: 3.3e-4 };
/** A factorization for the search, and one for the count with a bound of its rounding, or sometimes several. */
const factorizations = 2.35;
/** A call of each kernel of a product costs as much as this many entries in all. */
const calls = 57_000;
/** Lanczos needs at least this many products for each level of a breadth-first search: 4 to 14 on twelve graphs of points. */
const productsPerLevel = 6;
/** For more than five pairs it needs more products, each with a larger basis: the work relative to that for five, 1.9 to 3.6 for thirty on three graphs. */
const longer = { constant: 0.8, linear: 0.04 };
/** It mostly needs about this many products for each level. */
const typicalPerLevel = 10;
/**
 * The typical factor of a graph with a separator of w nodes has slope·log₂w + offset entries for every entry of the matrix, where a
 * node counts as four, and `flops`·w flops for each of its own entries.
 */
const typical = { slope: 0.75, offset: -3.1, least: 0.4, node: 4, flops: 0.6 };
/** A graph with fewer independent cycles, relative to its nodes, factors like a tree. */
const fewCycles = 0.1;

/** The work of a product of Lanczos. */
export function productWork({ size, weights }: Graph): number {
  return weights.nonzeros + entriesPerNode * size;
}

/** Of a search for `count` pairs. */
export function lanczosWork(graph: Graph, { depth }: Breadth, count: number): number {
  const relative = longer.constant + longer.linear * count;
  return relative * productsPerLevel * depth * (productWork(graph) + calls);
}

/** Of the hierarchy and the iteration for `count` pairs with the trivial one. A very small graph need not be searched in breadth. */
export function multilevelWork({ size, weights }: Graph, breadth: Breadth | null, count: number): number {
  const { node, entry, least } = units.multilevel;
  const others = Math.max(1, count - 1);
  const relative = pairs.constant + pairs.linear * others + pairs.cubic * others ** 3;
  const work = relative * (node * size + entry * weights.nonzeros);
  if (!breadth || size < small.below) return work + small.multilevel;
  return least + work;
}

export function analysisWork({ size, weights }: Graph): number {
  return units.analysis.node * size + units.analysis.entry * weights.nonzeros;
}

/** What an analysis would say about a graph, as far as a breadth-first search can tell. */
export function guessFactor({ size, weights, components }: Graph, breadth: Breadth | null): FactorSize {
  const cycles = weights.nonzeros / 2 - size + components.count;
  const separator = cycles < fewCycles * size ? 1 : (breadth?.width ?? Math.sqrt(size));
  const density = Math.max(typical.least, typical.slope * Math.log2(separator) + typical.offset);
  const entries = density * (weights.nonzeros + typical.node * size);
  return { size, entries, flops: typical.flops * separator * entries };
}

/** The size of a matrix, and of its factor. */
export interface FactorSize extends Pick<Analysis, 'entries' | 'flops'> {
  readonly size: number;
}

export function factorSize({ pattern, entries, flops }: Analysis): FactorSize {
  return { size: pattern.size, entries, flops };
}

/** The work of a factorization. */
export function factorWork({ size, entries, flops }: FactorSize): number {
  const { node, entry, flop } = units.factor;
  return node * size + entry * entries + flop * flops;
}

/** The flops of a factorization that takes all of this work. */
export function flopsOf(work: number): number {
  return work / units.factor.flop;
}

/** The work of the direct solver after the analysis, with a count of eigenvalues. */
export function directWork(factor: FactorSize, count: number): number {
  const { node, entry } = units.solve;
  const start = factor.size < small.below ? small.direct : 0;
  const solve = node * factor.size + entry * factor.entries;
  return start + factorizations * factorWork(factor) + (solves.least + solves.perPair * count) * solve;
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

  /** For `count` pairs with residuals of at most `target`. A very small graph need not be searched in breadth. */
  constructor(target: number, graph: Graph, breadth: Breadth | null, count: number) {
    this.#target = target;
    this.#worth = multilevelWork(graph, breadth, count) / productWork(graph);
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
