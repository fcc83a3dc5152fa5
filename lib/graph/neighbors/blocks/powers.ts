/** Nearest neighbors from all pairs under the Minkowski norms other than the Euclidean one. */

import { squareOfSum } from '../../../kernels/nearest/powers.ts';
import { sortBest } from '../../../kernels/nearest/heap.ts';
import { allocate, type Tensor } from '../../../tensor/tensor.ts';
import { copyToKernelMemory } from '../../../tensor/kernel-memory.ts';
import { nearestKernels } from '../../../wasm/families.ts';
import type { QuerySearch } from '../neighbor-rows.ts';
import { Candidates } from './candidates.ts';
import { columnBlock, forEachBlockSteps, rowBlock } from './pair-blocks.ts';

/** Squared distances are compared after rounding to single precision, sums before. No pair within this margin is skipped. */
const margin = 1 + 2 ** -20;

/**
 * Writes the out.count nearest points of every query to its row, without point except[i] for query i where it is given. Every
 * pair is measured in Float64, so that no search is repeated.
 */
export const nearestByPowersSteps: QuerySearch = function* (points, queries, except, power, out) {
  const { rows, cols, data } = copyToKernelMemory(points as Tensor);
  const from = copyToKernelMemory(queries as Tensor);
  const candidates = new Candidates(queries.rows, out.count);
  const sums = allocate(rowBlock * columnBlock, 'double');
  yield* forEachBlockSteps(queries.rows, rows, rowBlock, (top, m, left, n) => {
    const a = from.data.subarray(top * cols, (top + m) * cols);
    nearestKernels().powerSums(m, n, cols, power, a, data.subarray(left * cols, (left + n) * cols), sums);
    for (let i = 0; i < m; i++) offerRow(top + i, n, left, except?.[top + i], power, sums.subarray(i * n), candidates);
  });
  const { count, stride, indices, squaredDistances } = out;
  for (let i = 0; i < queries.rows; i++) {
    sortBest(count, i * count, candidates.indices, candidates.distances);
    indices.set(candidates.indices.subarray(i * count, (i + 1) * count), i * stride);
    squaredDistances.set(candidates.distances.subarray(i * count, (i + 1) * count), i * stride);
  }
};

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
