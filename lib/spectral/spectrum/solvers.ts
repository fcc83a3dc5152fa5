/** The choice between Lanczos, the multilevel solver and the direct one for the smooth end of a graph's spectrum. */

import { subtask, type Task } from '../../core/task.ts';
import type { Graph } from '../../graph/graph.ts';
import { laplacianIn, type LaplacianKind } from '../../graph/laplacian.ts';
import { reorder } from '../../graph/reorder.ts';
import { type LanczosOptions, type LanczosResult, lanczosSteps } from '../../linalg/lanczos/lanczos.ts';
import type { LanczosProgress } from '../../linalg/lanczos/search.ts';
import { largestMagnitude } from '../../linalg/matrix.ts';
import type { HierarchyOptions, Refusal } from '../../linalg/multilevel/hierarchy/hierarchy.ts';
import { type Completeness, type MultilevelResult, tryMultilevelSteps } from '../../linalg/multilevel/multilevel.ts';
import type { Analysis } from '../../linalg/factorization/analysis.ts';
import { shiftInvertSteps } from '../../linalg/factorization/shift-invert.ts';
import { borrowCsr } from '../../sparse/borrow-csr.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { borrow } from '../../wasm/borrow.ts';
import type { FactoredGraph } from './factored-graph.ts';
import {
  analysisWork,
  directWork,
  Forecast,
  lanczosWork,
  leastDirectWork,
  multilevelWork,
  productWork,
} from './forecast.ts';

/** The solvers that can be asked for. 'auto' chooses by what they are predicted to cost. */
export const solverChoices = ['auto', 'lanczos', 'multilevel', 'direct'] as const;

/** 'auto', or one of the solvers. */
export type SolverChoice = (typeof solverChoices)[number];

/** How eigenpairs were found, and how far they can be trusted. */
export interface SolverReport {
  /** The solver that found the pairs. 'dense' is the decomposition of the whole matrix of a small graph. */
  readonly solver: 'dense' | 'lanczos' | 'multilevel' | 'direct';
  /** Why it was this one, as a sentence. */
  readonly reason: string;
  /** ‖Ax − λx‖ of the symmetric form, for unit vectors. */
  readonly residuals: Float64Array;
  /**
   * An estimate of the relative error of each eigenvalue of the Laplacian, which is 1 − λ for D⁻¹W: the smaller of r/μ and r²/(μ·gap)
   * for an eigenvalue μ with residual r. 0 for the eigenvalue 0.
   */
  readonly errors: Float64Array;
  /** Products with the matrix of the graph, by all solvers that were tried. A solve with its factor counts as one. */
  readonly products: number;
  readonly converged: boolean;
  /** Whether pairs can be missing: 'proved' that none is, 'probed' for missing ones, or 'unknown'. */
  readonly complete: Completeness;
  /** The count of eigenvalues behind 'proved', or behind `converged: false` if some are missing. Null if nothing was counted. */
  readonly certificate: Certificate | null;
  /** The number of nodes of each level of the multilevel solver. Empty for others. */
  readonly levels: readonly number[];
  /** The number of entries relative to the matrix: of all levels of the multilevel solver, or of the factor of the direct one. 1 for others. */
  readonly fill: number;
}

/** How many eigenvalues there are on the smooth side of a value, by the inertia of a factorization. */
export interface Certificate {
  /** A value of the operator, next to the last eigenvalue. */
  readonly value: number;
  /** The number of eigenvalues between it and the smooth end of the spectrum, */
  readonly counted: number;
  /** and how many of them were found. */
  readonly found: number;
}

/** Eigenpairs of the symmetric form of an operator. */
export interface SmoothPairs extends Omit<SolverReport, 'errors'> {
  /** What the search has cost, in the unit of the forecasts. */
  readonly work: number;
  readonly values: Float64Array;
  readonly vectors: Tensor<Float64Array>;
}

