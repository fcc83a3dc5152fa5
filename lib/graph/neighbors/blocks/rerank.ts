/** Reranking: candidates measured again in double precision, of which the nearest are kept. */

import { nearestKernels } from '../../../wasm/families.ts';
import { allocateIndices } from '../../../sparse/indices.ts';
import { allocate, type Tensor } from '../../../tensor/tensor.ts';
import { clearBest, isNearer, replaceFarthest, sortBest } from '../../../kernels/nearest/heap.ts';
import type { NeighborRows } from '../neighbor-rows.ts';
import type { Task } from '../../../core/task.ts';

/** Rows measured in one call. */
const block = 256;

/**
 * Measures the candidates of every query (at row·width, at least out.count of them, each once) in double precision,
 * rounds to single, and writes the nearest to the row of `out`. Ties are broken by index.
 */
export function* rerank(
  points: Tensor,
  queries: Tensor,
  width: number,
  candidates: Int32Array,
  out: NeighborRows,
): Task<void> {
  const { rows, cols } = queries;
  const lists = allocateIndices(block * width);
  const distances = allocate(block * width, 'single');
  for (let top = 0; top < rows; top += block) {
    const m = Math.min(block, rows - top);
    const some = queries.data.subarray(top * cols, (top + m) * cols);
    lists.set(candidates.subarray(top * width, (top + m) * width));
    nearestKernels().listedDistances(m, width, cols, lists, some, points.data, distances);
    for (let i = 0; i < m; i++) rerankRow(top + i, i * width, width, lists, distances, out);
    yield top / rows;
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
