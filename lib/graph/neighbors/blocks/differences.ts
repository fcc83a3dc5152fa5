/** Nearest neighbors from all pairs by sums of squared differences: slower than products, without cancellation. */

import type { Task } from '../../../core/task.ts';
import { kernels } from '../../../kernels/table.ts';
import { isSparse, type Points } from '../../../sparse/points.ts';
import { allocate } from '../../../tensor/tensor.ts';
import { squaredDistance } from '../points.ts';
import { Candidates } from './candidates.ts';
import { columnBlock, forEachBlockSteps, rowBlock } from './pair-blocks.ts';

/** Rows between two yields in double precision, for which there are only plain kernels: 20 ms for 784 columns. */
const doubleRowBlock = 16;

/**
 * The `width` points nearest to each query, without point except[i] for query i where it is given. In double precision if
 * points or queries are. 3·n·m·d flops.
 */
export function* nearestByDifferencesSteps(
  points: Points,
  queries: Points,
  except: Int32Array | null,
  width: number,
): Task<Candidates> {
  if (isSparse(points) || isSparse(queries)) return yield* nearestSparseSteps(points, queries, except, width);
  const { rows, cols, data } = points;
  const candidates = new Candidates(queries.rows, width);
  const height = points.precision === 'single' && queries.precision === 'single' ? rowBlock : doubleRowBlock;
  const block = allocate(height * columnBlock, 'single');
  yield* forEachBlockSteps(queries.rows, rows, height, (top, m, left, n) => {
    const a = queries.data.subarray(top * cols, (top + m) * cols);
    kernels.squaredDistances(m, n, cols, a, data.subarray(left * cols, (left + n) * cols), block);
    offerColumns(m, n, top, left, except, block, candidates);
  });
  return candidates;
}

/** The same for sparse rows, by merging them in Float64. */
function* nearestSparseSteps(
  points: Points,
  queries: Points,
  except: Int32Array | null,
  width: number,
): Task<Candidates> {
  const candidates = new Candidates(queries.rows, width);
  for (let i = 0; i < queries.rows; i++) {
    for (let j = 0; j < points.rows; j++) {
      if (j === except?.[i]) continue;
      candidates.offer(i, j, Math.fround(squaredDistance(queries, i, points, j)));
    }
    yield i / queries.rows;
  }
  return candidates;
}

/** Offers block[m×n], the distances of queries top … to points left …, to the queries. */
function offerColumns(
  m: number,
  n: number,
  top: number,
  left: number,
  except: Int32Array | null,
  block: Float32Array,
  to: Candidates,
): void {
  const { worst } = to;
  for (let i = 0; i < m; i++) {
    const row = top + i;
    for (let j = 0, at = i * n; j < n; j++, at++) {
      if (block[at] <= worst[row] && left + j !== except?.[row]) to.offer(row, left + j, block[at]);
    }
  }
}
