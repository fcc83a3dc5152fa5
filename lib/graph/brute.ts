/** Which points are nearest when every pair is looked at? First nearly, then exactly wherever that might be mistaken. */

import { part, type Work } from '../core/pace.ts';
import { type Tensor, zeros } from '../tensor/tensor.ts';
import type { NeighborRows } from './neighbor-rows.ts';
import type { Candidates } from './candidates.ts';
import { nearestByDifferences } from './differences.ts';
import { inSingle, type SinglePoints } from './points.ts';
import { haveNorms, nearestByProducts, type RoughCandidates } from './products.ts';
import { settle } from './settle.ts';

/** So many more are kept than asked for, since sums in single precision may misjudge the last places. */
const spare = 6;

/** The nearest other points of every point. */
export function* nearestOfAll(points: Tensor, out: NeighborRows): Work<void> {
  const width = Math.min(out.count + spare, points.rows - 1);
  yield* search(points, points, 'others', width, points.rows - 1, out);
}

/** The nearest points of every query, leaving out point `except[i]` for query i where it is given. */
export function* nearestOfQueries(
  points: Tensor,
  queries: Tensor,
  except: Int32Array | null,
  out: NeighborRows,
): Work<void> {
  const others = points.rows - (except ? 1 : 0);
  yield* search(points, queries, except, Math.min(out.count + spare, others), others, out);
}

/**
 * Candidates come from products, which lose digits where points are near each other and far from the origin. They are
 * measured again in double precision, and a row is right if none that was left out can be as near as the last one kept.
 * The other rows, most often those with ties there, are searched once more by differences: exact but for this, that where
 * a distance at the last place differs from one left out by less than the rounding of a sum of d numbers in single
 * precision, either may be kept.
 */
function* search(
  points: Tensor,
  queries: Tensor,
  except: Int32Array | 'others' | null,
  width: number,
  others: number,
  out: NeighborRows,
): Work<void> {
  const single = inSingle(points, queries);
  const [exactPoints, exactQueries] = single.error === 0 ? [single.points, single.queries] : [points, queries];
  let doubtful = Int32Array.from({ length: queries.rows }, (_, row) => row);
  if (haveNorms(single.points) && haveNorms(single.queries)) {
    const rough = yield* part(nearestByProducts(single.points, single.queries, except, width), 0, 0.7);
    yield* part(settle(exactPoints, exactQueries, width, rough.candidates.indices, out), 0.7, 0.8);
    doubtful = doubtful.filter((row) => width < others && isDoubtful(row, rough, single, out));
  }
  if (doubtful.length === 0) return;
  const some = takeRows(exactQueries, doubtful);
  const someSingle = exactQueries === single.queries ? some : takeRows(single.queries, doubtful);
  const self = except === 'others' ? doubtful : except && doubtful.map((row) => except[row]);
  const again: NeighborRows = { ...out, stride: out.count, ...roomFor(doubtful.length * out.count) };
  const found: Candidates = yield* part(nearestByDifferences(single.points, someSingle, self, width), 0.8, 0.98);
  yield* part(settle(exactPoints, some, width, found.indices, again), 0.98, 1);
  doubtful.forEach((row, k) => {
    out.indices.set(again.indices.subarray(k * out.count, (k + 1) * out.count), row * out.stride);
    out.squaredDistances.set(again.squaredDistances.subarray(k * out.count, (k + 1) * out.count), row * out.stride);
  });
}

/** May a point that was left out be as near as the last one kept? */
function isDoubtful(row: number, rough: RoughCandidates, single: SinglePoints, out: NeighborRows): boolean {
  const { worst } = rough.candidates;
  const least = Math.sqrt(Math.max(0, worst[row] - rough.error(row))) - single.error;
  const last = out.squaredDistances[row * out.stride + out.count - 1];
  return !(least > 0 && Math.fround(least * least * (1 - 2 ** -50)) > last);
}

function takeRows({ cols, data, precision }: Tensor, rows: Int32Array): Tensor {
  const taken = zeros([rows.length, cols], precision);
  rows.forEach((row, k) => taken.data.set(data.subarray(row * cols, (row + 1) * cols), k * cols));
  return taken;
}

function roomFor(length: number): Pick<NeighborRows, 'indices' | 'squaredDistances'> {
  return { indices: new Int32Array(length), squaredDistances: new Float32Array(length) };
}
