/** The points within whose reach queries are, by a k-d tree. */

import type { Task } from '../../../core/task.ts';
import { boxDistance } from '../../../kernels/nearest/kd-tree.ts';
import { powerSum, squareOfSum } from '../../../kernels/nearest/powers.ts';
import { HitList, type RadiusRows } from '../hit-list.ts';
import { deepest, type KdTree } from './kd-tree.ts';

/** Searches between two yields. */
const stride = 256;

/** The longest reach of the points of each node of the tree, squared. */
export function reachesOfNodes({ leaves, starts, order }: KdTree, squaredReaches: Float32Array): Float32Array {
  const longest = new Float32Array(2 * leaves);
  for (let node = 2 * leaves - 1; node > 0; node--) {
    if (node < leaves) longest[node] = Math.max(longest[2 * node], longest[2 * node + 1]);
    else {
      for (let place = starts[node]; place < starts[node + 1]; place++) {
        longest[node] = Math.max(longest[node], squaredReaches[order[place]]);
      }
    }
  }
  return longest;
}

/**
 * The points y of `tree` with ‖x − y‖² ≤ squaredReaches[y], in the norm of `power`, for every point x of `visitors`. Visits only
 * the boxes that are no farther than the longest reach of their points.
 */
export function* withinReachInTree(
  caller: string,
  tree: KdTree,
  visitors: KdTree,
  squaredReaches: Float32Array,
  longest: Float32Array,
  power: number,
): Task<RadiusRows> {
  const { dimension, leaves, starts, order, points, boxes } = tree;
  const hits = new HitList(caller);
  const distances = new Float32Array(tree.size);
  const nodes = new Int32Array(deepest);
  for (let visitor = 0; visitor < visitors.size; visitor++) {
    const first = hits.count;
    const from = visitor * dimension;
    let waiting = 1;
    nodes[0] = 1;
    while (waiting > 0) {
      const node = nodes[--waiting];
      // Rounding keeps order: no box with a point in whose reach x is has a distance above the reach.
      if (Math.fround(boxDistance(power, dimension, boxes, node, visitors.points, from)) > longest[node]) continue;
      if (node < leaves) {
        nodes[waiting++] = 2 * node + 1;
        nodes[waiting++] = 2 * node;
        continue;
      }
      hits.makeRoom(starts[node + 1] - starts[node]);
      for (let place = starts[node], at = place * dimension; place < starts[node + 1]; place++, at += dimension) {
        const squared = Math.fround(squareOfSum(power, powerSum(power, dimension, visitors.points, from, points, at)));
        const row = order[place];
        if (!(squared <= squaredReaches[row])) continue;
        hits.indices[hits.count++] = row;
        distances[row] = squared;
      }
    }
    hits.indices.subarray(first, hits.count).sort();
    hits.rows.fill(visitors.order[visitor], first, hits.count);
    for (let e = first; e < hits.count; e++) hits.squaredDistances[e] = distances[hits.indices[e]];
    if (visitor % stride === 0) yield visitor / visitors.size;
  }
  return hits.byRows(visitors.size);
}
