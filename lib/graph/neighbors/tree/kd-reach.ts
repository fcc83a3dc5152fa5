/** The points within whose reach queries are, by a k-d tree. */

import type { Task } from '../../../core/task.ts';
import { boxDistance } from '../../../kernels/nearest/kd-tree.ts';
import { powerSum, squareOfSum } from '../../../kernels/nearest/powers.ts';
import type { HitList, RadiusRows } from '../hit-list.ts';
import type { NeighborRows } from '../neighbor-rows.ts';
import type { KdTree } from './kd-tree.ts';
import { collectWithin } from './kd-within.ts';

/** How far the points of a tree reach, squared. */
export interface TreeReaches {
  /** In the order of rows. */
  readonly byRow: Float32Array;
  /** In the order of places. */
  readonly byPlace: Float32Array;
  /** The longest of each node. */
  readonly longest: Float32Array;
}

export function reachesInTree({ leaves, starts, order }: KdTree, byRow: Float32Array): TreeReaches {
  const byPlace = new Float32Array(order.length);
  for (let place = 0; place < order.length; place++) byPlace[place] = byRow[order[place]];
  const longest = new Float32Array(2 * leaves);
  for (let node = 2 * leaves - 1; node > 0; node--) {
    if (node < leaves) longest[node] = Math.max(longest[2 * node], longest[2 * node + 1]);
    else {
      for (let place = starts[node]; place < starts[node + 1]; place++) {
        longest[node] = Math.max(longest[node], byPlace[place]);
      }
    }
  }
  return { byRow, byPlace, longest };
}

/**
 * The points y of `tree` with ‖x − y‖² ≤ reach(y), in the norm of `power`, for every point x of `visitors`, whose nearest points
 * are `found`. Points that reach less far than the last of these are among them. The others are searched, in the boxes that
 * are no farther than the longest reach of their points.
 */
export function withinReachInTree(
  caller: string,
  tree: KdTree,
  visitors: KdTree,
  reaches: TreeReaches,
  found: NeighborRows,
  power: number,
): Task<RadiusRows> {
  const x = visitors.points;
  return collectWithin(caller, tree, visitors, (place, nodes, hits, distances) => {
    const base = visitors.order[place] * found.stride;
    const last = found.squaredDistances[base + found.count - 1];
    hits.makeRoom(found.count);
    for (let k = base; k < base + found.count; k++) {
      const row = found.indices[k];
      const reach = reaches.byRow[row];
      if (reach >= last || found.squaredDistances[k] > reach) continue;
      hits.indices[hits.count++] = row;
      distances[row] = found.squaredDistances[k];
    }
    search(tree, x, place * tree.dimension, last, reaches, power, nodes, hits, distances);
  });
}

/** Appends the rows of points that reach x[from …] and at least as far as `least`, and writes their distances by row. */
function search(
  tree: KdTree,
  x: Float64Array,
  from: number,
  least: number,
  { byPlace, longest }: TreeReaches,
  power: number,
  nodes: Int32Array,
  hits: HitList,
  distances: Float32Array,
): void {
  const { dimension, leaves, starts, order, points, boxes } = tree;
  let waiting = 1;
  nodes[0] = 1;
  while (waiting > 0) {
    const node = nodes[--waiting];
    if (longest[node] < least) continue;
    // Rounding keeps order: no box with a point that reaches x has a distance above the reach.
    if (Math.fround(boxDistance(power, dimension, boxes, node, x, from)) > longest[node]) continue;
    if (node < leaves) {
      nodes[waiting++] = 2 * node + 1;
      nodes[waiting++] = 2 * node;
      continue;
    }
    hits.makeRoom(starts[node + 1] - starts[node]);
    for (let place = starts[node], at = place * dimension; place < starts[node + 1]; place++, at += dimension) {
      if (byPlace[place] < least) continue;
      const squared = Math.fround(squareOfSum(power, powerSum(power, dimension, x, from, points, at)));
      if (!(squared <= byPlace[place])) continue;
      hits.indices[hits.count++] = order[place];
      distances[order[place]] = squared;
    }
  }
}
