/** Nearest neighbors by a k-d tree. */

import type { Task } from '../../../core/task.ts';
import { allocateIndices } from '../../../sparse/indices.ts';
import { allocate } from '../../../tensor/tensor.ts';
import { nearestKernels } from '../../../wasm/families.ts';
import type { KdTree } from './kd-tree.ts';
import type { NeighborRows } from '../neighbor-rows.ts';

/** Searches between two yields: some milliseconds. */
const stride = 4096;

/**
 * Writes the out.count nearest points of `tree`, under the norm of `power`, for every point of `visitors` to its row. If both
 * are one tree, a point is not its own neighbor. Visitors are searched in the order of their tree, so that one search finds in
 * the cache what the last one loaded.
 */
export function* nearestInTreeSteps(tree: KdTree, visitors: KdTree, power: number, out: NeighborRows): Task<void> {
  const { dimension, leaves, starts, order, lowest, points, boxes } = tree;
  const { count } = out;
  const indices = allocateIndices(stride * count);
  const distances = allocate(stride * count, 'single');
  const self = tree === visitors ? 1 : 0;
  for (let start = 0; start < visitors.size; start += stride) {
    const end = Math.min(start + stride, visitors.size);
    const { kdNearest } = nearestKernels();
    const x = visitors.points;
    const counts = [start, end, count, dimension, leaves, self, power] as const;
    kdNearest(...counts, starts, order, lowest, points, boxes, x, indices, distances);
    for (let place = start, from = 0; place < end; place++, from += count) {
      const base = visitors.order[place] * out.stride;
      for (let k = 0; k < count; k++) {
        out.indices[base + k] = indices[from + k];
        out.squaredDistances[base + k] = distances[from + k];
      }
    }
    yield start / visitors.size;
  }
}
