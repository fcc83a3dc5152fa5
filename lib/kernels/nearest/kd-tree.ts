/** The search for nearest points in a k-d tree of typed arrays. */

import { clearBest, isNearer, replaceFarthest, sortBest } from './heap.ts';
import { powerSum, raise, squareOfSum } from './powers.ts';

/**
 * The `count` nearest points for the queries at places start … end−1 of x, all in `dimension` columns of Float64. Writes rows
 * and squared distances of query `place` from (place − start)·count on, nearest first, ties broken by row. With `self` = 1
 * the queries are the points, and no point is its own neighbor.
 *
 * The tree: node 1 is the root, nodes 2v and 2v+1 are the halves of node v, nodes from `leaves` (a power of two) to
 * 2·leaves − 1 hold the points at places starts[v] … starts[v+1]−1, which came from rows order[place]. lowest[v] is the
 * smallest row of a node. Its bounding box is at 2·dimension·v: lows, then highs.
 *
 * Distances are those of the norm of `power`: sums in Float64 in the order of columns, rounded to Float32. A box's distance
 * is summed in the same order as a point's, and rounding keeps order, so that no box with a nearer point is skipped.
 */
export function kdNearest(
  start: number,
  end: number,
  count: number,
  dimension: number,
  leaves: number,
  self: number,
  power: number,
  starts: Int32Array,
  order: Int32Array,
  lowest: Int32Array,
  points: Float64Array,
  boxes: Float64Array,
  x: Float64Array,
  indices: Int32Array,
  distances: Float32Array,
): void {
  const length = (end - start) * count;
  clearBest(indices.subarray(0, length), distances.subarray(0, length));
  for (let place = start, base = 0; place < end; place++, base += count) {
    const from = place * dimension;
    const except = self === 1 ? place : -1;
    let node = 1;
    let bound = 0;
    /** One bit for each level below the root: that of this node, and those whose other half is still to be searched. */
    let level = 1;
    let pending = 0;
    do {
      while (node < leaves && isNearer(bound, lowest[node], distances[base], indices[base])) {
        const left = 2 * node;
        const leftBound = Math.fround(boxDistance(power, dimension, boxes, left, x, from));
        const rightBound = Math.fround(boxDistance(power, dimension, boxes, left + 1, x, from));
        const leftFirst = isNearer(leftBound, lowest[left], rightBound, lowest[left + 1]);
        node = leftFirst ? left : left + 1;
        bound = leftFirst ? leftBound : rightBound;
        level <<= 1;
        pending |= level;
      }
      if (node >= leaves && isNearer(bound, lowest[node], distances[base], indices[base])) {
        for (let other = starts[node], at = other * dimension; other < starts[node + 1]; other++, at += dimension) {
          const distance = Math.fround(squareOfSum(power, powerSum(power, dimension, x, from, points, at)));
          if (other === except || !isNearer(distance, order[other], distances[base], indices[base])) continue;
          replaceFarthest(count, base, order[other], distance, indices, distances);
        }
      }
      while (level > 1 && (pending & level) === 0) {
        node >>= 1;
        level >>= 1;
      }
      pending ^= level;
      node ^= 1;
      if (level > 1) bound = Math.fround(boxDistance(power, dimension, boxes, node, x, from));
    } while (level > 1);
    sortBest(count, base, indices, distances);
  }
}

/** Math.pow may be off by a rounding either way. The distance of a box is reduced by more, so that it is a lower bound. */
const rootMargin = 1 - 2 ** -48;

/** The squared distance of x[from …] to a node's box, summed in the order of coordinates; 0 inside. */
export function boxDistance(
  power: number,
  dimension: number,
  boxes: Float64Array,
  node: number,
  x: Float64Array,
  from: number,
): number {
  let sum = 0;
  for (let p = 0, low = 2 * dimension * node, high = low + dimension; p < dimension; p++, low++, high++) {
    const value = x[from + p];
    const difference = value < boxes[low] ? boxes[low] - value : value > boxes[high] ? value - boxes[high] : 0;
    if (power === 2) sum += difference * difference;
    else if (power === 1) sum += difference;
    else if (power === Infinity) sum = Math.max(sum, difference);
    else sum += raise(difference, power);
  }
  const squared = squareOfSum(power, sum);
  return power === 1 || power === 2 || power === Infinity ? squared : squared * rootMargin;
}
