/** The nearest points of queries, together with the points within whose reach the queries are. */

import { subtask, type Task } from '../../core/task.ts';
import { isSparse, type Points, takePoints } from '../../sparse/points.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { useThreads } from '../../wasm/set-threads.ts';
import { nearestAndReached } from './blocks/brute.ts';
import type { RadiusRows } from './hit-list.ts';
import type { MetricOptions } from './metric.ts';
import { makeRows, nearestAmongSteps, type Neighbors } from './neighbors.ts';
import { checkPoints, cornersOf, inFormatOf } from './points.ts';
import { searchWithin } from './radius.ts';
import { nearestInTree } from './tree/kd-nearest.ts';
import { withinRadiusInTree } from './tree/kd-radius.ts';
import { growTree, type KdTree, treeColumns } from './tree/kd-tree.ts';

/** Pairs of a query and a point, in any order. */
export interface Pairs {
  readonly rows: number[];
  readonly columns: number[];
  readonly squaredDistances: number[];
}

export interface Reached {
  readonly found: Neighbors;
  /** The pairs with ‖x − y‖² ≤ squaredReaches[y]. */
  readonly reached: Pairs;
}

/** The `neighbors` nearest points of every query, and the points within whose reach it is. */
export type ReachSearch = (queries: Points, neighbors: number) => Task<Reached>;

/** Prepares a search among points, each with its own reach, in the norm of `power`. Errors are in the name of `caller`. */
export function* prepareReachSteps(
  caller: string,
  points: Points,
  squaredReaches: Float64Array,
  power: number,
  norm: MetricOptions,
): Task<ReachSearch> {
  const inTree = !isSparse(points) && points.cols <= treeColumns;
  if (inTree) return yield* prepareTrees(caller, points, squaredReaches, power);
  checkPoints(caller, points);
  const extent = isSparse(points) ? points : cornersOf(points);
  return function* search(given, neighbors) {
    const queries = inFormatOf(points, given);
    if (power === 2) {
      checkPoints(caller, extent, queries);
      useThreads();
      const out = makeRows(queries.rows, neighbors, neighbors);
      const rows = yield* nearestAndReached(points, queries, squaredReaches, out);
      const { indices, squaredDistances } = out;
      const found: Neighbors = { neighbors, indices, squaredDistances, method: 'brute' };
      if (rows !== null) return { found, reached: pairsOf(rows) };
    }
    const found = yield* subtask(nearestAmongSteps(caller, points, queries, { neighbors, ...norm }), 0, 0.5);
    const within = (group: Group): Task<RadiusRows> =>
      searchWithin(caller, takePoints(points, group.rows), queries, group.radius, 'brute', power);
    const reached = yield* subtask(reachedByGroups(groupsOf(squaredReaches), squaredReaches, within), 0.5, 1);
    return { found, reached };
  };
}

/** One k-d tree of all points, and one of each group of similar reach. */
function* prepareTrees(caller: string, points: Tensor, squaredReaches: Float64Array, power: number): Task<ReachSearch> {
  checkPoints(caller, points);
  const extent = cornersOf(points);
  const tree = yield* subtask(growTree(points), 0, 0.5);
  const groups = groupsOf(squaredReaches);
  const trees = new Map<Group, KdTree>();
  for (const [g, group] of groups.entries()) {
    const part = growTree(takePoints(points, group.rows) as Tensor);
    trees.set(group, yield* subtask(part, 0.5 + g / (2 * groups.length), 0.5 + (g + 1) / (2 * groups.length)));
  }
  return function* search(queries, neighbors) {
    const dense = inFormatOf(points, queries) as Tensor;
    checkPoints(caller, extent, dense);
    useThreads();
    const visitors = yield* subtask(growTree(dense), 0, 0.1);
    const out = makeRows(dense.rows, neighbors, neighbors);
    yield* subtask(nearestInTree(tree, visitors, power, out), 0.1, 0.5);
    const within = (group: Group): Task<RadiusRows> =>
      withinRadiusInTree(caller, trees.get(group)!, visitors, group.radius ** 2, power);
    const reached = yield* subtask(reachedByGroups(groups, squaredReaches, within), 0.5, 1);
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
function groupsOf(squaredReaches: Float64Array): Group[] {
  const groups = new Map<number, number[]>();
  for (const [j, squared] of squaredReaches.entries()) {
    const size = Math.ceil(Math.log2(squared)); // a factor √2 of the reach
    const group = groups.get(size);
    if (group) group.push(j);
    else groups.set(size, [j]);
  }
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

function* reachedByGroups(
  groups: readonly Group[],
  squaredReaches: Float64Array,
  within: (group: Group) => Task<RadiusRows>,
): Task<Pairs> {
  const pairs: Pairs = { rows: [], columns: [], squaredDistances: [] };
  let done = 0;
  for (const group of groups) {
    const share = group.rows.length / squaredReaches.length;
    const { starts, indices, squaredDistances } = yield* subtask(within(group), done, done + share);
    done += share;
    for (let i = 0; i + 1 < starts.length; i++) {
      for (let e = starts[i]; e < starts[i + 1]; e++) {
        const j = group.rows[indices[e]];
        if (squaredDistances[e] <= squaredReaches[j]) addPair(pairs, i, j, squaredDistances[e]);
      }
    }
  }
  return pairs;
}

function pairsOf({ starts, indices, squaredDistances }: RadiusRows): Pairs {
  const pairs: Pairs = { rows: [], columns: [], squaredDistances: [] };
  for (let i = 0; i + 1 < starts.length; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) addPair(pairs, i, indices[e], squaredDistances[e]);
  }
  return pairs;
}

export function addPair(
  { rows, columns, squaredDistances }: Pairs,
  row: number,
  column: number,
  squared: number,
): void {
  rows.push(row);
  columns.push(column);
  squaredDistances.push(squared);
}
