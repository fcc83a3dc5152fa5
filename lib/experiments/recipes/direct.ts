/** What can be had without training? Exact eigenvectors with Nyström or taught to landmarks, and Ritz heads on landmarks or on layers as drawn. */

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
import { rounded } from '../shared/statistics.ts';

export const directMethods = ['eigen', 'regression', 'landmarks', 'untrained'] as const;
export type DirectMethod = (typeof directMethods)[number];

export interface DirectTask {
  /** Of the points. */
  readonly data: number;
  readonly method: DirectMethod;
  readonly start: number;
  /** Whether coordinates are kept for a picture. */
  readonly shown: boolean;
}

/** How they are called and drawn. */
export const directStyles: Record<DirectMethod, Style> = {
  eigen: { name: 'exact eigenvectors, Nyström', colour: 'grey', dash: 'dotted', shape: 'square' },
  regression: { name: 'eigenvectors taught to landmarks', colour: 'wine', dash: 'dotted', shape: 'diamond' },
  landmarks: { name: 'Ritz head on landmarks', colour: 'yellow', dash: 'dotted', shape: 'triangle' },
  untrained: { name: 'Ritz head on untrained layers', colour: 'ink', dash: 'dotted', shape: 'cross' },
};

export interface World {
  readonly graph: Graph;
  readonly recipe: GraphRecipe;
  readonly train: Tensor;
  readonly test: Tensor;
}

export interface Embedded {
  readonly onTrain: Tensor;
  readonly onTest: Tensor;
  /** Of D⁻¹W, as far as the method knows them. */
  readonly eigenvalues: Float64Array;
  /** For the training points, and for the testing points. */
  readonly seconds: readonly [fit: number, extend: number];
}

/** `hidden`: of the untrained layers. */
export async function embedDirectly(
  { graph, recipe, train, test }: World,
  components: number,
  hidden: readonly number[],
  { method, start }: DirectTask,
  { now }: JobContext,
): Promise<Embedded> {
  const began = now();
  if (method === 'eigen') {
    const found = laplacianEigenmap(graph, { components });
    checkConverged(method, found);
    const fitted = now();
    const onTest = await nystrom({ ...found, points: train, recipe, graph }, await withinReach(recipe, train, test));
    return {
      onTrain: found.embedding,
      onTest,
      eigenvalues: found.eigenvalues,
      seconds: [rounded(fitted - began), rounded(now() - fitted)],
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
  const fitted = now();
  const onTest = model.transform(test);
  return {
    onTrain: model.embedding,
    onTest,
    eigenvalues: model.eigenvalues,
    seconds: [rounded(fitted - began), rounded(now() - fitted)],
  };
}

/** No figure is made of what a solver left half done. */
function checkConverged(method: DirectMethod, { converged }: { readonly converged: boolean }): void {
  if (!converged) throw badValue('reproduce', `${directStyles[method].name} from a solver that converged`, 'less');
}

/** A new point without a neighbour has no extension: the nearest training point stands for it. */
async function withinReach(recipe: GraphRecipe, train: Tensor, test: Tensor): Promise<Tensor> {
  if (recipe.kind !== 'gaussian') return test;
  const reach = -2 * recipe.sigma ** 2 * Math.log(recipe.threshold ?? 0.01);
  const { indices, squaredDistances } = await nearestAmong(train, test, { neighbors: 1 });
  const result = test.copy();
  for (const [i, square] of squaredDistances.entries()) {
    if (square < 0.999 * reach) continue;
    for (let c = 0; c < test.cols; c++) result.data[i * test.cols + c] = train.data[indices[i] * test.cols + c];
  }
  return result;
}