/** What a solver is given. */
export interface SmoothProblem {
  readonly graph: Graph;
  readonly factored: FactoredGraph;
  readonly kind: LaplacianKind;
  readonly settings: LanczosOptions;
  /** Whether the direct solver has to search for missed pairs itself, because no eigenvalues are counted afterwards. */
  readonly verify: boolean;
  /** Whether a hierarchy costs less than the first products of Lanczos, as on large graphs. */
  readonly isLarge: boolean;
}

const requested = 'It was requested.';
const refusals: Record<Refusal['refused'], string> = {
  fill: 'Coarser levels of the graph fill in.',
  stall: 'Few nodes of the graph merge.',
  easy: 'Lanczos needs few products.',
};

export const solvers: Record<SolverChoice, (problem: SmoothProblem) => Task<SmoothPairs>> = {
  *lanczos(problem) {
    return lanczosPairs(problem, yield* searchSteps(problem), requested);
  },
  *multilevel(problem) {
    const found = yield* coarsenSteps(problem, 0);
    return 'refused' in found
      ? lanczosPairs(problem, yield* searchSteps(problem), refusals[found.refused])
      : multilevelPairs(problem, found, 0, requested);
  },
  *direct(problem) {
    const analysis = yield* subtask(problem.factored.requiredAnalysisSteps("solver: 'direct'"), 0, 0.3);
    return yield* subtask(directPairsSteps(problem, analysis, requested), 0.3, 1);
  },
  *auto(problem) {
    if (problem.isLarge) return yield* coarsenFirstSteps(problem);
    const analysis = yield* subtask(cheapFactorSteps(problem), 0, 0.1);
    if (analysis) return yield* subtask(directPairsSteps(problem, analysis, 'The graph factors cheaply.'), 0.1, 1);
    return yield* subtask(lanczosFirstSteps(problem), 0.1, 1);
  },
};

/** Smaller graphs have the other solvers: Lanczos needs milliseconds there. */
const leastForDirect = 5000;

/** The analysis of a graph on which the direct solver is predicted to be the fastest. A breadth-first search tells whether it is worthwhile. */
function* cheapFactorSteps({ graph, factored, settings }: SmoothProblem): Task<Analysis | null> {
  if (graph.size < leastForDirect) return null;
  const others = Math.min(lanczosWork(graph, factored.breadth), multilevelWork(graph)) - analysisWork(graph);
  if (leastDirectWork(graph, factored.breadth, settings.count) > others) return null;
  const analysis = yield* factored.analysisSteps(others);
  return analysis && directWork(analysis, settings.count) <= others ? analysis : null;
}

/** The pairs of the direct solver. Completeness is left to a count, unless it is to `verify`. */
export function* directPairsSteps(
  problem: SmoothProblem,
  analysis: Analysis,
  reason: string,
  verify = problem.verify,
): Task<SmoothPairs> {
  const { kind, factored, settings } = problem;
  const { count, tolerance = 1e-10, productLimit = 10_000, seed = 0, onRestart } = settings;
  const options = { count, tolerance, productLimit, seed, verify, onRestart };
  const found = yield* shiftInvertSteps(factored.pencil, analysis, options);
  const isExact = count <= problem.graph.components.count;
  return {
    values: kind === 'random-walk' ? found.values.map((value) => 1 - value) : found.values,
    vectors: found.vectors,
    residuals: found.residuals,
    products: found.products,
    converged: found.converged,
    solver: 'direct',
    reason,
    complete: isExact ? 'proved' : found.converged && verify ? 'probed' : 'unknown',
    certificate: null,
    levels: [],
    fill: analysis.fill,
    work: directWork(analysis, count),
  };
}

/** On a large graph the multilevel solver costs as much as this many products of Lanczos. */
const easyProducts = 250;
/** Lanczos needs about this many products over √μ, where μ = 1 − λ is the last wanted eigenvalue: 15 to 33 on five graphs of points. */
const productsTimesRoot = 30;

/** Builds the hierarchy of a large graph first: it predicts how long Lanczos would take. */
function* coarsenFirstSteps(problem: SmoothProblem): Task<SmoothPairs> {
  const easy = (productsTimesRoot / easyProducts) ** 2;
  const found = yield* subtask(coarsenSteps(problem, 0, { easy }), 0, 0.9);
  if (hasConverged(found)) return multilevelPairs(problem, found, 0, 'The graph is large.');
  return afterFailure(problem, found, yield* subtask(searchSteps(problem), 0.9, 1));
}

