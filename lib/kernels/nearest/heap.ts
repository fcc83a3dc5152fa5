/** Heaps of the nearest candidates. The root is the farthest, which a new candidate replaces if it is nearer. */

/** The index of an empty entry, which is farther than every candidate. */
export const noIndex = 0x7fffffff;

/** Empties all heaps in these arrays. */
export function clearBest(indices: Int32Array, distances: Float32Array | Float64Array): void {
  indices.fill(noIndex);
  distances.fill(Infinity);
}

/** Whether (distance, index) is nearer than (otherDistance, otherIndex). Ties are broken by the index. */
export function isNearer(distance: number, index: number, otherDistance: number, otherIndex: number): boolean {
  return distance < otherDistance || (distance === otherDistance && index < otherIndex);
}

/**
 * Replaces the root of the heap at base … base+width−1 by (distance, index), which the caller knows to be nearer. O(log width).
 */
export function replaceFarthest(
  width: number,
  base: number,
  index: number,
  distance: number,
  indices: Int32Array,
  distances: Float32Array | Float64Array,
): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= width) break;
    let slot = base + child;
    if (
      child + 1 < width &&
      (distances[slot] < distances[slot + 1] ||
        (distances[slot] === distances[slot + 1] && indices[slot] < indices[slot + 1]))
    ) {
      child++;
      slot++;
    }
    if (distances[slot] < distance || (distances[slot] === distance && indices[slot] < index)) break;
    indices[base + at] = indices[slot];
    distances[base + at] = distances[slot];
    at = child;
  }
  indices[base + at] = index;
  distances[base + at] = distance;
}

/** Sorts the heap, nearest first. O(width·log width). */
export function sortBest(
  width: number,
  base: number,
  indices: Int32Array,
  distances: Float32Array | Float64Array,
): void {
  for (let last = width - 1; last > 0; last--) {
    const index = indices[base];
    const distance = distances[base];
    replaceFarthest(last, base, indices[base + last], distances[base + last], indices, distances);
    indices[base + last] = index;
    distances[base + last] = distance;
  }
}
