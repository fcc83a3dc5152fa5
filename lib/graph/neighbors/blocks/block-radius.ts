/** Points within a radius from all pairs, with distances computed block by block. */

import { kernels } from '../../../kernels/table.ts';
import { squareOfSum } from '../../../kernels/nearest/powers.ts';
import { nearestKernels } from '../../../wasm/families.ts';
import type { Floats } from '../../../kernels/types.ts';
import { allocate, type Tensor } from '../../../tensor/tensor.ts';
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
export function* withinRadiusOfAll(caller: string, points: Tensor, limit: number, power: number): Task<RadiusRows> {
  const hits = new HitList(caller);
  yield* scanRows(prepare(points, points, limit, power), true, 0, points.rows, hits);
  return hits.bothWays(points.rows);
}

/** The points with ‖x − y‖² < limit of every query. */
export function* withinRadiusOfQueries(
  caller: string,
  points: Tensor,
  queries: Tensor,
  limit: number,
  power: number,
): Task<RadiusRows> {
  const hits = new HitList(caller);
  yield* scanRows(prepare(points, queries, limit, power), false, 0, queries.rows, hits);
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
function* scanRows(search: Search, pairs: boolean, start: number, end: number, hits: HitList): Task<void> {
  const { points, queries } = search.single;
  const { rows, cols } = points;
  const block = allocate(rowBlock * columnBlock, 'single');
  for (let top = start; top < end; top += rowBlock) {
    const m = Math.min(rowBlock, end - top);
    const a = queries.data.subarray(top * cols, (top + m) * cols);
    for (let left = pairs ? top : 0; left < rows; left += columnBlock) {
      const n = Math.min(columnBlock, rows - left);
      measureBlock(search.power, m, n, cols, a, points.data.subarray(left * cols, (left + n) * cols), block);
      noteHits(search, pairs, m, n, top, left, block, hits);
      yield pairs ? 1 - ((rows - top) / rows) ** 2 : (top - start) / (end - start);
    }
  }
}

/** block[m×n] = the squared distances of the rows of a and b, in single precision. */
function measureBlock(
  power: number,
  m: number,
  n: number,
  cols: number,
  a: Floats,
  b: Floats,
  block: Float32Array,
): void {
  if (power === 2) {
    kernels.squaredDistances(m, n, cols, a, b, block);
    return;
  }
  const sums = allocate(m * n, 'double');
  nearestKernels().powerSums(m, n, cols, power, a, b, sums);
  for (let e = 0; e < m * n; e++) block[e] = squareOfSum(power, sums[e]);
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
      if (distance >= limit) continue;
      hits.rows[hits.count] = top + i;
      hits.indices[hits.count] = left + j;
      hits.squaredDistances[hits.count++] = distance;
    }
  }
}
