/** Which of a few candidates are the nearest, beyond the rounding of the kernels? */

import type { Tensor } from '../tensor/tensor.ts';
import { clearBest, isNearer, type NeighborRows, replaceFarthest, sortBest } from './best.ts';
import type { Work } from '../core/pace.ts';
import { squaredDistance } from './points.ts';

/**
 * Measures the candidates of every query (at row·width, at least out.count of them, each once) in double precision,
 * rounds to single, and writes the nearest to the row of `out`, ties settled by index.
 */
export function* settle(
  points: Tensor,
  queries: Tensor,
  width: number,
  candidates: Int32Array,
  out: NeighborRows,
): Work<void> {
  for (let row = 0; row < queries.rows; row++) {
    settleRow(points, queries, row, width, candidates, out);
    if (row % 64 === 0) yield row / queries.rows;
  }
}

function settleRow(
  points: Tensor,
  queries: Tensor,
  row: number,
  width: number,
  candidates: Int32Array,
  { count, stride, indices, squaredDistances }: NeighborRows,
): void {
  const base = row * stride;
  clearBest(indices.subarray(base, base + count), squaredDistances.subarray(base, base + count));
  for (let slot = row * width; slot < (row + 1) * width; slot++) {
    const index = candidates[slot];
    const distance = Math.fround(squaredDistance(points.cols, queries.data, row, points.data, index));
    if (!isNearer(distance, index, squaredDistances[base], indices[base])) continue;
    replaceFarthest(count, base, index, distance, indices, squaredDistances);
  }
  sortBest(count, base, indices, squaredDistances);
}
