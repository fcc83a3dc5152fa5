/** Regression head: the linear layer on sparse features that fits the eigenvectors of a graph best. */

import { badValue } from '../../core/check.ts';
import { subtask, type Task, type WaitingTask } from '../../core/task.ts';
import type { Seed } from '../../core/random.ts';
import type { Graph } from '../../graph/graph.ts';
import { kernels } from '../../kernels/table.ts';
import type { Points } from '../../network/layers/inputs.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import { multiplyDense } from '../../sparse/multiply.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';
import { leastSquaresSteps } from './least-squares.ts';
import { type FeatureBlocks, wholeFeatures } from './normal-equations.ts';
import { eigenvectorTargetsSteps, type Targets } from './targets.ts';
import { ritzHeadSteps, type RitzHead } from '../ritz/ritz-head.ts';
import { columns } from '../spectrum/spectrum.ts';

/** If the features explain a smaller fraction of an eigenvector, it is concentrated on a few points. It is skipped. */
export const leastExplained = 0.5;
/** The maximal number of eigenvectors tried: 3 per component, and 8 more. */
const most = { perComponent: 3, beside: 8 };

export interface RegressionHead extends RitzHead {
  /** The leading eigenvalues, one per component. Null if Lanczos did not converge. */
  readonly truth: Float64Array | null;
}

/** A graph with features of its points, in memory or in files. */
export interface RegressionProblem {
  readonly degrees: Float64Array;
  readonly features: FeatureBlocks;
  /** The largest number of eigenvectors that may be asked for. */
  readonly mostTargets: number;
  /** This many eigenvectors of the graph. */
  targetsSteps(count: number): WaitingTask<Targets>;
  /** The Ritz head of the columns features·weights. */
  ritzSteps(weights: Tensor<Float32Array>): Task<RitzHead>;
}

/** The problem of a graph and features in memory. */
export function regressionInMemory(
  caller: string,
  graph: Graph,
  features: CsrMatrix,
  points: Points,
  ritz: { readonly components: number; readonly seed: Seed },
): RegressionProblem {
  return {
    degrees: graph.degrees,
    features: wholeFeatures(features),
    mostTargets: Infinity,
    targetsSteps: (count) => eigenvectorTargetsSteps(graph, count),
    ritzSteps(weights) {
      const outputs = multiplyDense(features, weights);
      const body = { inputs: points.cols, outputs: weights.cols, features: () => outputs };
      return ritzHeadSteps(caller, graph, body, points, ritz);
    },
  };
}

/**
 * Fits the leading eigenvectors on the features by least squares with weights d, and makes the columns D-orthogonal by
 * Rayleigh-Ritz among them. Where the features explain too few of them, more eigenvectors are found. The Ritz head of all
 * features has a smaller f2; this one has columns nearer to the eigenvectors, since it does not mix them with those that
 * follow.
 */
export function* regressionHeadSteps(
  caller: string,
  { degrees, features, mostTargets, targetsSteps, ritzSteps }: RegressionProblem,
  leading: Targets,
): WaitingTask<RegressionHead> {
  const components = leading.rows.cols;
  const wanted = Math.min(degrees.length - 1, most.perComponent * components + most.beside);
  const limit = Math.max(components, Math.min(wanted, mostTargets));
  if (components > features.cols) {
    throw badValue(caller, `at most ${features.cols} components, as many as features`, components);
  }
  for (let targets = leading; ;) {
    const isLast = targets.rows.cols === limit;
    const fit = yield* subtask(
      leastSquaresSteps(features, degrees, targets.rows),
      isLast ? 0.6 : 0,
      isLast ? 0.8 : 0.4,
    );
    const well = Array.from(fit.explained.keys()).filter((j) => fit.explained[j] >= leastExplained);
    if (!isLast && well.length < components) {
      targets = yield* subtask(targetsSteps(limit), 0.4, 0.6);
      continue;
    }
    // If too few are explained, the Ritz problem in the span of all that were tried decides.
    const weights = well.length < components ? fit.weights.copy('single') : chosen(fit.weights, well, components);
    const rotation = yield* subtask(ritzSteps(weights), 0.8, 1);
    const product = zeros([features.cols, components]);
    kernels.matmul(features.cols, components, weights.cols, weights.data, rotation.weights.data, product.data, false);
    const truth = targets.converged ? targets.values.slice(0, components) : null;
    const converged = rotation.converged && targets.converged && fit.converged;
    return { ...rotation, weights: product, converged, truth };
  }
}

/** The first `count` of these columns. */
function chosen(weights: Tensor<Float64Array>, places: readonly number[], count: number): Tensor<Float32Array> {
  const result = zeros([weights.rows, count]);
  for (const [to, from] of places.slice(0, count).entries()) {
    const { data } = columns(weights, from, from + 1);
    for (let s = 0; s < weights.rows; s++) result.data[s * count + to] = data[s];
  }
  return result;
}
