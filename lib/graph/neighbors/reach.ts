/** The search for the nearest points of queries and for all points whose reach includes a query. */

import { subtask, type Task } from '../../core/task.ts';
import { isSparse, type Points, takePoints } from '../../sparse/points.ts';
import { copyToKernelMemory } from '../../tensor/kernel-memory.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { useThreads } from '../../wasm/set-threads.ts';
import { groupBy } from './group-by.ts';
import { nearestAndReachedSteps, type RegionSearchSteps } from './blocks/brute.ts';
import { isMostlyZero } from './blocks/products.ts';
import { type Layout, layOut, nearestInRegionsSteps } from './blocks/region-search.ts';
import { divideIntoRegions, evenly } from './blocks/regions.ts';
import { HitList, type RadiusRows, sortRows } from './hit-list.ts';
import type { MetricOptions } from './metric.ts';
import { makeRows, nearestAmongSteps, type Neighbors } from './neighbors.ts';
import { checkPoints, cornersOf, denseInSingle, inFormatOf } from './points.ts';
import { searchWithinSteps } from './radius.ts';
import { growTreeSteps } from './tree/kd-tree.ts';
import { nearestAndReachedInTreeSteps, reachTreeSteps } from './tree/reach-tree.ts';

export interface Reached {
  readonly found: Neighbors;
  /** The points with ‖x − y‖² ≤ squaredReaches[y], of every query x. */
  readonly reached: RadiusRows;
}

/** The `neighbors` nearest points of every query, and the points within whose reach it is. */
export type ReachSearch = (queries: Points, neighbors: number) => Task<Reached>;

/** How far points reach, squared, and their order in a tree, if it is known. */
export interface Reach {
  readonly squared: Float32Array;
  readonly treeOrder?: Int32Array | undefined;
}

/**
 * The largest number of columns for a tree, more than in searches for nearest points alone, since one pass over the tree finds
 * both. With more columns it visits nearly all points, and products of all pairs take less time.
 */
const reachColumns = 16;

/** Prepares a search among finite points, each with its own reach, in the norm of `power`. Errors are in the name of `caller`. */
export function* prepareReachSteps(
  caller: string,
  given: Points,
  reach: Reach,
  power: number,
  norm: MetricOptions,
): Task<ReachSearch> {
  if (!isSparse(given) && given.cols <= reachColumns) return yield* prepareTreesSteps(caller, given, reach, power);
  const { squared: squaredReaches } = reach;
  const points = isSparse(given) || given.precision === 'double' ? given : copyToKernelMemory(given);
  const extent = isSparse(points) ? points : cornersOf(points);
  checkPoints(caller, extent);
  let regionsSteps: RegionSearchSteps | null | undefined;
  return function* searchSteps(unseen, neighbors) {
    const queries = inFormatOf(points, unseen);
    if (power === 2) {
      const isMany = points.rows >= manyPoints && queries.rows >= manyQueries;
      if (isMany && regionsSteps === undefined) regionsSteps = regionsOf(points);
      checkPoints(caller, extent, queries);
      useThreads();
      const out = makeRows(queries.rows, neighbors, neighbors);
      const rows = yield* nearestAndReachedSteps(points, queries, squaredReaches, isMany ? regionsSteps! : null, out);
      const { indices, squaredDistances } = out;
      const found: Neighbors = { neighbors, indices, squaredDistances, method: 'brute' };
      if (rows !== null) return { found, reached: rows };
    }
    const found = yield* subtask(nearestAmongSteps(caller, points, queries, { neighbors, ...norm }), 0, 0.5);
    const withinSteps = (group: Group): Task<RadiusRows> =>
      searchWithinSteps(caller, takePoints(points, group.rows), queries, group.radius, 'brute', power);
    const reached = yield* subtask(reachedByGroupsSteps(caller, queries.rows, squaredReaches, withinSteps), 0.5, 1);
    return { found, reached };
  };
}

/** With fewer points or queries, dividing the points takes longer than comparing all pairs. */
const manyPoints = 2048;
const manyQueries = 512;

/** The search by regions of dense points. Products of mostly zeros are sparse ones, for which there is none. */
function regionsOf(points: Points): RegionSearchSteps | null {
  if (isSparse(points) || isMostlyZero(takePoints(points, evenly(points.rows, 64)) as Tensor)) return null;
  const regions = divideIntoRegions(denseInSingle(points).points);
  let layout: Layout | null = null;
  return (moved, queries, width, pairs) => {
    if (layout?.given !== moved) layout = layOut(moved as Tensor, regions);
    return nearestInRegionsSteps(layout, queries as Tensor, width, pairs);
  };
}

/** A k-d tree of all points, of which every node knows the longest reach of its points. */
function* prepareTreesSteps(caller: string, points: Tensor, reach: Reach, power: number): Task<ReachSearch> {
  const extent = cornersOf(points);
  checkPoints(caller, extent);
  const tree = yield* reachTreeSteps(points, reach.treeOrder, reach.squared);
  return function* searchSteps(queries, neighbors) {
    const dense = inFormatOf(points, queries) as Tensor;
    checkPoints(caller, extent, dense);
    useThreads();
    const visitors = yield* subtask(growTreeSteps(dense), 0, 0.1);
    const out = makeRows(dense.rows, neighbors, neighbors);
    const reached = yield* subtask(nearestAndReachedInTreeSteps(caller, tree, visitors, power, out), 0.1, 1);
    const { indices, squaredDistances } = out;
    return { found: { neighbors, indices, squaredDistances, method: 'tree' }, reached };
  };
}

/** Points of similar reach, and a radius that is longer than the reach of each. */
interface Group {
  readonly rows: Int32Array;
  readonly radius: number;
}

/** Groups of points, so that a few with a long reach do not widen the search for all. */
function groupsOf(squaredReaches: Float32Array): Group[] {
  // A factor √2 of the reach.
  const groups = groupBy(squaredReaches.keys(), (j) => Math.ceil(Math.log2(squaredReaches[j])));
  return Array.from(groups.values(), (rows) => {
    const farthest = rows.reduce((most, j) => Math.max(most, squaredReaches[j]), 0);
    const radius = Math.min(Math.max(Math.sqrt(farthest) * margin, shortest), longest);
    return { rows: Int32Array.from(rows), radius };
  });
}

/** Searches find what is strictly nearer than a radius. It is widened by this factor, and hits are compared again. */
const margin = 1 + 2 ** -20;
/** Above and below any distance between points that can be searched. */
const longest = 1e20;
const shortest = 1e-20;

function* reachedByGroupsSteps(
  caller: string,
  queries: number,
  squaredReaches: Float32Array,
  withinSteps: (group: Group) => Task<RadiusRows>,
): Task<RadiusRows> {
  const hits = new HitList(caller);
  let done = 0;
  for (const group of groupsOf(squaredReaches)) {
    const fraction = group.rows.length / squaredReaches.length;
    const { starts, indices, squaredDistances } = yield* subtask(withinSteps(group), done, done + fraction);
    done += fraction;
    for (let i = 0; i + 1 < starts.length; i++) {
      hits.makeRoom(starts[i + 1] - starts[i]);
      for (let e = starts[i]; e < starts[i + 1]; e++) {
        const j = group.rows[indices[e]];
        if (squaredDistances[e] <= squaredReaches[j]) hits.add(i, j, squaredDistances[e]);
      }
    }
  }
  const rows = hits.byRows(queries);
  sortRows(rows);
  return rows;
}
