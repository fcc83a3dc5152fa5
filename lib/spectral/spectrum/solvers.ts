/** The choice between Lanczos, the multilevel solver and the direct one for the smooth end of a graph's spectrum. */

import { subtask, type Task, type WaitingTask } from '../../core/task.ts';
import type { Graph } from '../../graph/graph.ts';
import { laplacianIn } from '../../graph/laplacian.ts';
import { type LanczosResult, lanczosSteps } from '../../linalg/lanczos/lanczos.ts';
import type { LanczosProgress } from '../../linalg/lanczos/search.ts';
import { largestMagnitude } from '../../linalg/matrix.ts';
import type { HierarchyOptions, Refusal } from '../../linalg/multilevel/hierarchy/hierarchy.ts';
import type { MultilevelResult } from '../../linalg/multilevel/multilevel.ts';
import type { Analysis } from '../../linalg/factorization/analysis.ts';
import type { Breadth } from '../../linalg/factorization/breadth.ts';
import { borrowCsr } from '../../sparse/borrow-csr.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { borrow } from '../../wasm/borrow.ts';
import {
  analysisWork,
  directWork,
  factorSize,
  flopsOf,
  Forecast,
  guessFactor,
  lanczosWork,
  multilevelWork,
} from './forecast.ts';
import { loadSteps } from './load.ts';
import { directPairs, lanczosPairs, multilevelPairs, type SmoothPairs, type SmoothProblem } from './solver-report.ts';

/** The solvers that can be asked for. 'auto' chooses by what they are predicted to cost. */
export const solverChoices = ['auto', 'lanczos', 'multilevel', 'direct'] as const;

/** 'auto', or one of the solvers. */
export type SolverChoice = (typeof solverChoices)[number];

const requested = 'It was requested.';
const refusals: Record<Refusal['refused'], string> = {
  fill: 'Coarser levels of the graph fill in.',
  stall: 'Few nodes of the graph merge.',
  easy: 'Lanczos needs few products.',
};

