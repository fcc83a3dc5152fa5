/** Graphs from points, from distances and from lists of neighbors. */

import { badValue } from '../core/check.ts';
import { checkVariant, type RulesByKind } from '../core/options.ts';
import { type ProgressOptions, progressRules, runAsync, subtask, type Task } from '../core/task.ts';
import type { CsrMatrix } from '../sparse/csr.ts';
import {
  compactRules,
  compactWeightsSteps,
  type GaussianOptions,
  type IndicatorOptions,
  type KernelOptions,
} from './affinity/compact-affinity.ts';
import {
  isNeighborRecipe,
  type KnnGaussianOptions,
  knnGaussianWeightsSteps,
  type KnnOptions,
  knnWeightsSteps,
  neighborRules,
  type NeighborWeights,
  type SelfTunedOptions,
  selfTunedWeightsSteps,
} from './affinity/neighbor-affinity.ts';
import type { TunedBandwidth } from './affinity/bandwidth.ts';
import type { WeightRule } from './affinity/weights.ts';
import { checkAlpha, withAlpha } from './density.ts';
import { type Graph, type GraphOrigin, graphOf } from './graph.ts';
import { joinPartsSteps } from './join-parts.ts';
import { metricOptions, metricRows } from './neighbors/metric.ts';
import { checkPoints } from './neighbors/points.ts';
import { type GraphSource, isListed, isPrecomputed, listedNeighbors, metricOfPoints } from './neighbors/source.ts';
import type { Points } from '../sparse/points.ts';

/** How to build a graph from points: a `kind` and its settings. */
export type GraphRecipe =
  | GaussianOptions
  | IndicatorOptions
  | KernelOptions
  | KnnOptions
  | KnnGaussianOptions
  | SelfTunedOptions;

/** A recipe, with progress and a signal. */
export type GraphOptions = GraphRecipe & ProgressOptions;

/** Weights with their rule, and what was measured on the way. */
type Weighed = {
  readonly weights: CsrMatrix;
  readonly rule: WeightRule;
  readonly scale?: number;
} & Partial<NeighborWeights & TunedBandwidth>;

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
    source: GraphSource,
    options: Extract<GraphRecipe, { kind: K }>,
  ) => Task<Weighed>;
};

const weighSteps: Recipes = {
  gaussian: compactWeightsSteps,
  indicator: compactWeightsSteps,
  kernel: compactWeightsSteps,
  knn: knnWeightsSteps,
  'knn-gaussian': knnGaussianWeightsSteps,
  'self-tuned': selfTunedWeightsSteps,
};

const caller = 'buildGraph';

/**
 * The graph of at least two points, dense or sparse; or, without points, of an n×n matrix of distances with
 * `metric: 'precomputed'`, or of lists of neighbors. Its weights are in single precision and symmetric to the bit.
 */
export async function buildGraph(source: GraphSource, options: GraphOptions): Promise<Graph> {
  checkGraphOptions(caller, '', options);
  return runAsync(buildGraphSteps(source, options), options);
}

/** `buildGraph` as a task, of a recipe that was checked. */
export function* buildGraphSteps(source: GraphSource, options: GraphRecipe): Task<Graph> {
  const { connect = 'none', alpha = 0 } = options;
  checkAlpha(caller, alpha);
  const metric = checkSource(source, options);
  const steps = weighSteps[options.kind] as (source: GraphSource, options: GraphRecipe) => Task<Weighed>;
  const searched = connect === 'join' ? 0.9 : 1;
  const {
    weights,
    rule,
    scale = 1,
    ...found
  } = yield* subtask(steps(source, withListedNeighbors(source, options)), 0, searched);
  const origin: GraphOrigin = { kind: options.kind, ...found, ...metric };
  const graph = graphOf(weights, origin, scale);
  if (connect === 'none' || graph.components.count === 1) return withAlpha(caller, graph, alpha);
  return withAlpha(caller, yield* subtask(joinPartsSteps(caller, source, options, graph, rule), searched, 1), alpha);
}

/** The metric for the record, if it is not the default. */
function checkSource(source: GraphSource, options: GraphRecipe): Pick<GraphOrigin, 'metric' | 'minkowskiPower'> {
  if (isPrecomputed(source, options)) {
    if (!isListed(source) && source.rows < 2) throw badValue(caller, 'distances of at least two points', source.rows);
    return { metric: 'precomputed' };
  }
  const metric = metricOfPoints(caller, options);
  const points = source as Points;
  checkPoints(caller, metricRows(caller, metric, points));
  if (points.rows < 2) throw badValue(caller, 'at least two points', points.rows);
  return metricOptions(metric) as Pick<GraphOrigin, 'metric' | 'minkowskiPower'>;
}

/** Lists of neighbors say how many there are, unless the recipe asks for fewer. */
function withListedNeighbors(source: GraphSource, recipe: GraphRecipe): GraphRecipe {
  if (!isNeighborRecipe(recipe) || !isListed(source) || recipe.neighbors !== undefined) return recipe;
  return { ...recipe, neighbors: listedNeighbors(caller, source, recipe.includeSelf ?? true) };
}
