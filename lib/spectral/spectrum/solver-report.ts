/** The problem that a solver is given, and the report on the eigenpairs that it finds. */

import type { Graph } from '../../graph/graph.ts';
import type { LaplacianKind } from '../../graph/laplacian.ts';
import type { ShiftInvertResult } from '../../linalg/factorization/shift-invert.ts';
import type { LanczosOptions, LanczosResult } from '../../linalg/lanczos/lanczos.ts';
import type { Completeness, MultilevelResult } from '../../linalg/multilevel/multilevel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { FactoredGraph } from './factored-graph.ts';
import { multilevelWork, productWork } from './forecast.ts';

/** The solver that found eigenpairs, its work, and the errors of the pairs. */
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

/** The number of eigenvalues on the smooth side of a value, by the inertia of a factorization. */
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

/** Eigenvalues of the Laplacian, ascending from 0, from those of the operator, or the reverse: μ = 1 − λ for D⁻¹W. */
export function laplacianValues({ kind }: Pick<SmoothProblem, 'kind'>, values: Float64Array): Float64Array {
  return kind === 'random-walk' ? values.map((value) => 1 - value) : values;
}

/** The pairs that Lanczos found. Other solvers have spent products before. */
export function lanczosPairs({ graph }: SmoothProblem, found: LanczosResult, reason: string, spent = 0): SmoothPairs {
  const { values, converged, method } = found;
  const products = spent + found.products;
  return {
    ...takenOver(found),
    values,
    products,
    solver: method,
    reason: method === 'dense' ? 'The graph is small.' : reason,
    complete: !converged ? 'unknown' : method === 'dense' ? 'proved' : 'probed',
    work: products * productWork(graph),
  };
}

/** The pairs that the multilevel solver found. Lanczos has spent products before. */
export function multilevelPairs(
  problem: SmoothProblem,
  found: MultilevelResult,
  spent: number,
  reason: string,
): SmoothPairs {
  const { graph, factored, isLarge } = problem;
  const { complete, levels, fill } = found;
  return {
    ...takenOver(found),
    values: laplacianValues(problem, found.values),
    products: spent + found.products,
    solver: 'multilevel',
    reason,
    complete,
    levels,
    fill,
    work: spent * productWork(graph) + multilevelWork(graph, isLarge ? null : factored.breadth, found.values.length),
  };
}

/** The pairs that the direct solver found. With `verify` it has searched for missing ones. */
export function directPairs(
  problem: SmoothProblem,
  { fill, work }: { readonly fill: number; readonly work: number },
  found: ShiftInvertResult,
  reason: string,
  verify: boolean,
): SmoothPairs {
  const isExact = problem.settings.count <= problem.graph.components.count;
  return {
    ...takenOver(found),
    values: laplacianValues(problem, found.values),
    products: found.products,
    solver: 'direct',
    reason,
    complete: isExact ? 'proved' : found.converged && verify ? 'probed' : 'unknown',
    fill,
    work,
  };
}

/** What every report takes over from its solver. Nothing is counted, and most solvers have neither levels nor a factor. */
function takenOver({ vectors, residuals, converged }: Pick<SmoothPairs, 'vectors' | 'residuals' | 'converged'>) {
  return { vectors, residuals, converged, certificate: null, levels: [], fill: 1 };
}
