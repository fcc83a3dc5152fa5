/** The search in a k-d tree for the nearest points of queries and for all points whose reach includes a query. */

import { clearBest, isNearer, replaceFarthest, sortBest } from './heap.ts';
import { keepNearest } from './keep-nearest.ts';
import { raise, squareOfSum } from './powers.ts';

/** The largest number of points in a leaf, a multiple of the width of vectors. */
export const leafSlots = 32;

/** A node, the distance of its box and its longest reach for each level, of which there are at most 32. */
export const stackLength = 3 * 32;

/**
 * The `count` nearest points for the queries at places start … end−1 of x, all in `dimension` columns of Float64: rows and
 * squared distances of query `place` from (place − start)·count on, nearest first, ties broken by row. In the same pass the
 * points within whose reach a query is: hits[base] is their number, for base = (place − start)·(room + 1), and rows and squared
 * distances of the first `room` of them, in any order, are at base + 1 … of hits and hitDistances.
 *
 * The tree: node 1 is the root, nodes 2v and 2v+1 are the halves of node v, nodes from `leaves` (a power of two) on are leaves.
 * lowest[v] is the smallest row of a node. Leaf v has slots v' = (v − leaves)·leafSlots …, rows[v' + slot] is the row of a point.
 * Its coordinates are at (v'·(dimension + 1) + slot) of `columns`, leafSlots apart, and its squared reach is behind them. The slots of
 * a leaf are in descending order of their reaches, so that a leaf too far for nearest points is left where its box is out of reach.
 * Empty slots have the row noIndex, an infinite distance from all queries, and reach 0. The boxes of the halves of node v are at v·(4·dimension + 2) of `pairs`:
 * for each column the low sides of both and the high sides of both, then the longest squared reach of each.
 *
 * `stack` is room for nodes to be searched: stackLength numbers for each query.
 *
 * Distances are those of the norm of `power`: sums in Float64 in the order of columns, rounded to Float32. A box's distance
 * is summed in the same order as a point's, and rounding keeps order, so that no box with such a point is skipped.
 */
export function kdReach(
  start: number,
  end: number,
  count: number,
  dimension: number,
  leaves: number,
  room: number,
  power: number,
  rows: Int32Array,
  lowest: Int32Array,
  columns: Float64Array,
  pairs: Float64Array,
  x: Float64Array,
  indices: Int32Array,
  distances: Float32Array,
  hits: Int32Array,
  hitDistances: Float32Array,
  stack: Float64Array,
): void {
  const length = (end - start) * count;
  clearBest(indices.subarray(0, length), distances.subarray(0, length));
  const side = 4 * dimension + 2;
  const boundOf = (node: number, half: number, from: number): number =>
    halfDistance(power, dimension, pairs, node * side + half, x, from);
  for (let place = start, base = 0, noted = 0; place < end; place++, base += count, noted += room + 1) {
    const from = place * dimension;
    hits[noted] = 0;
    stack[0] = 1;
    stack[1] = 0;
    stack[2] = Infinity;
    for (let depth = 3; depth > 0;) {
      depth -= 3;
      let [node, bound, reach] = [stack[depth], stack[depth + 1], stack[depth + 2]];
      while (node < leaves && (bound <= reach || isNearer(bound, lowest[node], distances[base], indices[base]))) {
        const left = 2 * node;
        const leftBound = boundOf(node, 0, from);
        const rightBound = boundOf(node, 1, from);
        const half = isNearer(leftBound, lowest[left], rightBound, lowest[left + 1]) ? 0 : 1;
        const reaches = node * side + 4 * dimension;
        stack[depth++] = left + 1 - half;
        stack[depth++] = half === 0 ? rightBound : leftBound;
        stack[depth++] = pairs[reaches + 1 - half];
        node = left + half;
        bound = half === 0 ? leftBound : rightBound;
        reach = pairs[reaches + half];
      }
      const isNear = isNearer(bound, lowest[node], distances[base], indices[base]);
      if (node < leaves || !(bound <= reach || isNear)) continue;
      const first = (node - leaves) * leafSlots;
      const reaches = first * (dimension + 1) + dimension * leafSlots;
      for (let slot = 0; slot < leafSlots; slot++) {
        if (slot % 4 === 0 && !isNear && bound > columns[reaches + slot]) break;
        const distance = slotDistance(power, dimension, columns, first * (dimension + 1) + slot, x, from);
        const row = rows[first + slot];
        if (isNearer(distance, row, distances[base], indices[base])) {
          replaceFarthest(count, base, row, distance, indices, distances);
        }
        if (!(distance <= columns[reaches + slot])) continue;
        const hit = ++hits[noted];
        if (hit > room) continue;
        hits[noted + hit] = row;
        hitDistances[noted + hit] = distance;
      }
    }
    sortBest(count, base, indices, distances);
  }
}

/** The squared distance of x[from …] and the box of the half of a node at `at` in the pairs, rounded down or exactly as a point's. */
export function halfDistance(
  power: number,
  dimension: number,
  pairs: Float64Array,
  at: number,
  x: Float64Array,
  from: number,
): number {
  let sum = 0;
  for (let p = from; p < from + dimension; p++, at += 4) {
    sum = addTerm(power, sum, Math.max(pairs[at] - x[p], x[p] - pairs[at + 2], 0));
  }
  return Math.fround(squareOfSum(power, sum) * marginOf(power));
}

/** The squared distance of x[from …] and the point of a slot at `at` in the columns of a leaf. */
export function slotDistance(
  power: number,
  dimension: number,
  columns: Float64Array,
  at: number,
  x: Float64Array,
  from: number,
): number {
  let sum = 0;
  for (let p = from; p < from + dimension; p++, at += leafSlots) {
    sum = addTerm(power, sum, Math.abs(x[p] - columns[at]));
  }
  return Math.fround(squareOfSum(power, sum));
}

function addTerm(power: number, sum: number, difference: number): number {
  if (power === 2) return sum + difference * difference;
  if (power === 1) return sum + difference;
  return power === Infinity ? Math.max(sum, difference) : sum + raise(difference, power);
}

/** Math.pow may be off by a rounding either way. The distance of a box is reduced by more, so that it is a lower bound. */
function marginOf(power: number): number {
  return power === 1 || power === 2 || power === Infinity ? 1 : 1 - 2 ** -48;
}

/** The plain twins. A family of its own, so that only searches by reach load the SIMD twins. */
export const plainReach = { kdReach, keepNearest };

export type ReachKernels = typeof plainReach;
