/** Nearest neighbors from all pairs under the Minkowski norms other than the Euclidean one. */

import type { Task } from '../../../core/task.ts';
import { squareOfSum } from '../../../kernels/nearest/powers.ts';
import { sortBest } from '../../../kernels/nearest/heap.ts';
import type { Points } from '../../../sparse/points.ts';
import { allocate, type Tensor } from '../../../tensor/tensor.ts';
import { copyToKernelMemory } from '../../../tensor/kernel-memory.ts';
import { nearestKernels } from '../../../wasm/families.ts';
import type { NeighborRows } from '../neighbor-rows.ts';
import { Candidates } from './candidates.ts';
import { columnBlock, rowBlock } from './differences.ts';

/** Squared distances are compared after rounding to single precision, sums before. No pair within this margin is skipped. */
const margin = 1 + 2 ** -20;

/**
 * Writes the out.count nearest points of every query to its row, without point except[i] for query i where it is given. Every
 * pair is measured in Float64, so that no search is repeated.
 */
export function* nearestByPowers(
  points: Points,
  queries: Points,
  except: Int32Array | null,
  power: number,
  out: NeighborRows,
): Task<void> {
  const { rows, cols, data } = copyToKernelMemory(points as Tensor);
  const from = copyToKernelMemory(queries as Tensor);
  const candidates = new Candidates(queries.rows, out.count);
  const sums = allocate(rowBlock * columnBlock, 'double');
  for (let top = 0; top < queries.rows; top += rowBlock) {
    const m = Math.min(rowBlock, queries.rows - top);
    const a = from.data.subarray(top * cols, (top + m) * cols);
    for (let left = 0; left < rows; left += columnBlock) {
      const n = Math.min(columnBlock, rows - left);
      nearestKernels().powerSums(m, n, cols, power, a, data.subarray(left * cols, (left + n) * cols), sums);
      for (let i = 0; i < m; i++)
        offerRow(top + i, n, left, except?.[top + i], power, sums.subarray(i * n), candidates);
      yield (top + (m * left) / rows) / queries.rows;
    }
  }
  const { count, stride, indices, squaredDistances } = out;
  for (let i = 0; i < queries.rows; i++) {
    sortBest(count, i * count, candidates.indices, candidates.distances);
    indices.set(candidates.indices.subarray(i * count, (i + 1) * count), i * stride);
    squaredDistances.set(candidates.distances.subarray(i * count, (i + 1) * count), i * stride);
  }
}

/** Offers points left … left+n−1 to a query. Sums that are too large are skipped without taking a root. */
function offerRow(
  row: number,
  n: number,
  left: number,
  except: number | undefined,
  power: number,
  sums: Float64Array,
  to: Candidates,
): void {
  let limit = sumOfSquare(power, to.worst[row]);
  for (let j = 0; j < n; j++) {
    if (sums[j] > limit || left + j === except) continue;
    to.offer(row, left + j, Math.fround(squareOfSum(power, sums[j])));
    limit = sumOfSquare(power, to.worst[row]);
  }
}

/** A bound of the sums whose squared distance is at most `square` after rounding. */
function sumOfSquare(power: number, square: number): number {
  const distance = Math.sqrt(square) * margin;
  return (power === 1 || power === Infinity ? distance : distance ** power) * margin ** 2;
}
