/** All pairs of queries and points, in blocks that stay in the second-level cache. */

import type { Task } from '../../../core/task.ts';

/** Sizes of a block of distances: half a megabyte. */
export const rowBlock = 256;
export const columnBlock = 512;

/** Visits the pairs of queries top … top+m−1 and points left … left+n−1. */
type Visit = (top: number, m: number, left: number, n: number) => void;

/** Visits all pairs, in blocks of at most `height` queries and `columnBlock` points. */
export function* forEachBlockSteps(queries: number, points: number, height: number, visit: Visit): Task<void> {
  for (let top = 0; top < queries; top += height) {
    const m = Math.min(height, queries - top);
    for (let left = 0; left < points; left += columnBlock) {
      visit(top, m, left, Math.min(columnBlock, points - left));
      yield (top + (m * left) / points) / queries;
    }
  }
}
