/** Weights between new points and those of a graph, by the rule of the graph. */

import { badValue } from '../core/check.ts';
import type { Task } from '../core/task.ts';
import type { Points } from '../sparse/points.ts';
import { checkGraphOptions, type GraphRecipe } from './build-graph.ts';
import type { CompactRecipe } from './affinity/compact-affinity.ts';
import { compactWeightsAmongSteps } from './affinity/compact-affinity-among.ts';
import { type NormalizedRows, rowNormalization } from './density.ts';
import type { Graph } from './graph.ts';
import { isNeighborRecipe } from './affinity/neighbor-affinity.ts';
import { neighborWeightsAmongSteps } from './affinity/neighbor-affinity-among.ts';
import { checkTable } from './neighbors/points.ts';
import { metricOfPoints } from './neighbors/source.ts';

/** Calls `use` with the rows of all queries, some of them at a time: row i belongs to query rows[i]. */
export type NormalizedWeights = (
  queries: Points,
  use: (rows: Int32Array, weights: NormalizedRows) => void,
) => Task<void>;

/**
 * Prepares the weights between new points and the points of the graph that `recipe` built from them. The points themselves
 * get the rows of the graph, with the exceptions that `neighborWeightsAmongSteps` states.
 */
export function* affinityAmongSteps(
  caller: string,
  points: Points,
  recipe: GraphRecipe,
  graph: Graph,
): Task<NormalizedWeights> {
  const { kind } = graph.origin;
  if (kind === 'given') {
    const remedy = 'Weights that were given say nothing about new points.';
    throw badValue(caller, 'a graph that buildGraph made of points', "one of kind 'given'", remedy);
  }
  checkGraphOptions(caller, 'recipe', recipe);
  if (recipe.kind !== kind) throw badValue(caller, `the recipe of the graph, of kind '${kind}'`, `'${recipe.kind}'`);
  checkMetric(caller, recipe, graph);
  checkTable(caller, 'points', points);
  if (points.rows !== graph.size) throw badValue(caller, `the ${graph.size} points of the graph`, points.rows);
  const { alpha = 0 } = graph.origin;
  if ((recipe.alpha ?? 0) !== alpha)
    throw badValue(caller, `the recipe of the graph, with alpha ${alpha}`, recipe.alpha);
  checkBandwidth(caller, recipe, graph);
  const weightsSteps = yield* isNeighborRecipe(recipe)
    ? neighborWeightsAmongSteps(points, recipe, graph)
    : compactWeightsAmongSteps(points, withFoundSigma(recipe, graph), graph);
  const normalize = rowNormalization(graph);
  return function* checkedSteps(queries, use) {
    checkTable(caller, 'queries', queries);
    if (queries.cols !== points.cols) {
      throw badValue(caller, `queries of ${points.cols} columns, as the points have`, queries.cols);
    }
    yield* weightsSteps(queries, (some) => use(some.queries, normalize(some)));
  };
}

/** Refuses a recipe with a variable bandwidth for a graph without one, and the other way round. */
function checkBandwidth(caller: string, recipe: GraphRecipe, { origin: { variable } }: Graph): void {
  const stated = (recipe.kind === 'knn-gaussian' && recipe.bandwidth) || 'fixed';
  const built = variable ? 'variable' : 'fixed';
  if (stated !== built) throw badValue(caller, `the recipe of the graph, with bandwidth '${built}'`, `'${stated}'`);
}

/** The recipe with the bandwidth that the graph found. */
function withFoundSigma(recipe: CompactRecipe, { origin: { sigma } }: Graph): CompactRecipe {
  return recipe.kind === 'gaussian' && recipe.sigma === 'auto' ? { ...recipe, sigma: sigma! } : recipe;
}

/** Refuses a recipe whose metric is not that of the graph. */
function checkMetric(caller: string, recipe: GraphRecipe, { origin }: Graph): void {
  const { metric, power } = metricOfPoints(caller, recipe);
  const built = metricOfPoints(caller, origin);
  if (metric === built.metric && power === built.power) return;
  throw badValue(caller, `the recipe of the graph, with metric '${built.metric}'`, `'${metric}'`);
}
