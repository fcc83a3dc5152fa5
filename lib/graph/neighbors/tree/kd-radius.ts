/** Points within a radius by a k-d tree. */

import { HitList, type RadiusRows } from '../hit-list.ts';
import { boxDistance } from '../../../kernels/nearest/kd-tree.ts';
import { powerSum, squareOfSum } from '../../../kernels/nearest/powers.ts';
import { deepest, type KdTree } from './kd-tree.ts';
import type { Task } from '../../../core/task.ts';

/** Searches between two yields. */
const stride = 256;

/**
 * The points of `tree` with ‖x − y‖² < limit, in the norm of `power`, for every point x of `visitors`, including x itself if both are one tree. Rows
 * are in the order of the visitors, each sorted by the points' rows. Visits only the boxes that intersect the ball.
 */
export function* withinRadiusInTree(
  caller: string,
  tree: KdTree,
  visitors: KdTree,
  limit: number,
  power: number,
): Task<RadiusRows> {
  const hits = new HitList(caller);
  const distances = new Float32Array(tree.size);
  for (let start = 0; start < visitors.size; start += stride) {
    searchRange(tree, visitors, start, Math.min(start + stride, visitors.size), limit, power, distances, hits);
    yield start / visitors.size;
  }
  return hits.byRows(visitors.size);
}

/** Visitors at places start … end−1. Ranges are independent if each has its own `distances` and `hits`. */
function searchRange(
  tree: KdTree,
  visitors: KdTree,
  start: number,
  end: number,
  limit: number,
  power: number,
  distances: Float32Array,
  hits: HitList,
): void {
  const nodes = new Int32Array(deepest);
  for (let place = start; place < end; place++) {
    const first = hits.count;
    search(tree, visitors.points, place * tree.dimension, limit, power, nodes, hits, distances);
    hits.indices.subarray(first, hits.count).sort();
    hits.rows.fill(visitors.order[place], first, hits.count);
    for (let e = first; e < hits.count; e++) hits.squaredDistances[e] = distances[hits.indices[e]];
  }
}

/** Appends the rows of points nearer than the limit to the hits, and writes their distances by row. */
function search(
  tree: KdTree,
  x: Float64Array,
  from: number,
  limit: number,
  power: number,
  nodes: Int32Array,
  hits: HitList,
  distances: Float32Array,
): void {
  const { dimension, points, order, leaves, starts, ends, boxes } = tree;
  let depth = 1;
  nodes[0] = 1;
  while (depth > 0) {
    const node = nodes[--depth];
    if (boxDistance(power, dimension, boxes, node, x, from) >= limit) continue;
    if (node < leaves) {
      nodes[depth++] = 2 * node;
      nodes[depth++] = 2 * node + 1;
      continue;
    }
    hits.makeRoom(ends[node] - starts[node]);
    for (let place = starts[node], at = place * dimension; place < ends[node]; place++, at += dimension) {
      const squared = squareOfSum(power, powerSum(power, dimension, x, from, points, at));
      if (squared >= limit) continue;
      distances[order[place]] = squared;
      hits.indices[hits.count++] = order[place];
    }
  }
}
