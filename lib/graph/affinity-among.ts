/** Weights between new points and those of a graph, by the rule of the graph. */

import { badValue } from '../core/check.ts';
import type { Task } from '../core/task.ts';
import type { CsrMatrix } from '../sparse/csr.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { checkGraphOptions, type GraphRecipe } from './build-graph.ts';
import { gaussianWeights, indicatorWeights, kernelWeights } from './affinity/compact-affinity.ts';
import type { Graph } from './graph.ts';
import { neighborWeightsAmong } from './affinity/neighbor-affinity-among.ts';
import { checkPoints } from './neighbors/points.ts';

type Rules = {
  readonly [K in GraphRecipe['kind']]: (
    points: Tensor,
    recipe: Extract<GraphRecipe, { kind: K }>,
    queries: Tensor,
    graph: Graph,
  ) => Task<CsrMatrix>;
};

const rules: Rules = {
  gaussian: gaussianWeights,
  indicator: indicatorWeights,
  kernel: function* (points, recipe, queries) {
    return (yield* kernelWeights(points, recipe, queries)).weights; // a common factor drops out of means
  },
  knn: neighborWeightsAmong,
  'knn-gaussian': neighborWeightsAmong,
  'self-tuned': neighborWeightsAmong,
};

/**
 * queries×points, in single precision: row i holds w(xᵢ, ·), up to one factor for all, for the graph that `recipe` built from the points. The points
 * themselves get the rows of the graph, with the exceptions that `neighborWeightsAmong` states.
 */
export function* affinityAmong(
  caller: string,
  points: Tensor,
  recipe: GraphRecipe,
  queries: Tensor,
  graph: Graph,
): Task<CsrMatrix> {
  const { kind } = graph.origin;
  if (kind === 'given') {
    const remedy = 'Weights that were given say nothing about new points.';
    throw badValue(caller, 'a graph that buildGraph made of points', "one of kind 'given'", remedy);
  }
  checkGraphOptions(caller, 'recipe', recipe);
  if (recipe.kind !== kind) throw badValue(caller, `the recipe of the graph, of kind '${kind}'`, `'${recipe.kind}'`);
  checkPoints(caller, points, queries);
  if (points.rows !== graph.size) throw badValue(caller, `the ${graph.size} points of the graph`, points.rows);
  const rule = rules[recipe.kind] as (...all: [Tensor, GraphRecipe, Tensor, Graph]) => Task<CsrMatrix>;
  return yield* rule(points, recipe, queries, graph);
}
