/** The recipe of a graph with the defaults of the estimators, and the metric that recipe and model share. */

import { badValue } from '../core/check.ts';
import { defaultNeighbors, isNeighborRecipe } from '../graph/affinity/neighbor-affinity.ts';
import type { GraphRecipe } from '../graph/build-graph.ts';
import type { Graph } from '../graph/graph.ts';
import { type MetricOptions, metricOptions, type ResolvedMetric, resolveMetric } from '../graph/neighbors/metric.ts';

/**
 * Fills in the number of neighbors, if the recipe needs one and has none: 16 (128 under a variable bandwidth), or all points if
 * there are fewer. Of kind 'knn', whose weights are equal, at most half of the points: a complete graph would know nothing of
 * distances. Unless the recipe says otherwise, joins the parts of the graph, and gives the neighbors of a 'self-tuned' graph a
 * least weight, without which a few outliers hide all clusters. Default: a 'knn' recipe.
 */
export function resolveRecipe(points: number, recipe: GraphRecipe = { kind: 'knn' }): GraphRecipe {
  // buildGraph checks whether this is a recipe at all.
  if (typeof recipe !== 'object' || recipe === null) return recipe;
  const joined = { ...recipe, connect: recipe.connect ?? 'join' } as GraphRecipe;
  if (!isNeighborRecipe(joined)) return joined;
  const most = joined.includeSelf === false ? points - 1 : points;
  const useful = joined.kind === 'knn' ? Math.min(most, Math.max(2, Math.ceil(points / 2))) : most;
  const resolved = { ...joined, neighbors: joined.neighbors ?? Math.min(defaultNeighbors(joined), useful) };
  return resolved.kind === 'self-tuned' ? { ...resolved, leastWeight: resolved.leastWeight ?? leastWeight } : resolved;
}

/** The least weight of neighbors in a 'self-tuned' graph of an estimator. */
const leastWeight = 0.05;

/**
 * The metric of an estimator: its own option, else that of its recipe, else that of the given graph. Refuses two that differ.
 */
export function metricOfFit(
  caller: string,
  options: MetricOptions & { readonly graph?: GraphRecipe },
  given: Graph | undefined,
): ResolvedMetric {
  const stated = [options, options.graph, given?.origin].filter((from) => {
    return from?.metric !== undefined && from.metric !== 'precomputed';
  }) as MetricOptions[];
  const [first, ...others] = stated.map((from) => resolveMetric(caller, from));
  const other = others.find(({ metric, power }) => metric !== first.metric || power !== first.power);
  if (!other) return first ?? resolveMetric(caller, {});
  throw badValue(caller, `one metric, '${first.metric}' as the estimator or its recipe has`, `also '${other.metric}'`);
}

/** The recipe under a metric. */
export function recipeUnder(metric: ResolvedMetric, recipe: GraphRecipe): GraphRecipe {
  // buildGraph refuses anything but a recipe.
  return typeof recipe === 'object' && recipe !== null ? { ...recipe, ...metricOptions(metric) } : recipe;
}
