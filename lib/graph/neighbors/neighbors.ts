/** Nearest neighbors: exact where that takes no more than about half a minute, else approximate with a measured recall. */

import { badValue, checkCount } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import type { Seed } from '../../core/random.ts';
import { isSparse, type Points } from '../../sparse/points.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { NeighborRows } from './neighbor-rows.ts';
import { nearestOfAllSteps, nearestOfQueriesSteps } from './blocks/brute.ts';
import { descendToNeighborsSteps } from './descent/descent.ts';
import { nearestInTreeSteps } from './tree/kd-nearest.ts';
import { growTreeSteps, treeColumns } from './tree/kd-tree.ts';
import { type ProgressOptions, progressRules, runAsync, subtask, type Task } from '../../core/task.ts';
import { useThreads } from '../../wasm/set-threads.ts';
import { type MetricOptions, metricRows, metricRules, resolveMetric } from './metric.ts';
import { checkPoints, checkSparseMethod, inFormatOf } from './points.ts';
import { measureRecallSteps } from './recall.ts';

export const neighborMethods = ['tree', 'brute', 'descent'] as const;

/** A k-d tree, all pairs, or a descent through neighbors of neighbors. Only the descent may miss some. */
export type NeighborMethod = (typeof neighborMethods)[number];

/** The method by which neighbors were found, or 'given'. */
export type NeighborOrigin = NeighborMethod | 'precomputed';

/** The number of neighbors of each point, and the method of the search. */
export interface NeighborOptions extends MetricOptions, ProgressOptions {
  /** k. */
  readonly neighbors: number;
  /** Whether a point is one of its own k neighbors, even if other points coincide with it. Default: true. */
  readonly includeSelf?: boolean | undefined;
  /** 'auto' chooses by the numbers of points and columns. Sparse points are always compared by all pairs. */
  readonly method?: 'auto' | NeighborMethod | undefined;
  /** The seed of the descent. Default: 0. */
  readonly seed?: Seed | undefined;
}

const neighborRules = {
  ...progressRules,
  neighbors: 'number',
  includeSelf: 'boolean',
  method: ['auto', ...neighborMethods],
  seed: 'seed',
  ...metricRules,
} as const satisfies Rules<NeighborOptions>;

/** How many neighbors of each query to find, and how. */
export interface QueryOptions extends MetricOptions, ProgressOptions {
  readonly neighbors: number;
  readonly method?: 'auto' | Exclude<NeighborMethod, 'descent'> | undefined;
}

const queryRules = {
  ...progressRules,
  neighbors: 'number',
  method: ['auto', 'tree', 'brute'],
  ...metricRules,
} as const satisfies Rules<QueryOptions>;

/** The neighbors of row i are at i·k … i·k + k − 1, sorted by distance, then by index. */
export interface Neighbors {
  readonly neighbors: number;
  readonly indices: Int32Array;
  /** Summed in double precision by every method, then rounded to single. */
  readonly squaredDistances: Float32Array;
  readonly method: NeighborOrigin;
  /** Only of the descent: the fraction of true neighbors found, measured on a random sample of points. */
  readonly recall?: number;
  /** Only of the tree: the rows in the order of its leaves, from which it can be built again in little time. */
  readonly treeOrder?: Int32Array;
}

/**
 * The largest n²·(d + 50) for which 'auto' compares all pairs. They take about n²·(d + 50)·0.035 ns on one thread, the 50 for
 * keeping the best, and a third of that if four in five numbers are 0: half a minute at this bound. A descent through 60,000
 * images of MNIST takes a third of the work of all pairs and finds 989 of 1,000 neighbors; at n = 20,000 it gains nothing.
 */
const bruteBound = 1e12;

/** The k nearest points of every point. */
export async function nearestNeighbors(points: Points, options: NeighborOptions): Promise<Neighbors> {
  checkOptions('nearestNeighbors', options, neighborRules);
  return runAsync(nearestNeighborsSteps('nearestNeighbors', points, options), options);
}

/** The k points nearest to every query. Row i belongs to query i. */
export async function nearestAmong(points: Points, queries: Points, options: QueryOptions): Promise<Neighbors> {
  checkOptions('nearestAmong', options, queryRules);
  return runAsync(nearestAmongSteps('nearestAmong', points, queries, options), options);
}

