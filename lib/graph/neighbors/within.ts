/** The search for all points within a radius of queries, prepared once for one batch of queries after another. */

import { runSync, subtask, type Task } from '../../core/task.ts';
import { everyIndex } from '../../sparse/indices.ts';
import { isSparse, type Points } from '../../sparse/points.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { useThreads } from '../../wasm/set-threads.ts';
import type { RadiusRows } from './hit-list.ts';
import { checkPoints, cornersOf, inFormatOf, squaredDistance } from './points.ts';
import { searchWithinSteps } from './radius.ts';
import { growTreeSteps, treeColumns } from './tree/kd-tree.ts';
import { type Room, searchReachTreeSteps, reachTreeSteps } from './tree/reach-tree.ts';

/** Uses the pairs of some queries: row i of them belongs to query queries[i]. The entries of a row are in any order. */
type UsePairsSteps = (queries: Int32Array, pairs: RadiusRows) => Task<void>;

/**
 * Calls `useSteps` with the points y for which ‖x − y‖ < radius, of all queries x, some of them at a time. What it gets is
 * valid during the call.
 */
export type WithinSearch = (queries: Points, useSteps: UsePairsSteps) => Task<void>;

/**
 * Prepares a search among `metricRows` of a metric. A query has about `usual` points within the radius, at most; more cost time.
 * `treeOrder` is that of the points in a tree, if it is known. Errors are in the name of `caller`.
 */
export function* prepareWithinSteps(
  caller: string,
  points: Points,
  radius: number,
  power: number,
  usual: number,
  treeOrder?: Int32Array,
): Task<WithinSearch> {
  const extent = isSparse(points) ? points : cornersOf(points);
  checkPoints(caller, extent);
  if (isSparse(points) || points.cols > treeColumns) {
    return function* searchSteps(given, useSteps) {
      const queries = inFormatOf(points, given);
      checkPoints(caller, extent, queries);
      const search = searchWithinSteps(caller, points, queries, radius, 'brute', power);
      const pairs = yield* subtask(search, 0, 0.9);
      yield* subtask(useSteps(everyIndex(queries.rows), pairs), 0.9, 1);
    };
  }
  const limit = radius * radius;
  const reaches = new Float32Array(points.rows).fill(reachBeyond(radius));
  const tree = yield* reachTreeSteps(points, treeOrder, reaches);
  return function* searchSteps(given, useSteps) {
    const queries = inFormatOf(points, given) as Tensor;
    checkPoints(caller, extent, queries);
    useThreads();
    const visitors = yield* subtask(growTreeSteps(queries), 0, 0.1);
    const keep = (rows: Int32Array, room: Room): void => {
      runSync(useSteps(rows, pairsWithin(points, queries, limit, power, rows, room)));
    };
    yield* subtask(searchReachTreeSteps(tree, visitors, power, 1, usual, keep), 0.1, 1);
  };
}

/** The rounding of a squared distance to single precision: relative, and of the smallest numbers. */
const relative = 2 ** -22;
const absolute = 2 ** -149;
/** Above the squared distances of points that can be searched. */
const longest = 1e38;

/** A number in single precision that no squared distance within the radius exceeds after rounding. */
export function reachBeyond(radius: number): number {
  return Math.fround(Math.min(longest, radius * radius * (1 + relative) + absolute));
}

/**
 * The pairs with ‖x − y‖² < limit, in the arrays of the room. Those that rounding leaves in doubt are measured again in double
 * precision.
 */
function pairsWithin(
  points: Tensor,
  queries: Tensor,
  limit: number,
  power: number,
  rows: Int32Array,
  { hits, reached, reachedDistances }: Room,
): RadiusRows {
  const certain = limit * (1 - relative) - absolute;
  const isNearer = (j: number, query: number): boolean => squaredDistance(queries, query, points, j, power) < limit;
  const starts = new Int32Array(rows.length + 1);
  let kept = 0;
  for (let i = 0; i < rows.length; i++) {
    const first = i * (hits + 1) + 1;
    for (let e = first, end = first + reached[first - 1]; e < end; e++) {
      const squared = reachedDistances[e];
      if (!(squared < certain) && !isNearer(reached[e], rows[i])) continue;
      reached[kept] = reached[e];
      reachedDistances[kept++] = squared;
    }
    starts[i + 1] = kept;
  }
  return { starts, indices: reached.subarray(0, kept), squaredDistances: reachedDistances.subarray(0, kept) };
}
