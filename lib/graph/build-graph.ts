/** Graphs from points. */

import { badValue } from '../core/check.ts';
import { checkVariant, type RulesByKind } from '../core/options.ts';
import type { Tensor } from '../tensor/tensor.ts';
import {
  compactRules,
  type GaussianOptions,
  gaussianWeights,
  type IndicatorOptions,
  indicatorWeights,
  type KernelOptions,
  kernelWeights,
  type ScaledWeights,
} from './affinity/compact-affinity.ts';
import { type Graph, type GraphOrigin, graphOf } from './graph.ts';
import {
  type KnnGaussianOptions,
  knnGaussianWeights,
  type KnnOptions,
  knnWeights,
  neighborRules,
  type NeighborWeights,
  type SelfTunedOptions,
  selfTunedWeights,
} from './affinity/neighbor-affinity.ts';
import { type ProgressOptions, progressRules, runAsync, type Task } from '../core/task.ts';
import { checkPoints } from './neighbors/points.ts';

/** How to build a graph from points: a `kind` and its settings. */
export type GraphRecipe =
  GaussianOptions | IndicatorOptions | KernelOptions | KnnOptions | KnnGaussianOptions | SelfTunedOptions;

/** A recipe, with progress and a signal. */
export type GraphOptions = GraphRecipe & ProgressOptions;

const recipeRules: RulesByKind<GraphRecipe> = { ...compactRules, ...neighborRules };

/** Refuses anything but a recipe as the option `name`. */
export function checkRecipe(caller: string, name: string, recipe: GraphRecipe): void {
  checkVariant(caller, recipe, recipeRules, name);
}

/** The same for a recipe with progress and a signal. */
export function checkGraphOptions(caller: string, name: string, options: GraphOptions): void {
  checkVariant<GraphRecipe>(caller, options, recipeRules, name, progressRules);
}

type Recipes = {
  readonly [K in GraphRecipe['kind']]: (
    points: Tensor,
    options: Extract<GraphRecipe, { kind: K }>,
  ) => Task<Pick<NeighborWeights, 'weights'> & Partial<NeighborWeights & ScaledWeights>>;
};

const recipes: Recipes = {
  gaussian: function* (points, options) {
    return { weights: yield* gaussianWeights(points, options) };
  },
  indicator: function* (points, options) {
    return { weights: yield* indicatorWeights(points, options) };
  },
  kernel: kernelWeights,
  knn: knnWeights,
  'knn-gaussian': knnGaussianWeights,
  'self-tuned': selfTunedWeights,
};

const caller = 'buildGraph';

/** The graph of at least two points. Its weights are in single precision and symmetric to the bit. */
export async function buildGraph(points: Tensor, options: GraphOptions): Promise<Graph> {
  checkGraphOptions(caller, '', options);
  return runAsync(buildGraphSteps(points, options), options);
}

/** `buildGraph` as a task, of a recipe that was checked. */
export function* buildGraphSteps(points: Tensor, options: GraphRecipe): Task<Graph> {
  checkPoints(caller, points);
  if (points.rows < 2) throw badValue(caller, 'at least two points', points.rows);
  const recipe = recipes[options.kind] as (points: Tensor, options: GraphRecipe) => ReturnType<Recipes['knn']>;
  const { weights, scale = 1, ...found } = yield* recipe(points, options);
  const origin: GraphOrigin = { kind: options.kind, ...found };
  return graphOf(weights, origin, scale);
}
