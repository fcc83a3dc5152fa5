/** Which points are nearest when every pair is looked at? Distances come block by block from the kernels. */

import { kernels } from '../kernels/table.ts';
import { allocate, type Tensor } from '../tensor/tensor.ts';
import { clearBest, isNearer, type NeighborRows, replaceFarthest } from './best.ts';
import { part, type Work } from '../core/pace.ts';
import { inSingle } from './points.ts';
import { settle } from './settle.ts';

/** Sizes of a block of distances: half a megabyte, which stays in the second-level cache. */
export const rowBlock = 256;
export const columnBlock = 512;
/** So many more are kept than asked for, since the kernels' sums in single precision may misjudge the last place. */
const spare = 4;

/** Row i's best stand in a heap at i·width; `worst` repeats their roots, for a quick look. */
interface Candidates {
  readonly width: number;
  readonly indices: Int32Array;
  readonly distances: Float32Array;
  readonly worst: Float32Array;
}

/**
 * The nearest other points of every point. As ‖x − y‖ = ‖y − x‖, a pair is looked at once. n²·d·3/2 flops.
 * Exact but for this: where a distance at the last place differs from one left out by less than the rounding of a sum of d
 * numbers in single precision, either may be kept. What is kept is measured again in double precision.
 */
export function* nearestOfAll(points: Tensor, out: NeighborRows): Work<void> {
  const { points: single } = inSingle(points);
  const candidates = makeCandidates(points.rows, Math.min(out.count + spare, points.rows - 1));
  yield* part(scanRows(single, 0, points.rows, candidates), 0, 0.97);
  yield* part(settle(points, points, candidates.width, candidates.indices, out), 0.97, 1);
}

/** The nearest points of every query, leaving out point `except[i]` for query i where it is given. */
export function* nearestOfQueries(
  points: Tensor,
  queries: Tensor,
  except: Int32Array | null,
  out: NeighborRows,
): Work<void> {
  const single = inSingle(points, queries);
  const candidates = makeCandidates(queries.rows, Math.min(out.count + spare, points.rows - (except ? 1 : 0)));
  yield* part(scanQueries(single.points, single.queries, except, 0, queries.rows, candidates), 0, 0.97);
  yield* part(settle(points, queries, candidates.width, candidates.indices, out), 0.97, 1);
}

function makeCandidates(rows: number, width: number): Candidates {
  const indices = new Int32Array(rows * width);
  const distances = new Float32Array(rows * width);
  clearBest(indices, distances);
  return { width, indices, distances, worst: new Float32Array(rows).fill(Infinity) };
}

/**
 * Pairs (i, j) with i in [start, end) and j > i, offered to both. Ranges can be worked on apart, each with candidates of
 * its own for all rows, and the candidates united afterwards.
 */
function* scanRows(points: Tensor, start: number, end: number, candidates: Candidates): Work<void> {
  const { rows, cols, data } = points;
  const block = allocate(rowBlock * columnBlock, 'single');
  const pairs = (from: number): number => (rows - from) ** 2;
  for (let top = start; top < end; top += rowBlock) {
    const m = Math.min(rowBlock, end - top);
    const a = data.subarray(top * cols, (top + m) * cols);
    for (let left = top; left < rows; left += columnBlock) {
      const n = Math.min(columnBlock, rows - left);
      kernels.squaredDistances(m, n, cols, a, data.subarray(left * cols, (left + n) * cols), block);
      offerPairs(m, n, top, left, block, candidates);
      const inRow = (left - top) / (rows - top);
      const done = pairs(top) + inRow * (pairs(top + m) - pairs(top));
      yield (pairs(start) - done) / (pairs(start) - pairs(end));
    }
  }
}

function* scanQueries(
  points: Tensor,
  queries: Tensor,
  except: Int32Array | null,
  start: number,
  end: number,
  candidates: Candidates,
): Work<void> {
  const { rows, cols, data } = points;
  const block = allocate(rowBlock * columnBlock, 'single');
  for (let top = start; top < end; top += rowBlock) {
    const m = Math.min(rowBlock, end - top);
    const a = queries.data.subarray(top * cols, (top + m) * cols);
    for (let left = 0; left < rows; left += columnBlock) {
      const n = Math.min(columnBlock, rows - left);
      kernels.squaredDistances(m, n, cols, a, data.subarray(left * cols, (left + n) * cols), block);
      offerColumns(m, n, top, left, except, block, candidates);
      yield (top - start + (m * left) / rows) / (end - start);
    }
  }
}

/** Offers block[m×n], the distances of points top … to points left …, to both; pairs with j ≤ i are passed over. */
function offerPairs(m: number, n: number, top: number, left: number, block: Float32Array, to: Candidates): void {
  const { worst } = to;
  for (let i = 0; i < m; i++) {
    const row = top + i;
    let limit = worst[row];
    for (let j = Math.max(0, row + 1 - left), at = i * n + j; j < n; j++, at++) {
      const distance = block[at];
      if (distance <= limit) {
        offer(to, row, left + j, distance);
        limit = worst[row];
      }
      if (distance <= worst[left + j]) offer(to, left + j, row, distance);
    }
  }
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
      if (block[at] <= worst[row] && left + j !== except?.[row]) offer(to, row, left + j, block[at]);
    }
  }
}

function offer(to: Candidates, row: number, index: number, distance: number): void {
  const base = row * to.width;
  if (!isNearer(distance, index, to.distances[base], to.indices[base])) return;
  replaceFarthest(to.width, base, index, distance, to.indices, to.distances);
  to.worst[row] = to.distances[base];
}
