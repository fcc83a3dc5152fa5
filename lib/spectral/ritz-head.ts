/** What is the best linear layer on given features? The Rayleigh-Ritz problem in their span answers, without any training. */

import { badValue, checkCount } from '../core/check.ts';
import type { Seed } from '../core/random.ts';
import { checkDegrees, checkGraph, type Graph } from '../graph/graph.ts';
import { kernels } from '../kernels/table.ts';
import { choleskyInPlace } from '../linalg/cholesky.ts';
import { generalizedEigen } from '../linalg/eigen.ts';
import { lanczos } from '../linalg/lanczos.ts';
import { symmetriseInPlace } from '../linalg/matrix.ts';
import { solveLeftInPlace } from '../linalg/triangular.ts';
import type { Body } from '../network/body.ts';
import { checkInputs, type Points } from '../network/inputs.ts';
import { Tensor, zeros } from '../tensor/tensor.ts';
import { columns } from './spectrum.ts';
import { vectorKernels } from '../wasm/vectors.ts';
import { type FeaturePencil, featurePencil } from './feature-pencil.ts';

export interface RitzOptions {
  /** Nontrivial coordinates. */
  readonly components: number;
  /**
   * Added to the diagonal of the features' covariance, relative to its mean: the head's weights stay bounded where
   * features nearly depend on each other. 1e-6 unless said.
   */
  readonly ridge?: number;
  /** Features of all points are held at once up to so many bytes; beyond, those of a block and its neighbours. 512 MiB unless said. */
  readonly memory?: number;
  readonly seed?: Seed;
}

/** ψ(x) = features(x)·weights + bias: the D-orthogonal functions in the span with the largest Rayleigh quotients. */
export interface RitzHead {
  /** features×components. */
  readonly weights: Tensor<Float32Array>;
  readonly bias: Tensor<Float32Array>;
  /** The quotients, descending: none is above the eigenvalue of D⁻¹W it stands for, the trivial one left out. */
  readonly eigenvalues: Float64Array;
  readonly converged: boolean;
}

/** So many features are dealt with by a dense eigensolver, more by Lanczos. */
const denseUpTo = 128;
/** Of the small eigenproblem, relative: far below what features miss. */
const tolerance = 1e-9;

/**
 * The pencil (HᵀWH, HᵀDH) of features H from which the constant has been taken out, summed in Float64 over blocks of rows.
 * The columns ψ are scaled so that Σ dᵢψᵢ² = Σ dᵢ, as those of `spectrum`.
 */
export function ritzHead(graph: Graph, body: Body, points: Points, options: RitzOptions): RitzHead {
  const caller = 'ritzHead';
  checkGraph(caller, graph);
  checkDegrees(caller, graph);
  checkInputs(caller, points, body.inputs);
  const { components, ridge = 1e-6, memory = 2 ** 29, seed = 0 } = options;
  checkCount(caller, 'components', components, 1);
  if (points.rows !== graph.size) throw badValue(caller, `${graph.size} points, one for each node`, points.rows);
  if (components > body.outputs) {
    throw badValue(caller, `at most ${body.outputs} components, as many as features`, components);
  }
  const pencil = featurePencil(graph, body, points, memory);
  const { directions, converged } = leadingDirections(pencil, components, ridge, seed);
  return { ...headOf(graph, pencil, directions), converged };
}

/** The leading eigenvectors of (energy, covariance + ridge), in columns, by Lanczos on L⁻¹·A·L⁻ᵀ. */
function leadingDirections(
  { energy, covariance }: FeaturePencil,
  count: number,
  ridge: number,
  seed: Seed,
): { directions: Tensor<Float64Array>; converged: boolean } {
  const h = energy.rows;
  const factor = covariance.copy();
  let trace = 0;
  for (let s = 0; s < h; s++) trace += covariance.data[s * h + s];
  if (!(trace > 0)) throw badValue('ritzHead', 'features that vary over the points', 'constants');
  for (let s = 0; s < h; s++) factor.data[s * h + s] += (ridge * trace) / h;
  const affinity = covariance.copy();
  for (let i = 0; i < affinity.size; i++) affinity.data[i] -= energy.data[i];
  if (h <= denseUpTo) {
    const { vectors } = generalizedEigen(affinity, factor, { cut: 0 });
    return { directions: columns(vectors, 0, Math.min(count, vectors.cols)), converged: true };
  }
  const pivot = choleskyInPlace(h, factor.data);
  if (pivot >= 0) {
    const got = `feature ${pivot} that depends on those before it`;
    throw badValue('ritzHead', 'independent features', got, `Raise ridge above ${ridge}.`);
  }
  const middle = zeros([h], 'double');
  const product = zeros([h], 'double');
  const operator = {
    size: h,
    apply(x: Float64Array, y: Float64Array): void {
      middle.data.set(x);
      solveLeftInPlace(h, 1, true, true, factor.data, middle.data);
      vectorKernels().rowDots(h, h, affinity.data, middle.data, product.data);
      y.set(product.data);
      solveLeftInPlace(h, 1, true, false, factor.data, y);
    },
  };
  const { vectors, converged } = lanczos(operator, { count, which: 'largest', tolerance, seed });
  solveLeftInPlace(h, count, true, true, factor.data, vectors.data);
  return { directions: vectors, converged };
}

/** Rayleigh-Ritz within the directions for the pencil itself, without ridge; then weights and bias in single precision. */
function headOf(graph: Graph, { energy, covariance, mean }: FeaturePencil, directions: Tensor<Float64Array>) {
  const h = directions.rows;
  const k = directions.cols;
  const within = (matrix: Tensor<Float64Array>): Tensor<Float64Array> => {
    const product = zeros([h, k], 'double');
    kernels.matmul(h, k, h, matrix.data, directions.data, product.data, false);
    const result = zeros([k, k], 'double');
    kernels.matmulTransposeA(k, k, h, directions.data, product.data, result.data, false);
    symmetriseInPlace(k, result.data);
    return result;
  };
  const smoothness = within(energy).data.map((value) => -value);
  const { values, vectors } = generalizedEigen(new Tensor(smoothness, [k, k]), within(covariance));
  const rotated = zeros([h, k], 'double');
  kernels.matmul(h, k, k, directions.data, vectors.data, rotated.data, false);
  const scale = Math.sqrt(graph.volume);
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
