/** Points within a radius from all pairs, with distances computed block by block. */

import { allocate, type Tensor } from '../../../tensor/tensor.ts';
import { measureDistances } from './distances.ts';
import { columnBlock, rowBlock } from './pair-blocks.ts';
import { HitList, type RadiusRows } from '../hit-list.ts';
import type { Task } from '../../../core/task.ts';
import { denseInSingle, type SinglePoints, squaredDistance } from '../points.ts';

/** The points as given and for the kernels, and the limit on squared distances. */
interface Search {
  readonly points: Tensor;
  readonly queries: Tensor;
  readonly single: SinglePoints<Tensor>;
  readonly power: number;
  readonly limit: number;
  /** A pair that is farther than this in single precision is farther than the limit. */
  readonly roughLimit: number;
}

/** The pairs of points with ‖x − y‖² < limit, including each point with itself. Each pair is measured once. */
export function* withinRadiusOfAllSteps(
  caller: string,
  points: Tensor,
  limit: number,
  power: number,
): Task<RadiusRows> {
  const hits = new HitList(caller);
  yield* scanRowsSteps(prepare(points, points, limit, power), true, 0, points.rows, hits);
  return hits.bothWays(points.rows);
}

/** The points with ‖x − y‖² < limit of every query. */
export function* withinRadiusOfQueriesSteps(
  caller: string,
  points: Tensor,
  queries: Tensor,
  limit: number,
  power: number,
): Task<RadiusRows> {
  const hits = new HitList(caller);
  yield* scanRowsSteps(prepare(points, queries, limit, power), false, 0, queries.rows, hits);
  return hits.byRows(queries.rows);
}

function prepare(points: Tensor, queries: Tensor, limit: number, power: number): Search {
  const single = denseInSingle(points, queries);
  // An error in each column is counted once by the Euclidean norm, and at most √columns times by another one.
  const error = single.error * (power < 2 ? Math.sqrt(points.cols) : 1);
  const roughLimit = (Math.sqrt(limit) + error) ** 2 * (1 + (points.cols + 8) * 2 ** -23);
  return { points, queries, single, power, limit, roughLimit };
}

/** Scans queries start … end−1; with `pairs`, only pairs i < j among the points. Ranges are independent of each other. */
function* scanRowsSteps(search: Search, pairs: boolean, start: number, end: number, hits: HitList): Task<void> {
  const { points, queries } = search.single;
  const { rows, cols } = points;
  const block = allocate(rowBlock * columnBlock, 'single');
  const sums = allocate(search.power === 2 ? 0 : rowBlock * columnBlock, 'double');
  for (let top = start; top < end; top += rowBlock) {
    const m = Math.min(rowBlock, end - top);
    const a = queries.data.subarray(top * cols, (top + m) * cols);
    for (let left = pairs ? top : 0; left < rows; left += columnBlock) {
      const n = Math.min(columnBlock, rows - left);
      const b = points.data.subarray(left * cols, (left + n) * cols);
      measureDistances(search.power, m, n, cols, a, b, sums, block);
      noteHits(search, pairs, m, n, top, left, block, hits);
      yield pairs ? 1 - ((rows - top) / rows) ** 2 : (top - start) / (end - start);
    }
  }
}

/** Appends the near pairs of block[m×n], the distances of queries top … to points left …, measured again in Float64. */
function noteHits(
  { points, queries, power, limit, roughLimit }: Search,
  pairs: boolean,
  m: number,
  n: number,
  top: number,
  left: number,
  block: Float32Array,
  hits: HitList,
): void {
  for (let i = 0; i < m; i++) {
    hits.makeRoom(n);
    for (let j = pairs ? Math.max(0, top + i + 1 - left) : 0; j < n; j++) {
      if (block[i * n + j] > roughLimit) continue;
      const distance = squaredDistance(queries, top + i, points, left + j, power);
      if (distance < limit) hits.add(top + i, left + j, distance);
    }
  }
}
