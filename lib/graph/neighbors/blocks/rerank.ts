/** Reranking: measures candidates again in double precision and keeps the nearest. */

import { nearestKernels } from '../../../wasm/families.ts';
import { allocateIndices } from '../../../sparse/indices.ts';
import { isSparse, type Points } from '../../../sparse/points.ts';
import { allocate } from '../../../tensor/tensor.ts';
import { clearBest, isNearer, replaceFarthest, sortBest } from '../../../kernels/nearest/heap.ts';
import type { NeighborRows } from '../neighbor-rows.ts';
import type { Task } from '../../../core/task.ts';
import { squaredDistance } from '../points.ts';

/** Rows measured in one call. */
const block = 256;

/**
 * Measures the candidates of every query (at row·width, at least out.count of them, each once) in double precision,
 * rounds to single, and writes the nearest to the row of `out`. Ties are broken by index.
 */
export function* rerankSteps(
  points: Points,
  queries: Points,
  width: number,
  candidates: Int32Array,
  out: NeighborRows,
  power = 2,
): Task<void> {
  const { rows } = queries;
  const lists = allocateIndices(block * width);
  const distances = allocate(block * width, 'single');
  for (let top = 0; top < rows; top += block) {
    const m = Math.min(block, rows - top);
    lists.set(candidates.subarray(top * width, (top + m) * width));
    measureListed(points, queries, top, m, width, lists, distances, power);
    for (let i = 0; i < m; i++) rerankRow(top + i, i * width, width, lists, distances, out);
    yield top / rows;
  }
}

/** distances[i·width + t]: of query top + i and the point lists[i·width + t]. */
function measureListed(
  points: Points,
  queries: Points,
  top: number,
  m: number,
  width: number,
  lists: Int32Array,
  distances: Float32Array,
  power: number,
): void {
  if (!isSparse(points) && !isSparse(queries) && power === 2) {
    const { cols } = queries;
    const some = queries.data.subarray(top * cols, (top + m) * cols);
    nearestKernels().listedDistances(m, width, cols, lists, some, points.data, distances);
    return;
  }
  for (let e = 0; e < m * width; e++) {
    distances[e] = squaredDistance(queries, top + Math.floor(e / width), points, lists[e], power);
  }
}

/** Writes the nearest of candidates first … first+width−1 to a row of `out`. */
function rerankRow(
  row: number,
  first: number,
  width: number,
  candidates: Int32Array,
  measured: Float32Array,
  { count, stride, indices, squaredDistances }: NeighborRows,
): void {
  const base = row * stride;
  clearBest(indices.subarray(base, base + count), squaredDistances.subarray(base, base + count));
  for (let slot = first; slot < first + width; slot++) {
    if (!isNearer(measured[slot], candidates[slot], squaredDistances[base], indices[base])) continue;
    replaceFarthest(count, base, candidates[slot], measured[slot], indices, squaredDistances);
  }
  sortBest(count, base, indices, squaredDistances);
}