/** The fraction at which Lanczos pauses for another solver, and the fraction at which it goes on if that fails. */
const paused = { at: 0.4, until: 0.9 };
/**
 * The first pause is for graphs whose levels hardly fill in. Those of points in many dimensions do, by 3.8 in five dimensions against 1.1
 * in three: their levels cost more, and Lanczos needs few products. If it needs many, there is a second pause.
 */
const attempts: readonly HierarchyOptions[] = [{ filled: 2 }, {}];

/**
 * Lanczos, as long as its residuals promise an early end. Then the multilevel or the direct solver; and if that does not converge,
 * Lanczos goes on where it paused. So wherever Lanczos finds the pairs, they have the bits of `solver: 'lanczos'`. It does not
 * even begin on a graph that is so long that it needs more products than the multilevel solver is worth.
 */
function* lanczosFirstSteps(problem: SmoothProblem): Task<SmoothPairs> {
  const { graph, kind, settings, factored } = problem;
  const norm = kind === 'unnormalized' ? largestMagnitude(graph.degrees) : 1;
  const breadth = graph.size < leastForDirect ? null : factored.breadth;
  const forecast = new Forecast((settings.tolerance ?? 1e-10) * norm, graph, breadth);
  const search = searchSteps(problem, (state) => forecast.add(state));
  let isDue = forecast.isPoor;
  let failed: MultilevelResult | Refusal | null = null;
  let attempt = 0;
  try {
    for (;;) {
      if (isDue) {
        const { products } = forecast;
        const found = yield* subtask(instead(products, attempts[attempt++]), paused.at, paused.until);
        if (!('refused' in found)) return found;
        failed = found.refused;
        if (!('refused' in failed)) attempt = attempts.length;
      }
      const step = search.next();
      if (step.done && failed) return afterFailure(problem, failed, step.value);
      if (step.done && !step.value.converged) return yield* afterLimit(step.value);
      if (step.done) return lanczosPairs(problem, step.value, 'Lanczos converged.');
      yield failed ? paused.until + (1 - paused.until) * step.value : paused.at * step.value;
      isDue = attempt < attempts.length && (attempt === 0 ? forecast.isPoor : forecast.isHopeless);
    }
  } finally {
    search.return(undefined as never);
  }

  /** The pairs of another solver after so many products, or why there are none. */
  function* instead(
    products: number,
    coarsening: HierarchyOptions,
  ): Task<SmoothPairs | { readonly refused: MultilevelResult | Refusal }> {
    const reason = products > 0 ? `many more products after ${products}` : 'many products';
    // Before the first product, the analysis has been made or was not worthwhile.
    const analysis = products > 0 ? yield* factored.analysisSteps(multilevelWork(graph)) : null;
    if (analysis && directWork(analysis, settings.count) < multilevelWork(graph)) {
      const why = `Lanczos would have needed ${reason}, and the graph factors cheaply.`;
      const pairs = yield* directAfter(products, analysis, why);
      if (pairs.converged) return pairs;
    }
    const found = yield* coarsenSteps(problem, products, coarsening);
    return hasConverged(found)
      ? multilevelPairs(problem, found, products, `Lanczos would have needed ${reason}.`)
      : { refused: found };
  }

  /** The pairs of the direct solver where Lanczos has reached its limit of products, or those of Lanczos. */
  function* afterLimit(found: LanczosResult): Task<SmoothPairs> {
    const reason = `Lanczos did not converge in ${found.products} products.`;
    const analysis = yield* factored.analysisSteps(multilevelWork(graph));
    const pairs = analysis && (yield* directAfter(found.products, analysis, reason));
    return pairs?.converged ? pairs : lanczosPairs(problem, found, reason);
  }

  function* directAfter(products: number, analysis: Analysis, reason: string): Task<SmoothPairs> {
    const onRestart = (state: LanczosProgress): void =>
      settings.onRestart?.({ ...state, products: products + state.products });
    const later = { ...problem, settings: { ...settings, onRestart } };
    const pairs = yield* directPairsSteps(later, analysis, reason);
    return { ...pairs, products: products + pairs.products };
  }
}