/** `nearestNeighbors` as a task, with errors in the name of `caller`. */
export function* nearestNeighborsSteps(
  caller: string,
  given: Points,
  options: Omit<NeighborOptions, 'progress' | 'signal'>,
): Task<Neighbors> {
  const { neighbors, includeSelf = true, method = 'auto', seed = 0 } = options;
  const metric = resolveMetric(caller, options);
  const points = metricRows(caller, metric, given);
  checkPoints(caller, points);
  useThreads();
  checkSparseMethod(caller, points, method);
  checkCount(caller, 'neighbors', neighbors, 1);
  const most = points.rows - (includeSelf ? 0 : 1);
  if (neighbors > most) {
    const counted = includeSelf ? 'the point itself counted' : 'the point itself not counted';
    throw badValue(caller, `neighbors to be at most ${most} for ${points.rows} points, ${counted}`, neighbors);
  }
  const out = makeRows(points.rows, neighbors, includeSelf ? neighbors - 1 : neighbors);
  const chosen = method === 'auto' ? methodFor(points) : method;
  const found = out.count > 0 ? yield* searchSteps(chosen, points, metric.power, seed, out) : {};
  if (includeSelf) for (let i = 0; i < points.rows; i++) insertSelf(i, out);
  const { indices, squaredDistances } = out;
  return { neighbors, indices, squaredDistances, method: chosen, ...found };
}

/** `nearestAmong` as a task, with errors in the name of `caller`. */
export function* nearestAmongSteps(
  caller: string,
  given: Points,
  givenQueries: Points,
  options: QueryOptions,
): Task<Neighbors> {
  const { neighbors, method = 'auto' } = options;
  const metric = resolveMetric(caller, options);
  const points = metricRows(caller, metric, given);
  const queries = inFormatOf(points, metricRows(caller, metric, givenQueries));
  checkPoints(caller, points, queries);
  useThreads();
  checkSparseMethod(caller, points, method);
  checkCount(caller, 'neighbors', neighbors, 1);
  if (neighbors > points.rows) throw badValue(caller, `neighbors to be at most the ${points.rows} points`, neighbors);
  return yield* nearestAmongCheckedSteps(points, queries, neighbors, metric.power, method);
}

/**
 * `nearestAmongSteps` for rows of the metric that were checked. A part of points that passed a check may be nearer to each
 * other than the check allows.
 */
export function* nearestAmongCheckedSteps(
  points: Points,
  queries: Points,
  neighbors: number,
  power: number,
  method: QueryOptions['method'] = 'auto',
): Task<Neighbors> {
  const out = makeRows(queries.rows, neighbors, neighbors);
  const inTree = !isSparse(points) && points.cols <= treeColumns;
  const chosen = method === 'auto' ? (inTree ? 'tree' : 'brute') : method;
  if (chosen === 'tree') {
    const tree = yield* subtask(growTreeSteps(points as Tensor), 0, 0.2);
    const visitors = yield* subtask(growTreeSteps(queries as Tensor), 0.2, 0.3);
    yield* subtask(nearestInTreeSteps(tree, visitors, power, out), 0.3, 1);
  } else {
    yield* nearestOfQueriesSteps(points, queries, null, power, out);
  }
  return { neighbors, indices: out.indices, squaredDistances: out.squaredDistances, method: chosen };
}

function methodFor(points: Points): NeighborMethod {
  if (isSparse(points)) return 'brute';
  const { rows, cols } = points;
  if (cols <= treeColumns) return 'tree';
  return rows * rows * (cols + 50) > bruteBound ? 'descent' : 'brute';
}

/** Finds the nearest others of every point. */
function* searchSteps(
  method: NeighborMethod,
  points: Points,
  power: number,
  seed: Seed,
  out: NeighborRows,
): Task<Pick<Neighbors, 'recall' | 'treeOrder'>> {
  if (method === 'tree') {
    const tree = yield* subtask(growTreeSteps(points as Tensor), 0, 0.1);
    yield* subtask(nearestInTreeSteps(tree, tree, power, out), 0.1, 1);
    return { treeOrder: tree.order.slice() };
  }
  if (method === 'brute') {
    yield* nearestOfAllSteps(points, power, out);
    return {};
  }
  yield* subtask(descendToNeighborsSteps(points as Tensor, power, seed, out), 0, 0.95);
  return { recall: yield* subtask(measureRecallSteps(points as Tensor, power, out, seed), 0.95, 1) };
}

/** Room for the neighbors of every row. */
export function makeRows(rows: number, stride: number, count: number): NeighborRows {
  const indices = new Int32Array(rows * stride);
  return { count, stride, indices, squaredDistances: new Float32Array(rows * stride) };
}

/**
 * Inserts the point itself, at distance 0, into its sorted row, after points of smaller index that coincide with it. `self` is
 * its index, if that is not the row.
 */
export function insertSelf(row: number, { count, stride, indices, squaredDistances }: NeighborRows, self = row): void {
  let at = row * stride + count;
  for (; at > row * stride; at--) {
    if (squaredDistances[at - 1] === 0 && indices[at - 1] < self) break;
    squaredDistances[at] = squaredDistances[at - 1];
    indices[at] = indices[at - 1];
  }
  squaredDistances[at] = 0;
  indices[at] = self;
}
