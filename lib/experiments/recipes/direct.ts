/** Methods without training: eigenvectors with Nyström, regression on landmarks, Ritz heads on landmarks or random layers. */

import { badValue } from '../../core/check.ts';
import { laplacianEigenmap } from '../../embedding/eigenmaps/eigenmap.ts';
import { nystrom } from '../../embedding/eigenmaps/nystrom.ts';
import { SpectralEmbedding } from '../../embedding/spectral-embedding.ts';
import type { GraphRecipe } from '../../graph/build-graph.ts';
import type { Graph } from '../../graph/graph.ts';
import { nearestAmong } from '../../graph/neighbors/neighbors.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { JobContext } from '../shared/experiment.ts';
import type { Style } from '../../charts/figure.ts';
import { roundSeconds } from '../shared/statistics.ts';

export const directMethods = ['eigen', 'regression', 'landmarks', 'untrained'] as const;
export type DirectMethod = (typeof directMethods)[number];

export interface DirectTask {
  /** The seed of the points. */
  readonly data: number;
  readonly method: DirectMethod;
  readonly start: number;
  /** Whether the result includes coordinates for a figure. */
  readonly shown: boolean;
}

/** The names and line styles of the methods. */
export const directStyles: Record<DirectMethod, Style> = {
  eigen: { name: 'exact eigenvectors, Nyström', color: 'gray', dash: 'dotted', shape: 'square' },
  regression: { name: 'regression on landmarks', color: 'wine', dash: 'dotted', shape: 'diamond' },
  landmarks: { name: 'Ritz head on landmarks', color: 'yellow', dash: 'dotted', shape: 'triangle' },
  untrained: { name: 'Ritz head on random layers', color: 'ink', dash: 'dotted', shape: 'cross' },
};

export interface EmbeddingProblem {
  readonly graph: Graph;
  readonly recipe: GraphRecipe;
  readonly train: Tensor;
  readonly test: Tensor;
}

export interface Embedded {
  readonly onTrain: Tensor;
  readonly onTest: Tensor;
  /** Eigenvalues of D⁻¹W, or their approximations by the method. */
  readonly eigenvalues: Float64Array;
  /** The time for the training points, and for the extension to the test points. */
  readonly seconds: readonly [fit: number, extend: number];
}

/** Embeds training and test points by one of the methods. `hidden`: the sizes of the random layers. */
export async function embedDirectly(
  { graph, recipe, train, test }: EmbeddingProblem,
  components: number,
  hidden: readonly number[],
  { method, start }: DirectTask,
  { now }: JobContext,
): Promise<Embedded> {
  const startTime = now();
  if (method === 'eigen') {
    const found = await laplacianEigenmap(graph, { components });
    checkConverged(method, found);
    const fitTime = now();
    const onTest = await nystrom(
      { ...found, points: train, recipe, graph },
      await replaceIsolated(recipe, train, test),
    );
    return {
      onTrain: found.embedding,
      onTest,
      eigenvalues: found.eigenvalues,
      seconds: [roundSeconds(fitTime - startTime), roundSeconds(now() - fitTime)],
    };
  }
  const layers = method === 'untrained' ? { hidden } : {};
  const model = await new SpectralEmbedding({
    components,
    method: method === 'regression' ? method : 'ritz',
    seed: start,
    ...layers,
  }).fit(train, {
    graph,
  });
  checkConverged(method, model);
  const fitTime = now();
  const onTest = model.transform(test);
  return {
    onTrain: model.embedding,
    onTest,
    eigenvalues: model.eigenvalues,
    seconds: [roundSeconds(fitTime - startTime), roundSeconds(now() - fitTime)],
  };
}

/** Throws if the solver did not converge, so that no figure shows an unfinished result. */
function checkConverged(method: DirectMethod, { converged }: { readonly converged: boolean }): void {
  if (!converged)
    throw badValue('reproduce', `the solver to converge for ${directStyles[method].name}`, 'no convergence');
}

/** Replaces a test point without a neighbor, which has no Nyström extension, by the nearest training point. */
async function replaceIsolated(recipe: GraphRecipe, train: Tensor, test: Tensor): Promise<Tensor> {
  if (recipe.kind !== 'gaussian' || recipe.sigma === 'auto') return test;
  const squaredReach = -2 * recipe.sigma ** 2 * Math.log(recipe.threshold ?? 0.01);
  const { indices, squaredDistances } = await nearestAmong(train, test, { neighbors: 1 });
  const result = test.copy();
  for (const [i, square] of squaredDistances.entries()) {
    if (square < 0.999 * squaredReach) continue;
    for (let c = 0; c < test.cols; c++) result.data[i * test.cols + c] = train.data[indices[i] * test.cols + c];
  }
  return result;
}
