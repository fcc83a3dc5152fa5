/** Points within a radius by a k-d tree. */

import type { Task } from '../../../core/task.ts';
import { boxDistance } from '../../../kernels/nearest/kd-tree.ts';
import { powerSum, squareOfSum } from '../../../kernels/nearest/powers.ts';
import type { HitList, RadiusRows } from '../hit-list.ts';
import type { KdTree } from './kd-tree.ts';
import { collectWithinSteps } from './kd-within.ts';

/**
 * The points of `tree` with ‖x − y‖² < limit, in the norm of `power`, for every point x of `visitors`, including x itself if both are one
 * tree. Visits only the boxes that intersect the ball.
 */
export function withinRadiusInTreeSteps(
  caller: string,
  tree: KdTree,
  visitors: KdTree,
  limit: number,
  power: number,
): Task<RadiusRows> {
  const x = visitors.points;
  return collectWithinSteps(caller, tree, visitors, (place, nodes, hits, distances) => {
    search(tree, x, place * tree.dimension, limit, power, nodes, hits, distances);
  });
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
  const { dimension, points, order, leaves, starts, boxes } = tree;
  let waiting = 1;
  nodes[0] = 1;
  while (waiting > 0) {
    const node = nodes[--waiting];
    if (boxDistance(power, dimension, boxes, node, x, from) >= limit) continue;
    if (node < leaves) {
      nodes[waiting++] = 2 * node;
      nodes[waiting++] = 2 * node + 1;
      continue;
    }
    hits.makeRoom(starts[node + 1] - starts[node]);
    for (let other = starts[node], at = other * dimension; other < starts[node + 1]; other++, at += dimension) {
      const squared = squareOfSum(power, powerSum(power, dimension, x, from, points, at));
      if (squared >= limit) continue;
      distances[order[other]] = squared;
      hits.indices[hits.count++] = order[other];
    }
  }
}
