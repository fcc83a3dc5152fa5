/** `ritzHead`: the linear layer on given features that minimizes f2. It solves the Rayleigh-Ritz problem in their span, without training. */

import { badValue, checkCount } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { type ProgressOptions, progressRules, runAsync, subtask, type Task } from '../../core/task.ts';
import type { Seed } from '../../core/random.ts';
import { checkDegrees, checkGraph, type Graph } from '../../graph/graph.ts';
import { generalizedEigen } from '../../linalg/eigen.ts';
import { type Matrix, multiply, multiplyTransposed, symmetrizeInPlace } from '../../linalg/matrix.ts';
import { type Body, stepwiseBody } from '../../network/bodies/body.ts';
import { checkInputs, type Points } from '../../network/layers/inputs.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';
import { type FeaturePencil, featurePencilSteps } from './feature-pencil.ts';
import { leadingDirectionsSteps } from './leading-directions.ts';

/** The number of coordinates, the ridge and the memory limit. */
export interface RitzOptions extends ProgressOptions {
  /** The number of nontrivial coordinates. */
  readonly components: number;
  /**
   * This multiple of the mean variance of the features is added to the diagonal of their covariance. It keeps the weights
   * bounded if features are nearly dependent. Default: 1e-6. The default is raised by factors of ten while the terms of a
   * coordinate are more than 30 times as large as their sum, so that single precision keeps five digits.
   */
  readonly ridge?: number;
  /** The features of all points are kept in memory if they take at most this many bytes, else those of one block and its neighbors. Default: 512 MiB. */
  readonly memory?: number;
  readonly seed?: Seed;
}

const rules: Rules<RitzOptions> = {
  ...progressRules,
  components: 'number',
  ridge: 'number',
  memory: 'number',
  seed: 'seed',
};

/** ψ(x) = features(x)·weights + bias: the D-orthogonal functions in the span with the largest Rayleigh quotients. */
export interface RitzHead {
  /** features×components. */
  readonly weights: Tensor<Float32Array>;
  readonly bias: Tensor<Float32Array>;
  /** Rayleigh quotients, descending, without the trivial one. None is above the eigenvalue of D⁻¹W that it approximates. */
  readonly eigenvalues: Float64Array;
  readonly converged: boolean;
  /** The ridge that was used. */
  readonly ridge: number;
}

const defaultRidge = 1e-6;
/** The limit of `largestTerms`. At the default ridge, untrained softplus and sigmoid units reach hundreds, ReLU and tanh units at most 15. */
const mostTerms = 30;
const largestRidge = 0.1;

/** Directions whose part independent of the others is relatively smaller count as dependent: sums in Float64 cannot resolve it. */
const dependent = 1e-10;

/**
 * Solves the Rayleigh-Ritz problem (HᵀWH, HᵀDH), where H are the features minus their mean. The matrices are summed in
 * Float64 over blocks of rows. The columns ψ are scaled so that Σ dᵢψᵢ² = Σ dᵢ, as in `spectrum`.
 */
export async function ritzHead(graph: Graph, body: Body, points: Points, options: RitzOptions): Promise<RitzHead> {
  checkOptions('ritzHead', options, rules);
  return runAsync(ritzHeadSteps('ritzHead', graph, body, points, options), options);
}

/**
 * `ritzHead` as a task. Errors name `caller`. If the features allow fewer components than requested, it returns as many as
 * they allow, but at least `least`.
 */
export function* ritzHeadSteps(
  caller: string,
  graph: Graph,
  body: Body,
  points: Points,
  options: RitzOptions & { readonly least?: number },
): Task<RitzHead> {
  checkGraph(caller, graph);
  checkDegrees(caller, graph);
  const steps = stepwiseBody(caller, body);
  checkInputs(caller, points, body.inputs);
  const { components, ridge = defaultRidge, memory = 2 ** 29 } = options;
  checkCount(caller, 'components', components, 1);
  if (!(ridge >= 0 && Number.isFinite(ridge))) throw badValue(caller, 'ridge to be at least 0, and finite', ridge);
  if (!(memory >= 0)) throw badValue(caller, 'memory to be at least 0 bytes', memory);
  if (points.rows !== graph.size) throw badValue(caller, `${graph.size} points, one for each node`, points.rows);
  if (components > body.outputs) {
    throw badValue(caller, `at most ${body.outputs} components, as many as features`, components);
  }
  const pencil = yield* subtask(featurePencilSteps(graph, steps, points, memory), 0, 0.3);
  return yield* subtask(headOfPencilSteps(caller, graph.volume, pencil, options), 0.3, 1);
}

/** The head of a pencil of features, of a graph of this volume. The options were checked. */
export function* headOfPencilSteps(
  caller: string,
  volume: number,
  pencil: FeaturePencil,
  options: RitzOptions & { readonly least?: number },
): Task<RitzHead> {
  const { components, ridge = defaultRidge, seed = 0 } = options;
  for (let strength = ridge; ; strength *= 10) {
    const begun = strength === ridge ? 0 : 1;
    const search = leadingDirectionsSteps(caller, pencil, components, strength, seed);
    const { directions, converged } = yield* subtask(search, begun, 1);
    const solved = headOf(caller, volume, pencil, directions, options.least ?? components);
    const head = { ...solved, converged, ridge: strength };
    const isFixed = options.ridge !== undefined || strength >= largestRidge;
    if (isFixed || largestTerms(volume, pencil, head) <= mostTerms) return head;
  }
}

/** The root mean square of the terms feature·weight of a coordinate, for the coordinate where it is largest. The coordinates themselves have 1. */
function largestTerms(volume: number, { covariance, mean }: FeaturePencil, { weights }: Pick<RitzHead, 'weights'>) {
  const squares = new Float64Array(weights.cols);
  for (let s = 0; s < weights.rows; s++) {
    const square = covariance.at(s, s) / volume + mean[s] ** 2;
    for (let j = 0; j < weights.cols; j++) squares[j] += square * weights.at(s, j) ** 2;
  }
  return Math.sqrt(Math.max(...squares));
}

/** Rayleigh-Ritz in the span of the directions, without ridge. Then rounds weights and bias to single precision. */
function headOf(caller: string, volume: number, pencil: FeaturePencil, directions: Matrix, least: number) {
  const { energy, covariance, mean } = pencil;
  const h = directions.rows;
  const within = (matrix: Matrix): Matrix => {
    const result = multiplyTransposed(directions, multiply(matrix, directions));
    symmetrizeInPlace(directions.cols, result.data);
    return result;
  };
  const problem = within(energy);
  for (let p = 0; p < problem.size; p++) problem.data[p] *= -1;
  const { values, vectors, rank } = generalizedEigen(problem, within(covariance), { cut: dependent });
  if (rank < least) {
    const remedy = `Repeated points count once. Ask for ${rank === 1 ? '1 component' : `${rank} components`}.`;
    throw badValue(caller, `at most ${rank} components, all that the features of these points allow`, least, remedy);
  }
  const k = rank;
  const rotated = multiply(directions, vectors);
  const scale = Math.sqrt(volume);
  const weights = zeros([h, k]);
  const bias = zeros([k]);
  for (let s = 0; s < h; s++) for (let j = 0; j < k; j++) weights.data[s * k + j] = scale * rotated.data[s * k + j];
  for (let j = 0; j < k; j++) {
    let shift = 0;
    for (let s = 0; s < h; s++) shift += mean[s] * weights.data[s * k + j];
    bias.data[j] = -shift;
  }
  return { weights, bias, eigenvalues: values.map((value) => 1 + value) };
}
