/** Searches of a k-d tree for all points that are near enough, whose number is not known in advance. */

import type { Task } from '../../../core/task.ts';
import { HitList, type RadiusRows } from '../hit-list.ts';
import { deepest, type KdTree } from './kd-tree.ts';

/** Searches between two yields. */
const stride = 256;

/**
 * Appends the rows of points that are near the visitor at `place` to the indices of the hits, and writes their distances by row.
 * `nodes` has room for the nodes that wait for their visit.
 */
export type FindNear = (place: number, nodes: Int32Array, hits: HitList, distances: Float32Array) => void;

/** The points of `tree` that `find` finds for every point of `visitors`. Rows are in the order of the visitors, each sorted by the points' rows. */
export function* collectWithinSteps(caller: string, tree: KdTree, visitors: KdTree, find: FindNear): Task<RadiusRows> {
  const hits = new HitList(caller);
  const distances = new Float32Array(tree.size);
  for (let start = 0; start < visitors.size; start += stride) {
    collectRange(visitors, start, Math.min(start + stride, visitors.size), find, distances, hits);
    yield start / visitors.size;
  }
  return hits.byRows(visitors.size);
}

/** Visitors at places start … end−1. */
function collectRange(
  { order }: KdTree,
  start: number,
  end: number,
  find: FindNear,
  distances: Float32Array,
  hits: HitList,
): void {
  const nodes = new Int32Array(deepest);
  for (let place = start; place < end; place++) {
    const first = hits.count;
    find(place, nodes, hits, distances);
    hits.indices.subarray(first, hits.count).sort();
    hits.rows.fill(order[place], first, hits.count);
    for (let e = first; e < hits.count; e++) hits.squaredDistances[e] = distances[hits.indices[e]];
  }
}
