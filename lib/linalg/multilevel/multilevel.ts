/** The smoothest eigenvectors of a large graph, by LOBPCG with a multilevel preconditioner. */

import { badKind, badValue, checkCount, checkFinite } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { Random, type Seed } from '../../core/random.ts';
import { type ProgressOptions, progressRules, runAsync, subtask, type Task } from '../../core/task.ts';
import { columnsOf } from '../lanczos/columns.ts';
import { checkTolerance, lanczosSteps } from '../lanczos/lanczos.ts';
import type { Matrix } from '../matrix.ts';
import { Loans } from '../../wasm/loans.ts';
import { type AffinityGraph, finestLevel } from './hierarchy/finest.ts';
import { type Hierarchy, type HierarchyOptions, hierarchySteps, type Refusal } from './hierarchy/hierarchy.ts';
import { radiusSteps } from './hierarchy/prolongation.ts';
import { iterationSteps, type MultilevelProgress } from './iteration/iteration.ts';
import { nullVectors } from './null-space.ts';
import type { Block } from './blocks/blocks.ts';

/** The eigenpairs to find, their accuracy, and a limit of work. */
export interface MultilevelOptions extends ProgressOptions {
  /** The number of eigenpairs, including those of components. */
  readonly count: number;
  /** The diagonal of M, positive. Default: the degrees, with which M^-½LM^-½ is I − D^-½WD^-½. */
  readonly mass?: Float64Array;
  /**
   * A pair has converged when ‖Ax − λx‖ is at most this times the largest entry of the diagonal of A, and the estimated
   * relative error of λ is at most 1e-4. Default: 1e-10.
   */
  readonly tolerance?: number;
  /** The limit on products. Once it is reached, the pairs found so far are returned with `converged: false`. Default: 10,000. */
  readonly productLimit?: number;
  /** Seeds the random vectors of the probe. The same seed gives the same bits. Default: 0. */
  readonly seed?: Seed;
  /** Called after each step on the finest level. */
  readonly onIteration?: ((state: MultilevelProgress) => void) | undefined;
}

const rules = {
  ...progressRules,
  count: 'number',
  mass: 'any',
  tolerance: 'number',
  productLimit: 'number',
  seed: 'seed',
  onIteration: 'function',
} as const satisfies Rules<MultilevelOptions>;

/** What is known about eigenpairs beyond those found: a proof that none was missed, a probe that found none, or nothing. */
export type Completeness = 'proved' | 'probed' | 'unknown';

/** The eigenpairs found, how far they can be trusted, and the cost of the search. */
export interface MultilevelResult {
  /** Ascending from 0, which occurs once for every component. */
  readonly values: Float64Array;
  /** n×count, orthonormal. Column i belongs to value i; its entry of largest magnitude, the first of several, is positive. */
  readonly vectors: Matrix;
  /** ‖Ax − λx‖ of each pair. */
  readonly residuals: Float64Array;
  /** Estimates of the relative error of each value; 0 for the exact pairs of components. */
  readonly errors: Float64Array;
  /** Whether all residuals and relative errors are within the tolerance. */
  readonly converged: boolean;
  readonly complete: Completeness;
  /** Products with the matrix of the graph. A V-cycle counts as two. */
  readonly products: number;
  /** Steps of LOBPCG on the finest level. */
  readonly iterations: number;
  /** The number of nodes of each level. */
  readonly levels: readonly number[];
  /** The number of matrix entries of all levels, relative to the finest. */
  readonly fill: number;
  /** 'lanczos' if the graph could not be coarsened, so that Lanczos found the pairs. */
  readonly method: 'multilevel' | 'lanczos';
}

/**
 * The `count` smallest eigenvalues of A = M^-½LM^-½ with their eigenvectors, where L = D − W is the Laplacian of a graph. The levels are
 * made by smoothed aggregation. A graph that cannot be coarsened, because hubs make the levels dense, is left to Lanczos.
 */
export async function multilevel(graph: AffinityGraph, options: MultilevelOptions): Promise<MultilevelResult> {
  checkOptions('multilevel', options, rules);
  return runAsync(multilevelSteps(graph, options), options);
}

/** `multilevel` as a task. */
export function* multilevelSteps(graph: AffinityGraph, options: MultilevelOptions): Task<MultilevelResult> {
  checkMultilevel(graph, options);
  const found = yield* tryMultilevelSteps(graph, options);
  return 'refused' in found ? yield* handOverSteps(graph, options, found) : found;
}

/** `multilevel` as a task with options that were checked. It returns the reason if there is no hierarchy. */
export function* tryMultilevelSteps(
  graph: AffinityGraph,
  options: MultilevelOptions,
  coarsening: HierarchyOptions = {},
): Task<MultilevelResult | Refusal> {
  const loans = new Loans();
  try {
    return yield* solveSteps(graph, options, coarsening, loans);
  } finally {
    loans.giveBackAll();
  }
}