function hasConverged(found: MultilevelResult | Refusal): found is MultilevelResult {
  return 'converged' in found && found.converged;
}

/** The pairs of Lanczos after the multilevel solver has failed. */
function afterFailure(problem: SmoothProblem, failed: MultilevelResult | Refusal, found: LanczosResult): SmoothPairs {
  return 'refused' in failed
    ? lanczosPairs(problem, found, refusals[failed.refused])
    : lanczosPairs(problem, found, 'The multilevel solver did not converge.', failed.products);
}

/**
 * Lanczos on a copy in kernel memory, so that neither time nor bits depend on where the arrays of the graph are. A large graph is
 * reordered so that neighbors are near each other in memory: a product then takes a fifth of the time, 18 ms instead of 90 at
 * a million nodes.
 */
function* searchSteps(
  { graph: given, kind, settings, isLarge }: SmoothProblem,
  observe?: (state: LanczosProgress) => void,
): Task<LanczosResult> {
  const onRestart = (state: LanczosProgress): void => {
    observe?.(state);
    settings.onRestart?.(state);
  };
  const { graph, restore } = isLarge ? reorder(given) : { graph: given, restore: (rows: Tensor) => rows };
  const loan = borrowCsr(graph.weights);
  const room = borrow(2 * graph.size);
  try {
    const operator = laplacianIn(room.array, { ...graph, weights: loan.matrix }, kind);
    const found = yield* lanczosSteps(operator, { ...settings, which: operator.smooth, onRestart });
    return { ...found, vectors: restore(found.vectors) as Tensor<Float64Array> };
  } finally {
    room.giveBack();
    loan.giveBack();
  }
}

/** The multilevel solver after `spent` products. */
function coarsenSteps(
  { graph, kind, settings }: SmoothProblem,
  spent: number,
  coarsening: HierarchyOptions = {},
): Task<MultilevelResult | Refusal> {
  const { count, tolerance, productLimit, seed, onRestart } = settings;
  const mass = kind === 'unnormalized' ? new Float64Array(graph.size).fill(1) : graph.degrees;
  const options = {
    count,
    mass,
    ...(tolerance === undefined ? {} : { tolerance }),
    ...(productLimit === undefined ? {} : { productLimit }),
    ...(seed === undefined ? {} : { seed }),
    onIteration: ({ products, converged, residuals }: Pick<LanczosProgress, 'products' | 'converged' | 'residuals'>) =>
      onRestart?.({ products: spent + products, restarts: 0, round: 0, converged, residuals }),
  };
  return tryMultilevelSteps(graph, options, coarsening);
}

function lanczosPairs({ graph }: SmoothProblem, found: LanczosResult, reason: string, spent = 0): SmoothPairs {
  const { values, vectors, residuals, products, converged, method } = found;
  return {
    values,
    vectors,
    residuals,
    products: spent + products,
    converged,
    solver: method,
    reason: method === 'dense' ? 'The graph is small.' : reason,
    complete: !converged ? 'unknown' : method === 'dense' ? 'proved' : 'probed',
    certificate: null,
    levels: [],
    fill: 1,
    work: (spent + products) * productWork(graph),
  };
}

function multilevelPairs(
  { graph, kind }: SmoothProblem,
  found: MultilevelResult,
  spent: number,
  reason: string,
): SmoothPairs {
  const { values, vectors, residuals, converged, complete, levels, fill } = found;
  return {
    values: kind === 'random-walk' ? values.map((value) => 1 - value) : values,
    vectors,
    residuals,
    products: spent + found.products,
    converged,
    solver: 'multilevel',
    reason,
    complete,
    certificate: null,
    levels,
    fill,
    work: spent * productWork(graph) + multilevelWork(graph),
  };
}
