/** The local joins of NN-descent: the members of small groups compared with each other, and near pairs offered to heaps. */

import { isNearer, replaceFarthest } from './heap.ts';

/**
 * Group g has counts[g] members, rows of x[·×d] listed from members[g·capacity] on. Compares each of the first news[g] of them
 * with all that come after it, and lists the pairs (p, q), p < q, for which ‖x_p − x_q‖² + surplus_p + surplus_q is at most the
 * larger of limit_p and limit_q, in the order of p, then q. Pair t of a group puts the rows of p and q to pairs[2·(g·room + t)] and
 * the place after it, and the sum to distances[g·room + t]; the number of pairs goes to found[g]; `room` is the largest that it can be. `surplus` and `limits` are parallel to `members`.
 * In single precision: column c is summed in lane c mod 4, the last d mod 4 columns in lane 0. Both twins agree to the last bit.
 */
export function joinGroups(
  groups: number,
  capacity: number,
  room: number,
  d: number,
  members: Int32Array,
  news: Int32Array,
  counts: Int32Array,
  x: Float32Array,
  surplus: Float32Array,
  limits: Float32Array,
  found: Int32Array,
  pairs: Int32Array,
  distances: Float32Array,
): void {
  for (let g = 0; g < groups; g++) {
    const base = g * capacity;
    let to = g * room;
    for (let p = 0; p < news[g]; p++) {
      for (let q = p + 1; q < counts[g]; q++) {
        const square = singleSquare(d, x, members[base + p] * d, members[base + q] * d);
        const distance = Math.fround(Math.fround(square + surplus[base + p]) + surplus[base + q]);
        if (!(distance <= Math.max(limits[base + p], limits[base + q]))) continue;
        pairs[2 * to] = members[base + p];
        pairs[2 * to + 1] = members[base + q];
        distances[to++] = distance;
      }
    }
    found[g] = to - g * room;
  }
}

/** The squared distance of the rows at a and b, rounded to single precision after every operation. */
function singleSquare(d: number, x: Float32Array, a: number, b: number): number {
  const { fround } = Math;
  let s0 = fround(0);
  let s1 = fround(0);
  let s2 = fround(0);
  let s3 = fround(0);
  let c = 0;
  for (; c + 3 < d; c += 4) {
    const d0 = fround(x[a + c] - x[b + c]);
    const d1 = fround(x[a + c + 1] - x[b + c + 1]);
    const d2 = fround(x[a + c + 2] - x[b + c + 2]);
    const d3 = fround(x[a + c + 3] - x[b + c + 3]);
    s0 = fround(s0 + fround(d0 * d0));
    s1 = fround(s1 + fround(d1 * d1));
    s2 = fround(s2 + fround(d2 * d2));
    s3 = fround(s3 + fround(d3 * d3));
  }
  for (; c < d; c++) {
    const difference = fround(x[a + c] - x[b + c]);
    s0 = fround(s0 + fround(difference * difference));
  }
  return fround(fround(s0 + s2) + fround(s1 + s3));
}

/**
 * Offers the pairs that `joinGroups` listed, in their order, to the heaps of both rows, except for pairs of a row with itself. The heap
 * of row i has `width` entries from i·width on, its farthest one first. Tagged indices are twice the index, plus 1 if it is new. A
 * pair that is nearer than the farthest and whose index is not in the heap replaces the farthest, as new.
 */
export function offerPairs(
  groups: number,
  room: number,
  width: number,
  found: Int32Array,
  pairs: Int32Array,
  distances: Float32Array,
  tagged: Int32Array,
  nearest: Float32Array,
): void {
  for (let g = 0; g < groups; g++) {
    for (let t = g * room; t < g * room + found[g]; t++) {
      const [one, other] = [pairs[2 * t], pairs[2 * t + 1]];
      if (one === other) continue;
      offerTo(one, other, distances[t], width, tagged, nearest);
      offerTo(other, one, distances[t], width, tagged, nearest);
    }
  }
}

/** Offers one index to the heap of a row. */
export function offerTo(
  row: number,
  index: number,
  distance: number,
  width: number,
  tagged: Int32Array,
  nearest: Float32Array,
): void {
  const base = row * width;
  if (!isNearer(distance, 2 * index, nearest[base], tagged[base])) return;
  for (let at = base; at < base + width; at++) if (tagged[at] >> 1 === index) return;
  replaceFarthest(width, base, 2 * index + 1, distance, tagged, nearest);
}

/** The plain twins. */
export const plainJoins = { joinGroups, offerPairs };

export type JoinKernels = typeof plainJoins;