/** The same with arrays that stay borrowed. */
function* solveSteps(
  graph: AffinityGraph,
  options: MultilevelOptions,
  coarsening: HierarchyOptions,
  loans: Loans,
): Task<MultilevelResult | Refusal> {
  const { count, mass, tolerance, productLimit, seed } = resolveOptions(graph, options);
  const constants = Math.min(count, graph.components.count);
  const wanted = count - constants;
  const known = nullVectors(graph, mass, constants);
  if (wanted === 0) return exactResult(graph, known);
  const { level: finest, order } = finestLevel(graph, mass, loans);
  const norm = finest.pivots.reduce((most, pivot, i) => Math.max(most, pivot / finest.mass[i]), 0);
  const hierarchy = yield* subtask(hierarchySteps(finest, wanted, loans, coarsening), 0, 0.3);
  if ('refused' in hierarchy) return hierarchy;
  const settings = {
    wanted,
    target: tolerance * norm,
    productLimit,
    random: new Random(seed),
    report: options.onIteration,
  };
  const found = yield* subtask(iterationSteps(hierarchy, settings, loans), 0.3, 1);
  const zeros = known.map(() => 0);
  return {
    values: Float64Array.of(...zeros, ...found.values),
    vectors: columnsOf(graph.size, [...known, ...eigenvectors(found.vectors, order, mass)]),
    residuals: Float64Array.of(...zeros, ...found.residuals),
    errors: Float64Array.of(...zeros, ...found.errors),
    converged: found.converged,
    complete: !found.probed ? 'unknown' : hierarchy.levels.length === 1 ? 'proved' : 'probed',
    products: found.products + (hierarchy.levels.length > 1 ? radiusSteps : 0),
    iterations: found.iterations,
    ...describe(hierarchy),
    method: 'multilevel',
  };
}

/** M^½ times the vectors of a block, in the order of the graph. */
function eigenvectors({ width, data }: Block, order: Int32Array, mass: Float64Array): Float64Array[] {
  return Array.from({ length: width }, (_, c) => {
    const vector = new Float64Array(order.length);
    for (let i = 0; i < order.length; i++) vector[order[i]] = Math.sqrt(mass[order[i]]) * data[i * width + c];
    return vector;
  });
}

function describe({ levels }: Hierarchy): { levels: number[]; fill: number } {
  const entries = levels.map(({ size, starts }) => starts[size]);
  return {
    levels: levels.map(({ size }) => size),
    fill: entries.reduce((sum, count) => sum + count, 0) / Math.max(1, entries[0]),
  };
}

/** Fewer pairs than components: all of them belong to the eigenvalue 0, and are known. */
function exactResult({ size }: AffinityGraph, known: readonly Float64Array[]): MultilevelResult {
  const zeros = new Float64Array(known.length);
  return {
    values: zeros,
    vectors: columnsOf(size, known),
    residuals: zeros.slice(),
    errors: zeros.slice(),
    converged: true,
    complete: 'proved',
    products: 0,
    iterations: 0,
    levels: [size],
    fill: 1,
    method: 'multilevel',
  };
}

/** Lanczos on the same operator, for a graph that cannot be coarsened. */
function* handOverSteps(graph: AffinityGraph, options: MultilevelOptions, { sizes }: Refusal): Task<MultilevelResult> {
  const { count, mass, tolerance, productLimit, seed } = resolveOptions(graph, options);
  const { size, weights, degrees } = graph;
  const roots = mass.map(Math.sqrt);
  const operator = {
    size,
    apply(x: Float64Array, y: Float64Array): void {
      const { starts, columns, values } = weights;
      for (let i = 0; i < size; i++) {
        let sum = degrees[i] * (x[i] / roots[i]);
        for (let e = starts[i]; e < starts[i + 1]; e++) sum -= values[e] * (x[columns[e]] / roots[columns[e]]);
        y[i] = sum / roots[i];
      }
    },
  };
  const settings = { count, which: 'smallest', tolerance, productLimit, seed } as const;
  const { values, vectors, residuals, converged, products, method } = yield* lanczosSteps(operator, settings);
  return {
    values,
    vectors,
    residuals,
    errors: residuals.map((residual, k) => residual / Math.max(values[k], Number.MIN_VALUE)),
    converged,
    complete: !converged ? 'unknown' : method === 'dense' ? 'proved' : 'probed',
    products,
    iterations: 0,
    levels: sizes,
    fill: 1,
    method: 'lanczos',
  };
}

/** The options with their defaults. */
function resolveOptions({ degrees }: AffinityGraph, options: MultilevelOptions) {
  const { count, mass = degrees, tolerance = 1e-10, productLimit = 10_000, seed = 0 } = options;
  return { count, mass, tolerance, productLimit, seed };
}

function checkMultilevel(graph: AffinityGraph, options: MultilevelOptions): void {
  const caller = 'multilevel';
  if (!(graph?.degrees instanceof Float64Array) || !graph.weights?.starts || !graph.components?.labels) {
    throw badKind(caller, 'a graph, as of buildGraph', graph);
  }
  const { size } = graph;
  const { count, mass, tolerance, productLimit } = resolveOptions(graph, options);
  checkCount(caller, 'count', count, 1);
  if (count > size) throw badValue(caller, `count to be at most ${size}, the number of nodes`, count);
  if (!(mass instanceof Float64Array)) throw badKind(caller, 'mass to be a Float64Array', mass);
  if (mass.length !== size) throw badValue(caller, `mass of ${size} numbers, one for each node`, mass.length);
  checkFinite(caller, 'mass', mass);
  const least = mass.findIndex((m) => !(m > 0));
  if (least >= 0) {
    const remedy = 'Leave out nodes without edges, or pass another mass.';
    throw badValue(caller, 'a positive mass of every node', `${mass[least]} at node ${least}`, remedy);
  }
  checkTolerance(caller, tolerance);
  checkCount(caller, 'productLimit', productLimit, 1);
}
