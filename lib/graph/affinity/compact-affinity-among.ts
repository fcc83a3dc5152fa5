/** Weights between new points and a graph of a kernel with compact support. */

import { subtask, type Task } from '../../core/task.ts';
import { weightAt } from '../../kernels/nearest/kd-gaussian.ts';
import { isSparse, type Points } from '../../sparse/points.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { useThreads } from '../../wasm/set-threads.ts';
import type { Graph } from '../graph.ts';
import { metricRows } from '../neighbors/metric.ts';
import { checkPoints, cornersOf, inFormatOf, longestRow } from '../neighbors/points.ts';
import { metricOfPoints } from '../neighbors/source.ts';
import { gaussianTable, gaussianWeightsInTreeSteps } from '../neighbors/tree/gaussian-tree.ts';
import { growTreeSteps, treeColumns } from '../neighbors/tree/kd-tree.ts';
import { reachTreeSteps } from '../neighbors/tree/reach-tree.ts';
import { prepareWithinSteps, reachBeyond } from '../neighbors/within.ts';
import { type CompactRecipe, type CompactRule, ruleOf, scaleSteps, weighSteps } from './compact-affinity.ts';
import type { WeightsOfQueries } from './weights.ts';

const caller = 'nystrom';

/** Row i holds the weights of query i and the points, in any order. The bandwidth of the recipe is a number. */
export function* compactWeightsAmongSteps(
  given: Points,
  recipe: CompactRecipe,
  { weights: { rows, starts }, origin }: Graph,
): Task<WeightsOfQueries> {
  const exact = ruleOf(recipe);
  const metric = metricOfPoints(caller, recipe);
  const points = metricRows(caller, metric, given);
  const usual = longestRow({ rows, starts });
  const inMetric = (queries: Points): Points => metricRows(caller, metric, queries);
  const table = recipe.kind === 'gaussian' ? tableOf(exact, recipe.sigma as number) : null;
  if (table && !isSparse(points) && points.cols <= treeColumns) {
    return yield* gaussianAmongSteps(points, origin.treeOrder, table, metric.power, usual, inMetric);
  }
  const rule = table ? { ...exact, weight: (squared: number) => weightAt(squared, table) } : exact;
  const searchSteps = yield* prepareWithinSteps(caller, points, rule.radius, metric.power, usual, origin.treeOrder);
  return function* weightsSteps(queries, use) {
    yield* searchSteps(inMetric(queries), function* weighSomeSteps(some, pairs) {
      const scale = yield* scaleSteps(recipe, rule, pairs); // a common factor drops out of means
      use({ queries: some, weights: yield* weighSteps(pairs, rule, scale) });
    });
  };
}

function tableOf({ radius, threshold }: CompactRule, sigma: number): Float64Array | null {
  return gaussianTable(sigma, threshold, reachBeyond(radius));
}

/** The same for a Gaussian kernel and points of few columns, by a tree and a table of weights. */
function* gaussianAmongSteps(
  points: Tensor,
  treeOrder: Int32Array | undefined,
  table: Float64Array,
  power: number,
  usual: number,
  inMetric: (queries: Points) => Points,
): Task<WeightsOfQueries> {
  const extent = cornersOf(points);
  checkPoints(caller, extent);
  const tree = yield* reachTreeSteps(points, treeOrder, new Float32Array(points.rows));
  return function* weightsSteps(given, use) {
    const queries = inFormatOf(points, inMetric(given)) as Tensor;
    checkPoints(caller, extent, queries);
    useThreads();
    const visitors = yield* subtask(growTreeSteps(queries), 0, 0.1);
    const useRows = (some: Int32Array, starts: Int32Array, columns: Int32Array, values: Float32Array): void =>
      use({ queries: some, weights: { rows: some.length, starts, columns, values } });
    yield* subtask(gaussianWeightsInTreeSteps(tree, visitors, power, table, usual, useRows), 0.1, 1);
  };
}
