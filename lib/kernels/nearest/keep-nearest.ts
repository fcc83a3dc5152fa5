/** The kernel that keeps the nearest points of queries, and lists the pairs within reach, out of a block of products. */

import { isNearer, replaceFarthest } from './heap.ts';

/**
 * For the m points and n queries of products[m×n], aᵢ·bⱼ, in the order of places e = i·n + j: d = aNorms[i] + bNorms[j] −
 * 2·products[e], the squared distance for these squared norms, in single precision. Offers (d, rows[i]) to the heap of query j,
 * at j·width of indices and distances, and lists e where d is at most reaches[i]: to places, ascending, with room for m·n.
 * worst[j] is the root of heap j, before and after. Returns how many were listed.
 */
export function keepNearest(
  m: number,
  n: number,
  width: number,
  products: Float32Array,
  aNorms: Float32Array,
  bNorms: Float32Array,
  reaches: Float32Array,
  rows: Int32Array,
  indices: Int32Array,
  distances: Float32Array,
  worst: Float32Array,
  places: Int32Array,
): number {
  let count = 0;
  for (let i = 0, e = 0; i < m; i++) {
    for (let j = 0, base = 0; j < n; j++, e++, base += width) {
      const distance = Math.fround(Math.fround(aNorms[i] + bNorms[j]) - 2 * products[e]);
      if (isNearer(distance, rows[i], distances[base], indices[base])) {
        replaceFarthest(width, base, rows[i], distance, indices, distances);
        worst[j] = distances[base];
      }
      if (distance <= reaches[i]) places[count++] = e;
    }
  }
  return count;
}
