/** Neighbors within a radius, whose number varies from point to point. */

import { checkOptions, type Rules } from '../../core/options.ts';
import { type ProgressOptions, progressRules, runAsync, subtask, type Task } from '../../core/task.ts';
import { isSparse, type Points } from '../../sparse/points.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { useThreads } from '../../wasm/set-threads.ts';
import { withinRadiusOfAllSteps, withinRadiusOfQueriesSteps } from './blocks/block-radius.ts';
import { sparseWithinRadiusSteps } from './blocks/sparse-radius.ts';
import type { RadiusRows } from './hit-list.ts';
import { type MetricOptions, metricRows, metricRules, resolveMetric } from './metric.ts';
import { checkLength, checkPoints, checkSparseMethod, inFormatOf } from './points.ts';
import { withinRadiusInTreeSteps } from './tree/kd-radius.ts';
import { growTreeSteps, treeColumns } from './tree/kd-tree.ts';

/** Options of the search for points within a radius. */
export interface RadiusOptions extends MetricOptions, ProgressOptions {
  /** A k-d tree, or all pairs; 'auto' chooses by the number of columns. For sparse points always all pairs. */
  readonly method?: 'auto' | 'tree' | 'brute' | undefined;
}

const radiusRules = {
  ...progressRules,
  ...metricRules,
  method: ['auto', 'tree', 'brute'],
} as const satisfies Rules<RadiusOptions>;

/** All pairs of points with ‖x − y‖ < radius, in CSR form. Each point is its own neighbor, at distance 0. */
export async function radiusNeighbors(
  points: Points,
  radius: number,
  options: RadiusOptions = {},
): Promise<RadiusRows> {
  return search('radiusNeighbors', points, points, radius, options);
}

/** The points with ‖x − y‖ < radius for every query x. */
export async function radiusAmong(
  points: Points,
  queries: Points,
  radius: number,
  options: RadiusOptions = {},
): Promise<RadiusRows> {
  return search('radiusAmong', points, queries, radius, options);
}

async function search(
  caller: string,
  points: Points,
  queries: Points,
  radius: number,
  options: RadiusOptions,
): Promise<RadiusRows> {
  checkOptions(caller, options, radiusRules);
  const found = await runAsync(radiusAmongSteps(caller, points, queries, radius, options), options);
  const { starts, indices, squaredDistances } = found;
  return { starts, indices, squaredDistances };
}

/** Pairs, and the order of the points in the leaves of the tree that found their own pairs. */
export interface FoundPairs extends RadiusRows {
  readonly treeOrder?: Int32Array;
}

/** `radiusAmong` as a task, with errors in the name of `caller`; `radiusNeighbors` where the queries are the points. */
export function* radiusAmongSteps(
  caller: string,
  points: Points,
  queries: Points,
  radius: number,
  options: Omit<RadiusOptions, 'progress' | 'signal'> = {},
): Task<FoundPairs> {
  const metric = resolveMetric(caller, options);
  const { method = 'auto' } = options;
  const rows = metricRows(caller, metric, points);
  const others = queries === points ? rows : inFormatOf(rows, metricRows(caller, metric, queries));
  checkPoints(caller, rows, others);
  checkLength(caller, 'radius', radius);
  checkSparseMethod(caller, rows, method);
  return yield* searchWithinSteps(caller, rows, others, radius, method, metric.power);
}

/** The same without checks, for a subset of points that were checked together, as `metricRows` of the metric. */
export function* searchWithinSteps(
  caller: string,
  points: Points,
  queries: Points,
  radius: number,
  method: NonNullable<RadiusOptions['method']>,
  power: number,
): Task<FoundPairs> {
  useThreads();
  const limit = radius * radius;
  if (isSparse(points)) return yield* sparseWithinRadiusSteps(caller, points, queries as CsrMatrix, limit);
  const others = queries as Tensor;
  if (method === 'brute' || (method === 'auto' && points.cols > treeColumns)) {
    return yield* others === points
      ? withinRadiusOfAllSteps(caller, points, limit, power)
      : withinRadiusOfQueriesSteps(caller, points, others, limit, power);
  }
  const tree = yield* subtask(growTreeSteps(points), 0, 0.1);
  const visitors = others === points ? tree : yield* subtask(growTreeSteps(others), 0.1, 0.2);
  const rows = yield* subtask(withinRadiusInTreeSteps(caller, tree, visitors, limit, power), 0.2, 1);
  return tree === visitors ? { ...rows, treeOrder: tree.order.slice() } : rows;
}
