/** `spectrum`: the smoothest eigenvectors of a graph. They are the reference for everything else. */

import { badValue, checkCount } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { type ProgressOptions, progressRules, runAsync, subtask, type WaitingTask } from '../../core/task.ts';
import type { Seed } from '../../core/random.ts';
import { checkGraph, type Graph } from '../../graph/graph.ts';
import { laplacianIn, type LaplacianKind, laplacianKinds } from '../../graph/laplacian.ts';
import { checkTolerance, type LanczosOptions } from '../../linalg/lanczos/lanczos.ts';
import type { LanczosProgress } from '../../linalg/lanczos/search.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';
import { certifyRule, certifySteps, type CertifyChoice, eigenvalueErrors } from './certify.ts';
import { FactoredGraph } from './factored-graph.ts';
import { laplacianValues, type SolverReport } from './solver-report.ts';
import { type SolverChoice, solverChoices, solverSteps } from './solvers.ts';

/** The number of eigenpairs, the operator and the accuracy. */
export interface SpectrumOptions extends ProgressOptions {
  /** The number of eigenpairs, including trivial ones. */
  readonly count: number;
  /** Default: 'random-walk'. */
  readonly laplacian?: LaplacianKind;
  /**
   * 'auto' uses the direct solver for graphs of 500 nodes or more that factor cheaply, such as long or nearly planar ones. Others begin
   * with Lanczos, and change to the multilevel or the direct solver where Lanczos would need thousands of products. Large
   * graphs are coarsened first. Default: 'auto'.
   */
  readonly solver?: SolverChoice;
  /**
   * Whether to prove that no pair is missing, by the number of eigenvalues beyond the last one. 'auto' does so after the direct solver, and
   * where it is predicted to take at most a quarter of the time of the search. Default: 'auto'.
   */
  readonly certify?: CertifyChoice;
  /** A pair has converged when its residual is at most this times the norm of the operator. Default: 1e-10. */
  readonly tolerance?: number;
  readonly seed?: Seed;
  /** Called each time the basis of Lanczos is full, and after each step of the multilevel solver. */
  readonly onRestart?: ((state: LanczosProgress) => void) | undefined;
}

/** The options of the eigensolver that other functions pass on. */
export const eigensolverRules = {
  ...progressRules,
  solver: solverChoices,
  certify: certifyRule,
  tolerance: 'number',
  seed: 'seed',
  onRestart: 'function',
} as const satisfies Rules<Omit<SpectrumOptions, 'count' | 'laplacian'>>;

const rules: Rules<SpectrumOptions> = { ...eigensolverRules, count: 'number', laplacian: laplacianKinds };

/** The smooth eigenvectors of a graph with their eigenvalues, and how they were found. */
export interface Spectrum extends SolverReport {
  readonly laplacian: LaplacianKind;
  /** Of D⁻¹W, descending from 1; of a symmetric Laplacian, ascending from 0. */
  readonly values: Float64Array;
  /** n×count. Scaled so that Σ dᵢψᵢ² = Σ dᵢ for D⁻¹W, and Σ ψᵢ² = n for the symmetric Laplacians. */
  readonly vectors: Tensor<Float64Array>;
}

/** The smoothest eigenvectors of a graph, the trivial one first, by Lanczos, a multilevel solver or a factorization. */
export async function spectrum(graph: Graph, options: SpectrumOptions): Promise<Spectrum> {
  checkOptions('spectrum', options, rules);
  return runAsync(spectrumSteps(graph, options), options);
}

/** `spectrum` as a reference. Rejects if it does not converge; the error names `caller`. */
export async function exactSpectrum(caller: string, graph: Graph, options: SpectrumOptions): Promise<Spectrum> {
  const found = await spectrum(graph, options);
  if (found.converged) return found;
  const got = `residuals of ${Math.max(...found.residuals)} after ${found.products} products`;
  throw badValue(caller, 'the eigenvectors of this graph to converge', got, 'Try another seed.');
}

