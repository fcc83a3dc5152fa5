/** Points, graphs and exact solutions of the experiments on moons, as in the paper's appendix. */

import { runSync } from '../../core/task.ts';
import { type TrainAndTest, trainAndTest } from '../../formats/dataset.ts';
import { oneMoonDensity } from '../../../datasets/moon-density.ts';
import { oneMoon, twoMoons } from '../../../datasets/moons.ts';
import { addBias, matmul } from '../../autodiff/functions.ts';
import { readTensorFile, writeTensorFile } from '../../embedding/model/tensor-file.ts';
import { buildGraph, type GraphRecipe } from '../../graph/build-graph.ts';
import { eigenfunctions } from '../../theory/continuum/eigenfunctions.ts';
import type { Graph } from '../../graph/graph.ts';
import { allLayers } from '../../network/bodies/body.ts';
import type { Mlp } from '../../network/bodies/mlp.ts';
import { ritzHeadSteps } from '../../spectral/ritz/ritz-head.ts';
import { columns, exactSpectrum } from '../../spectral/spectrum/spectrum.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { JobContext } from './experiment.ts';

/** The paper prints σ = 0.1 for one moon. Its numbers of neighbors are those of 0.2, which its authors' program uses. */
export const moonRecipes = {
  oneMoon: { kind: 'gaussian', sigma: 0.2, threshold: 0.6 },
  twoMoons: { kind: 'gaussian', sigma: 0.15, threshold: 0.08 },
} as const satisfies Record<string, GraphRecipe>;

/** The number of training points, and of test points. */
export const moonPoints = 2000;

export interface OneMoonProblem {
  readonly train: Tensor;
  readonly test: Tensor;
  readonly graph: Graph;
  /** n×2: the first two nontrivial eigenfunctions at the points. */
  readonly functions: { readonly train: Tensor; readonly test: Tensor };
  /** n×2: the first two nontrivial eigenvectors of the graph. */
  readonly eigenvectors: Tensor<Float64Array>;
}

const functionCount = 2;

export async function oneMoonProblem(seed: number, context: JobContext): Promise<OneMoonProblem> {
  const { train, test } = trainAndTest(oneMoon, { n: moonPoints, seed });
  const graph = await buildGraph(train.points, moonRecipes.oneMoon);
  const bytes = await context.shared(`one-moon-functions-${seed}`, async () => {
    const { sigma } = moonRecipes.oneMoon;
    const { evaluate } = eigenfunctions(oneMoonDensity(), { sigma, count: functionCount + 1 });
    const tensors = [train, test].map(({ points }) => columns(evaluate(points), 1, functionCount + 1));
    return writeTensorFile('reproduce', 'functions', null, tensors, null);
  });
  const [onTrain, onTest] = readTensorFile('reproduce', 'functions', bytes, null).tensors;
  const exact = await exactSpectrum('reproduce', graph, { count: functionCount + 1 });
  return {
    train: train.points,
    test: test.points,
    graph,
    functions: { train: onTrain, test: onTest },
    eigenvectors: columns(exact.vectors, 1, functionCount + 1),
  };
}

export async function twoMoonsProblem(seed: number): Promise<TrainAndTest & { graph: Graph }> {
  const data = trainAndTest(twoMoons, { n: moonPoints, seed });
  return { ...data, graph: await buildGraph(data.train.points, moonRecipes.twoMoons) };
}

/** The outputs of a network, rotated by Rayleigh-Ritz on the training points to approximate nontrivial eigenvectors. */
export function ritzOutputs(graph: Graph, network: Mlp, train: Tensor, components: number): (points: Tensor) => Tensor {
  const { weights, bias } = runSync(ritzHeadSteps('ritzHead', graph, allLayers(network), train, { components }));
  return (points) => addBias(matmul(network.evaluate(points), weights), bias);
}
