/** Kernels of the searches for neighbors. A family of its own, so that only searches load the SIMD twins. */

import { kdNearest } from './kd-tree.ts';
import { powerSums } from './powers.ts';
import type { Floats } from '../types.ts';

/**
 * Lists the places e = i·n + j of products[m×n], aᵢ·bⱼ, where d = aNorms[i] + bNorms[j] − 2·products[e], the squared
 * distance for these squared norms, is at most the larger of aLimits[i] and bLimits[j]: e to places and d to distances,
 * ascending, each with room for m·n. Returns how many. In single precision throughout.
 */
export function siftPairs(
  m: number,
  n: number,
  products: Float32Array,
  aNorms: Float32Array,
  bNorms: Float32Array,
  aLimits: Float32Array,
  bLimits: Float32Array,
  places: Int32Array,
  distances: Float32Array,
): number {
  let count = 0;
  for (let i = 0, e = 0; i < m; i++) {
    for (let j = 0; j < n; j++, e++) {
      const distance = Math.fround(Math.fround(aNorms[i] + bNorms[j]) - 2 * products[e]);
      if (!(distance <= Math.max(aLimits[i], bLimits[j]))) continue;
      places[count] = e;
      distances[count++] = distance;
    }
  }
  return count;
}

/**
 * out[i·count + t] = ‖aᵢ − b_l‖² for l = lists[i·count + t], `rows` rows of a[·×d] against listed rows of b[·×d].
 * Differences first, summed in Float64 in the order of columns by both twins, so that they agree to the last bit.
 */
export function listedDistances(
  rows: number,
  count: number,
  d: number,
  lists: Int32Array,
  a: Floats,
  b: Floats,
  out: Float32Array,
): void {
  for (let i = 0, e = 0; i < rows; i++) {
    for (let t = 0; t < count; t++, e++) {
      let sum = 0;
      for (let p = i * d, q = lists[e] * d, end = p + d; p < end; p++, q++) {
        const difference = a[p] - b[q];
        sum += difference * difference;
      }
      out[e] = sum;
    }
  }
}

/** The plain twins, as in the table of all other kernels. */
export const plainNearest = { siftPairs, listedDistances, powerSums, kdNearest };

export type NearestKernels = typeof plainNearest;