export const solverSteps: Record<SolverChoice, (problem: SmoothProblem) => WaitingTask<SmoothPairs>> = {
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

/**
 * The analysis of a graph on which the direct solver is predicted to be the fastest. It costs up to a quarter of the work, so it is made
 * only if a breadth-first search tells that it is worthwhile.
 */
function* cheapFactorSteps({ graph, factored, settings }: SmoothProblem): WaitingTask<Analysis | null> {
  const { breadth } = factored;
  if (!breadth) return null;
  const others = Math.min(lanczosWork(graph, breadth, settings.count), multilevelWork(graph, breadth, settings.count));
  if (!isWorthwhile(graph, breadth, settings.count, others)) return null;
  const analysis = yield* factored.analysisSteps(flopsOf(others));
  return analysis && directWork(factorSize(analysis), settings.count) <= others ? analysis : null;
}

/** Whether analysis and direct solver seem to cost less than `others`. */
function isWorthwhile(graph: Graph, breadth: Breadth | null, count: number, others: number): boolean {
  return analysisWork(graph) + directWork(guessFactor(graph, breadth), count) <= others;
}

/** The pairs of the direct solver. Completeness is left to a count, unless it is to `verify`. */
export function* directPairsSteps(
  problem: SmoothProblem,
  analysis: Analysis,
  reason: string,
  verify = problem.verify,
): WaitingTask<SmoothPairs> {
  const { factored, settings } = problem;
  const { count, tolerance = 1e-10, productLimit = 10_000, seed = 0, onRestart } = settings;
  const options = { count, tolerance, productLimit, seed, verify, onRestart };
  const found = yield* factored.shiftInvertSteps(analysis, options);
  return directPairs(
    problem,
    { fill: analysis.fill, work: directWork(factorSize(analysis), count) },
    found,
    reason,
    verify,
  );
}

/** On a large graph the multilevel solver costs as much as this many products of Lanczos. */
const easyProducts = 250;
/** Lanczos needs about this many products over √μ, where μ = 1 − λ is the last wanted eigenvalue: 15 to 33 on five graphs of points. */
const productsTimesRoot = 30;

/** Builds the hierarchy of a large graph first: it predicts how long Lanczos would take. */
function* coarsenFirstSteps(problem: SmoothProblem): WaitingTask<SmoothPairs> {
  const easy = (productsTimesRoot / easyProducts) ** 2;
  const found = yield* subtask(coarsenSteps(problem, 0, { easy }), 0, 0.9);
  if (hasConverged(found)) return multilevelPairs(problem, found, 0, 'The graph is large.');
  const { graph, factored, settings } = problem;
  const worth = multilevelWork(graph, factored.breadth, settings.count);
  if (isWorthwhile(graph, factored.breadth, settings.count, worth)) {
    const pairs = yield* directIfCheapSteps(problem, 0, worth, 'The graph factors cheaply.');
    if (pairs) return pairs;
  }
  return afterFailure(problem, found, yield* subtask(searchSteps(problem), 0.9, 1));
}

/** The fraction at which Lanczos pauses for another solver, and the fraction at which it goes on if that fails. */
const paused = { at: 0.4, until: 0.9 };
/**
 * The first pause is for graphs whose levels hardly fill in. Those of points in many dimensions do, by 3.8 in five dimensions against 1.1
 * in three: their levels cost more, and Lanczos needs few products. If it needs many, there is a second pause.
 */
const attempts: readonly HierarchyOptions[] = [{ filled: 2 }, {}];

/** Where the other solvers fail, the direct one may take this many times as long as a hierarchy. */
const lastResort = 8;

/**
 * Lanczos, as long as its residuals promise an early end. Then the multilevel or the direct solver; and if that does not converge,
 * Lanczos goes on where it paused. So wherever Lanczos finds the pairs, they have the bits of `solver: 'lanczos'`. It does not
 * even begin on a graph that is so long that it needs more products than the multilevel solver is worth.
 */
function* lanczosFirstSteps(problem: SmoothProblem): WaitingTask<SmoothPairs> {
  const { graph, kind, settings, factored } = problem;
  const norm = kind === 'unnormalized' ? largestMagnitude(graph.degrees) : 1;
  const { breadth } = factored;
  const worth = multilevelWork(graph, breadth, settings.count);
  const forecast = new Forecast((settings.tolerance ?? 1e-10) * norm, graph, breadth, settings.count);
  const search = searchAsGivenSteps(problem, (state) => forecast.add(state));
  let isDue = forecast.isPoor;
  let failed: MultilevelResult | Refusal | null = null;
  let attempt = 0;
  try {
    for (;;) {
      if (isDue) {
        const { products } = forecast;
        const found = yield* subtask(insteadSteps(products, attempts[attempt++]), paused.at, paused.until);
        if (!('refused' in found)) return found;
        failed = found.refused;
        if (!('refused' in failed)) attempt = attempts.length;
      }
      const step = search.next();
      if (step.done && failed) return afterFailure(problem, failed, step.value);
      if (step.done && !step.value.converged) return yield* afterLimitSteps(step.value);
      if (step.done) return lanczosPairs(problem, step.value, 'Lanczos converged.');
      yield failed ? paused.until + (1 - paused.until) * step.value : paused.at * step.value;
      isDue = attempt < attempts.length && (attempt === 0 ? forecast.isPoor : forecast.isHopeless);
    }
  } finally {
    search.return(undefined as never);
  }

  /** The pairs of another solver, or why there are none. `products`: those spent before. */
  function* insteadSteps(
    products: number,
    coarsening: HierarchyOptions,
  ): WaitingTask<SmoothPairs | { readonly refused: MultilevelResult | Refusal }> {
    const reason = products > 0 ? `many more products after ${products}` : 'many products';
    // Before the first product, the analysis has been made or was not worthwhile.
    if (products > 0 && isWorthwhile(graph, breadth, settings.count, worth)) {
      const why = `Lanczos would have needed ${reason}, and the graph factors cheaply.`;
      const pairs = yield* directIfCheapSteps(problem, products, worth, why);
      if (pairs) return pairs;
    }
    const found = yield* coarsenSteps(problem, products, coarsening);
    const spent = products + ('refused' in found ? 0 : found.products);
    if (hasConverged(found)) {
      return multilevelPairs(problem, found, products, `Lanczos would have needed ${reason}.`);
    }
    const isLast = attempt === attempts.length || spent > products;
    const why = 'The other solvers do not converge.';
    const pairs = isLast ? yield* directIfCheapSteps(problem, spent, lastResort * worth, why) : null;
    return pairs ?? { refused: found };
  }

  /** The pairs of the direct solver where Lanczos has reached its limit of products, or those of Lanczos. */
  function* afterLimitSteps(found: LanczosResult): WaitingTask<SmoothPairs> {
    const reason = `Lanczos did not converge in ${found.products} products.`;
    const pairs = yield* directIfCheapSteps(problem, found.products, lastResort * worth, reason);
    return pairs ?? lanczosPairs(problem, found, reason);
  }
}

/** The pairs of the direct solver after `products` of others, if it is predicted to take at most this work. */
function* directIfCheapSteps(
  problem: SmoothProblem,
  products: number,
  most: number,
  reason: string,
): WaitingTask<SmoothPairs | null> {
  const { factored, settings } = problem;
  const analysis = yield* factored.analysisSteps(flopsOf(most));
  if (!analysis || directWork(factorSize(analysis), settings.count) > most) return null;
  const onRestart = (state: LanczosProgress): void =>
    settings.onRestart?.({ ...state, products: products + state.products });
  const later = { ...problem, settings: { ...settings, onRestart } };
  const pairs = yield* directPairsSteps(later, analysis, reason);
  return pairs.converged ? { ...pairs, products: products + pairs.products } : null;
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
 * Lanczos. A large graph is reordered so that neighbors are near each other in memory: a product then takes a fifth of the time, 18 ms
 * instead of 90 at a million nodes.
 */
function* searchSteps(problem: SmoothProblem): WaitingTask<LanczosResult> {
  if (!problem.isLarge) return yield* searchAsGivenSteps(problem);
  const { reorder } = yield* loadSteps();
  const { graph, restore } = reorder(problem.graph);
  const found = yield* searchAsGivenSteps({ ...problem, graph });
  return { ...found, vectors: restore(found.vectors) as Tensor<Float64Array> };
}

/** Lanczos on a copy in kernel memory, so that neither time nor bits depend on where the arrays of the graph are. */
function* searchAsGivenSteps(
  { graph, kind, settings }: SmoothProblem,
  observe?: (state: LanczosProgress) => void,
): Task<LanczosResult> {
  const onRestart = (state: LanczosProgress): void => {
    observe?.(state);
    settings.onRestart?.(state);
  };
  const loan = borrowCsr(graph.weights);
  const room = borrow(2 * graph.size);
  try {
    const operator = laplacianIn(room.array, { ...graph, weights: loan.matrix }, kind);
    return yield* lanczosSteps(operator, { ...settings, which: operator.smooth, onRestart });
  } finally {
    room.giveBack();
    loan.giveBack();
  }
}

/** The multilevel solver after `spent` products. */
function* coarsenSteps(
  { graph, kind, settings }: SmoothProblem,
  spent: number,
  coarsening: HierarchyOptions = {},
): WaitingTask<MultilevelResult | Refusal> {
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
  const { tryMultilevelSteps } = yield* loadSteps();
  return yield* tryMultilevelSteps(graph, options, coarsening);
}
