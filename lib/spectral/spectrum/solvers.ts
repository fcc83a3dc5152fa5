/** The choice between Lanczos and the multilevel solver for the smooth end of a graph's spectrum. */

import { subtask, type Task } from '../../core/task.ts';
import type { Graph } from '../../graph/graph.ts';
import { laplacianIn, type LaplacianKind } from '../../graph/laplacian.ts';
import { reorder } from '../../graph/reorder.ts';
import { type LanczosOptions, type LanczosResult, lanczosSteps } from '../../linalg/lanczos/lanczos.ts';
import type { LanczosProgress } from '../../linalg/lanczos/search.ts';
import { largestMagnitude } from '../../linalg/matrix.ts';
import type { HierarchyOptions, Refusal } from '../../linalg/multilevel/hierarchy/hierarchy.ts';
import { type Completeness, type MultilevelResult, tryMultilevelSteps } from '../../linalg/multilevel/multilevel.ts';
import { borrowCsr } from '../../sparse/borrow-csr.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { borrow } from '../../wasm/borrow.ts';
import { Forecast } from './forecast.ts';

/** The solvers that can be asked for. 'auto' begins with Lanczos and changes to 'multilevel' where that would take too long. */
export const solverChoices = ['auto', 'lanczos', 'multilevel'] as const;

/** 'auto', or one of the solvers. */
export type SolverChoice = (typeof solverChoices)[number];

/** How eigenpairs were found, and how far they can be trusted. */
export interface SolverReport {
  /** The solver that found the pairs. 'dense' is the decomposition of the whole matrix of a small graph. */
  readonly solver: 'dense' | 'lanczos' | 'multilevel';
  /** Why it was this one, as a sentence. */
  readonly reason: string;
  /** ‖Ax − λx‖ of the symmetric form, for unit vectors. */
  readonly residuals: Float64Array;
  /** Products with the matrix of the graph, by all solvers that were tried. */
  readonly products: number;
  readonly converged: boolean;
  /** Whether pairs can be missing: 'proved' that none is, 'probed' for missing ones, or 'unknown'. */
  readonly complete: Completeness;
  /** The number of nodes of each level of the multilevel solver. Empty for others. */
  readonly levels: readonly number[];
  /** The number of matrix entries of all levels, relative to the graph. 1 for other solvers. */
  readonly fill: number;
}

/** Eigenpairs of the symmetric form of an operator. */
export interface SmoothPairs extends SolverReport {
  readonly values: Float64Array;
  readonly vectors: Tensor<Float64Array>;
}

/** What a solver is given. */
export interface SmoothProblem {
  readonly graph: Graph;
  readonly kind: LaplacianKind;
  readonly settings: LanczosOptions;
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
    return lanczosPairs(yield* searchSteps(problem), requested);
  },
  *multilevel(problem) {
    const found = yield* coarsenSteps(problem, 0);
    return 'refused' in found
      ? lanczosPairs(yield* searchSteps(problem), refusals[found.refused])
      : multilevelPairs(problem, found, 0, requested);
  },
  auto: (problem) => (problem.isLarge ? coarsenFirstSteps(problem) : lanczosFirstSteps(problem)),
};

/** On a large graph the multilevel solver costs as much as this many products of Lanczos. */
const easyProducts = 250;
/** Lanczos needs about this many products over √μ, where μ = 1 − λ is the last wanted eigenvalue: 15 to 33 on five graphs of points. */
const productsTimesRoot = 30;

/** Builds the hierarchy of a large graph first: it predicts how long Lanczos would take. */
function* coarsenFirstSteps(problem: SmoothProblem): Task<SmoothPairs> {
  const easy = (productsTimesRoot / easyProducts) ** 2;
  const found = yield* subtask(coarsenSteps(problem, 0, { easy }), 0, 0.9);
  if (hasConverged(found)) return multilevelPairs(problem, found, 0, 'The graph is large.');
  return afterFailure(found, yield* subtask(searchSteps(problem), 0.9, 1));
}

/** The fraction at which Lanczos pauses for the multilevel solver, and the fraction at which it goes on if that fails. */
const paused = { at: 0.4, until: 0.9 };
/**
 * The first pause is for graphs that coarsen by three rounds of matching. Graphs of points in many dimensions need more: their
 * levels cost more, and Lanczos needs few products. If it needs many, there is a second pause.
 */
const attempts: readonly HierarchyOptions[] = [{ rounds: 3 }, {}];

/**
 * Lanczos, as long as its residuals promise an early end. Then the multilevel solver; and if that does not converge, Lanczos
 * goes on where it paused. So wherever Lanczos finds the pairs, they have the bits of `solver: 'lanczos'`.
 */
function* lanczosFirstSteps(problem: SmoothProblem): Task<SmoothPairs> {
  const { graph, kind, settings } = problem;
  const norm = kind === 'unnormalized' ? largestMagnitude(graph.degrees) : 1;
  const forecast = new Forecast((settings.tolerance ?? 1e-10) * norm, graph.size, graph.weights.nonzeros);
  const search = searchSteps(problem, (state) => forecast.add(state));
  let failed: MultilevelResult | Refusal | null = null;
  let [from, attempt] = [0, 0];
  try {
    for (;;) {
      const step = search.next();
      if (step.done) return failed ? afterFailure(failed, step.value) : lanczosPairs(step.value, 'Lanczos converged.');
      yield from + ((failed ? 1 : paused.at) - from) * step.value;
      if (attempt === attempts.length || !(attempt === 0 ? forecast.isPoor : forecast.isHopeless)) continue;
      const { products } = forecast;
      const found = yield* subtask(coarsenSteps(problem, products, attempts[attempt++]), paused.at, paused.until);
      if (hasConverged(found)) {
        const reason = `Lanczos would have needed many more products after ${products}.`;
        return multilevelPairs(problem, found, products, reason);
      }
      if (!('refused' in found)) attempt = attempts.length;
      failed = found;
      from = paused.until;
    }
  } finally {
    search.return(undefined as never);
  }
}

function hasConverged(found: MultilevelResult | Refusal): found is MultilevelResult {
  return 'converged' in found && found.converged;
}

/** The pairs of Lanczos after the multilevel solver has failed. */
function afterFailure(failed: MultilevelResult | Refusal, found: LanczosResult): SmoothPairs {
  return 'refused' in failed
    ? lanczosPairs(found, refusals[failed.refused])
    : lanczosPairs(found, 'The multilevel solver did not converge.', failed.products);
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

function lanczosPairs(found: LanczosResult, reason: string, spent = 0): SmoothPairs {
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
    levels: [],
    fill: 1,
  };
}

function multilevelPairs({ kind }: SmoothProblem, found: MultilevelResult, spent: number, reason: string): SmoothPairs {
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
    levels,
    fill,
  };
}
