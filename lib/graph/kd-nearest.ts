/** Which points are nearest, found in a k-d tree? */

import { clearBest, isNearer, type NeighborRows, replaceFarthest, sortBest } from './best.ts';
import { boxDistance, deepest, type KdTree } from './kd-tree.ts';
import type { Work } from '../core/pace.ts';

/** Searches between two looks at the clock. */
const stride = 256;

/**
 * The out.count nearest points of `tree` for every point of `visitors`, written to the visitor's row. Where both are one
 * tree, a point is not its own neighbour. Visitors come in the order of their tree, so that one search finds in the caches
 * what the last one needed.
 */
export function* nearestInTree(tree: KdTree, visitors: KdTree, out: NeighborRows): Work<void> {
  for (let start = 0; start < visitors.size; start += stride) {
    searchRange(tree, visitors, start, Math.min(start + stride, visitors.size), out);
    yield start / visitors.size;
  }
}

/** Visitors at places start … end−1; ranges can be worked on apart. */
function searchRange(tree: KdTree, visitors: KdTree, start: number, end: number, out: NeighborRows): void {
  const { count } = out;
  const indices = new Int32Array(count);
  const distances = new Float64Array(count);
  const stack = { nodes: new Int32Array(deepest), bounds: new Float64Array(deepest) };
  for (let place = start; place < end; place++) {
    clearBest(indices, distances);
    search(tree, visitors.points, place * tree.dimension, tree === visitors ? place : -1, stack, indices, distances);
    sortBest(count, 0, indices, distances);
    const base = visitors.order[place] * out.stride;
    for (let k = 0; k < count; k++) {
      out.indices[base + k] = indices[k];
      out.squaredDistances[base + k] = distances[k];
    }
  }
}

/**
 * Fills the heap with the nearest points of the one at x[from …], place `except` left out. Distances are sums in Float64
 * rounded to Float32, ties settled by row. A box's distance is summed in the same order as a point's, and rounding keeps
 * order, so that no box is passed over that holds a nearer point.
 */
function search(
  tree: KdTree,
  x: Float64Array,
  from: number,
  except: number,
  stack: { readonly nodes: Int32Array; readonly bounds: Float64Array },
  indices: Int32Array,
  distances: Float64Array,
): void {
  const { dimension, points, order, leaves, starts, ends, lowest } = tree;
  const { nodes, bounds } = stack;
  const width = indices.length;
  let depth = 1;
  nodes[0] = 1;
  bounds[0] = 0;
  while (depth > 0) {
    depth--;
    let node = nodes[depth];
    let bound = bounds[depth];
    while (node < leaves && isNearer(bound, lowest[node], distances[0], indices[0])) {
      const left = 2 * node;
      const leftBound = Math.fround(boxDistance(tree, left, x, from));
      const rightBound = Math.fround(boxDistance(tree, left + 1, x, from));
      const leftFirst = isNearer(leftBound, lowest[left], rightBound, lowest[left + 1]);
      node = leftFirst ? left : left + 1;
      bound = leftFirst ? leftBound : rightBound;
      nodes[depth] = leftFirst ? left + 1 : left;
      bounds[depth++] = leftFirst ? rightBound : leftBound;
    }
    if (node < leaves || !isNearer(bound, lowest[node], distances[0], indices[0])) continue;
    for (let place = starts[node], at = place * dimension; place < ends[node]; place++) {
      let sum = 0;
      for (let p = 0; p < dimension; p++, at++) {
        const difference = x[from + p] - points[at];
        sum += difference * difference;
      }
      const distance = Math.fround(sum);
      if (place === except || !isNearer(distance, order[place], distances[0], indices[0])) continue;
      replaceFarthest(width, 0, order[place], distance, indices, distances);
    }
  }
}
