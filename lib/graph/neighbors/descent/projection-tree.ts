/** Random projection trees, which cut points into small groups of points that are probably near each other. */

import type { Random } from '../../../core/random.ts';
import type { Floats } from '../../../kernels/types.ts';
import type { Tensor } from '../../../tensor/tensor.ts';

/** Each side of a cut holds at least this fraction of the points. If it does not, they are split in halves instead. */
const leastFraction = 0.1;

/**
 * Cuts the points by random planes until no group is larger than `largest`; each plane lies midway between two points of
 * its group (Dasgupta & Freund 2008). Yields every group, valid until the next one is requested.
 */
export function* projectionGroups(points: Tensor, largest: number, random: Random): Generator<Int32Array, void, void> {
  const members = random.permutation(points.rows);
  const normal = new Float32Array(points.cols);
  const open: [start: number, end: number][] = [[0, points.rows]];
  for (let range = open.pop(); range; range = open.pop()) {
    const [start, end] = range;
    if (end - start <= largest) {
      yield members.subarray(start, end);
      continue;
    }
    const middle = cut(points, members, start, end, normal, random);
    open.push([start, middle], [middle, end]);
  }
}

/** Reorders members start … end−1 so that one side of a plane comes first. Returns where the other side begins. */
function cut(
  { cols, data }: Tensor,
  members: Int32Array,
  start: number,
  end: number,
  normal: Float32Array,
  random: Random,
): number {
  const a = members[start + random.integer(end - start)] * cols;
  const b = members[start + random.integer(end - start)] * cols;
  let offset = 0;
  for (let p = 0; p < cols; p++) {
    normal[p] = data[a + p] - data[b + p];
    offset += (normal[p] * (data[a + p] + data[b + p])) / 2;
  }
  let left = start;
  let right = end;
  while (left < right) {
    if (product(cols, normal, data, members[left] * cols) < offset) {
      left++;
    } else {
      const kept = members[--right];
      members[right] = members[left];
      members[left] = kept;
    }
  }
  const least = leastFraction * (end - start);
  return left - start < least || end - left < least ? (start + end) >>> 1 : left;
}

/** Σ normal[p]·x[from + p], in four independent sums. */
function product(n: number, normal: Float32Array, x: Floats, from: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let p = 0;
  for (let at = from; p + 3 < n; p += 4, at += 4) {
    s0 += normal[p] * x[at];
    s1 += normal[p + 1] * x[at + 1];
    s2 += normal[p + 2] * x[at + 2];
    s3 += normal[p + 3] * x[at + 3];
  }
  for (; p < n; p++) s0 += normal[p] * x[from + p];
  return s0 + s1 + (s2 + s3);
}