/** `spectrum` as a task, with options that were checked. */
export function* spectrumSteps(graph: Graph, options: SpectrumOptions): WaitingTask<Spectrum> {
  checkGraph('spectrum', graph);
  const { laplacian: kind = 'random-walk', solver = 'auto', certify = 'auto', ...rest } = options;
  checkCount('spectrum', 'count', options.count, 1);
  if (options.tolerance !== undefined) checkTolerance('spectrum', options.tolerance);
  if (options.count > graph.size) {
    throw badValue('spectrum', `count to be at most ${graph.size}, the number of nodes`, options.count);
  }
  const isLarge = graph.size >= large.from;
  const settings: LanczosOptions = isLarge ? { ...large.lanczos, ...rest } : rest;
  const factored = new FactoredGraph(graph, kind);
  const problem = { graph, factored, kind, settings, verify: certify === false, isLarge };
  if (certify === true) yield* subtask(factored.requiredAnalysisSteps('certify: true'), 0, 0.1);
  const found = yield* subtask(solverSteps[solver](problem), 0.1, 0.8);
  const { work: _work, ...pairs } = yield* subtask(certifySteps(problem, found, certify), 0.8, 1);
  const restored = laplacianIn(new Float64Array(2 * graph.size), graph, kind).restore(pairs.vectors);
  const factor = Math.sqrt(kind === 'random-walk' ? graph.volume : graph.size);
  for (let i = 0; i < restored.size; i++) restored.data[i] *= factor;
  const errors = eigenvalueErrors(laplacianValues(problem, pairs.values), pairs.residuals);
  const result = { laplacian: kind, ...pairs, errors, vectors: restored };
  return kind === 'unnormalized' ? inGivenUnits(graph, result) : result;
}

/**
 * From this many nodes on, the graph is coarsened before Lanczos is tried. Large graphs have crowded spectra; with three times the
 * basis, Lanczos needs half the products.
 */
const large = { from: 200_000, lanczos: { basis: 96, productLimit: 100_000 } } as const;

/** Eigenvalues of D − W of the weights that were given. Those of the normalized operators do not depend on the unit. */
function inGivenUnits({ scale }: Graph, found: Spectrum): Spectrum {
  const values = found.values.map((value) => scale * value);
  const residuals = found.residuals.map((residual) => scale * residual);
  const certificate = found.certificate && { ...found.certificate, value: scale * found.certificate.value };
  if (values.every(Number.isFinite)) return { ...found, values, residuals, certificate };
  const remedy = 'Multiply all weights by one factor.';
  throw badValue('spectrum', 'eigenvalues of D − W that double precision can hold', Infinity, remedy);
}

/** A copy of columns from … to−1 of a matrix. */
export function columns(matrix: Tensor<Float64Array>, from: number, to: number): Tensor<Float64Array> {
  const result = zeros([matrix.rows, to - from], 'double');
  for (let i = 0; i < matrix.rows; i++) {
    for (let j = from; j < to; j++) result.data[i * (to - from) + j - from] = matrix.data[i * matrix.cols + j];
  }
  return result;
}

/** What is known of the nodes of a graph in memory or in files. */
export interface WeightedNodes {
  readonly degrees: Float64Array;
  readonly volume: number;
  readonly components: { readonly count: number };
}

/**
 * Rotates the vectors of eigenvalue 1 so that the first is the constant and the others are D-orthogonal to it. In a
 * connected graph this changes only rounding.
 */
export function constantFirst(graph: WeightedNodes, vectors: Tensor<Float64Array>): Tensor<Float64Array> {
  const { degrees, volume } = graph;
  const size = degrees.length;
  const count = Math.min(graph.components.count, vectors.cols);
  // The coordinates of the constant in the first vectors, a unit vector; a reflection brings it to the first axis.
  const axis = new Float64Array(count);
  for (let i = 0; i < size; i++)
    for (let j = 0; j < count; j++) axis[j] += degrees[i] * vectors.data[i * vectors.cols + j];
  for (let j = 0; j < count; j++) axis[j] /= volume;
  const sign = axis[0] < 0 ? -1 : 1;
  const mirror = axis.slice();
  mirror[0] += sign;
  const square = mirror.reduce((sum, x) => sum + x * x, 0);
  for (let i = 0; i < size; i++) {
    const row = vectors.data.subarray(i * vectors.cols, i * vectors.cols + count);
    let product = 0;
    for (let j = 0; j < count; j++) product += mirror[j] * row[j];
    for (let j = 0; j < count; j++) row[j] -= ((2 * product) / square) * mirror[j];
  }
  return vectors;
}
