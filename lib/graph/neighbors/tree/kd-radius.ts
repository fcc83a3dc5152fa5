/** Points within a radius by a k-d tree. */

import type { Task } from '../../../core/task.ts';
import { boxDistance } from '../../../kernels/nearest/kd-tree.ts';
import { powerSum, squareOfSum } from '../../../kernels/nearest/powers.ts';
import type { RadiusRows } from '../hit-list.ts';
import type { KdTree } from './kd-tree.ts';
import { collectWithin, visitLeaves } from './kd-within.ts';

/**
 * The points of `tree` with ‖x − y‖² < limit, in the norm of `power`, for every point x of `visitors`, including x itself if both are one
 * tree. Visits only the boxes that intersect the ball.
 */
export function withinRadiusInTree(
  caller: string,
  tree: KdTree,
  visitors: KdTree,
  limit: number,
  power: number,
): Task<RadiusRows> {
  const { dimension, points, order, starts, boxes } = tree;
  const x = visitors.points;
  return collectWithin(caller, tree, visitors, (place, hits, distances) => {
    const from = place * dimension;
    const isNear = (node: number): boolean => boxDistance(power, dimension, boxes, node, x, from) < limit;
    visitLeaves(tree, isNear, (leaf) => {
      hits.makeRoom(starts[leaf + 1] - starts[leaf]);
      for (let other = starts[leaf], at = other * dimension; other < starts[leaf + 1]; other++, at += dimension) {
        const squared = squareOfSum(power, powerSum(power, dimension, x, from, points, at));
        if (squared >= limit) continue;
        distances[order[other]] = squared;
        hits.indices[hits.count++] = order[other];
      }
    });
  });
}
