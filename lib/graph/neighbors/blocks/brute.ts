/** Exact nearest neighbors from all pairs: candidates in single precision, verified, and searched again where they may be wrong. */

import { subtask, type Task } from '../../../core/task.ts';
import { everyIndex } from '../../../sparse/indices.ts';
import { type Points, takePoints } from '../../../sparse/points.ts';
import type { NeighborRows, QuerySearch } from '../neighbor-rows.ts';
import type { Candidates } from './candidates.ts';
import { nearestByDifferencesSteps } from './differences.ts';
import { nearestByPowersSteps } from './powers.ts';
import { HitList, type RadiusRows, sortRows } from '../hit-list.ts';
import { inSingle, type SinglePoints, squaredDistance } from '../points.ts';
import { haveNorms, nearestByProductsSteps, type RoughCandidates } from './products.ts';
import { ReachedPairs } from './reached-pairs.ts';
import { rerankSteps } from './rerank.ts';

/** A search among dense points that skips those in regions far from the queries. */
export type RegionSearchSteps = (
  points: Points,
  queries: Points,
  width: number,
  reach: ReachedPairs,
) => Task<RoughCandidates>;

/** Finds candidates in another way than `nearestByProductsSteps` for nearest points alone. */
type CandidatesSteps = (single: SinglePoints) => Task<RoughCandidates>;

/** The number of candidates beyond those asked for, since single precision may order the last ones wrongly. */
const spare = 6;

/** The nearest other points of every point, under the norm of `power`, which is 2 for sparse points. */
export function* nearestOfAllSteps(points: Points, power: number, out: NeighborRows): Task<void> {
  if (power !== 2) return yield* nearestByPowersSteps(points, points, everyIndex(points.rows), power, out);
  const width = Math.min(out.count + spare, points.rows - 1);
  yield* searchSteps(points, points, 'others', width, points.rows - 1, null, out);
}

/** The nearest points of every query, leaving out point `except[i]` for query i where it is given. */
export const nearestOfQueriesSteps: QuerySearch = function* (points, queries, except, power, out) {
  if (power !== 2) return yield* nearestByPowersSteps(points, queries, except, power, out);
  const others = points.rows - (except ? 1 : 0);
  yield* searchSteps(points, queries, except, Math.min(out.count + spare, others), others, null, out);
};

/**
 * Finds the nearest points of every query x in the Euclidean norm, and returns the points y whose reach includes x:
 * ‖x − y‖² ≤ squaredReaches[y], with the distance rounded to single precision. One pass over all pairs finds both. Returns null
 * if squared norms overflow. `regionsSteps` is a faster way to the same candidates.
 */
export function* nearestAndReachedSteps(
  points: Points,
  queries: Points,
  squaredReaches: Float32Array,
  regionsSteps: RegionSearchSteps | null,
  out: NeighborRows,
): Task<RadiusRows | null> {
  const width = Math.min(out.count + spare, points.rows);
  const hits = new HitList('nearestAndReached');
  const reach = new ReachedPairs(squaredReaches, hits);
  const candidatesSteps: CandidatesSteps = (single) => {
    const rough = reach.widened(single.error);
    return regionsSteps
      ? regionsSteps(single.points, single.queries, width, rough)
      : nearestByProductsSteps(single.points, single.queries, null, width, rough);
  };
  if (!(yield* searchSteps(points, queries, null, width, points.rows, candidatesSteps, out))) return null;
  return measureHits(points, queries, hits, squaredReaches, out);
}

/** The hits within reach, with their distances. Most of these distances are known already, from the nearest points. */
function measureHits(
  points: Points,
  queries: Points,
  hits: HitList,
  squaredReaches: Float32Array,
  { count, stride, indices, squaredDistances }: NeighborRows,
): RadiusRows {
  const known = new Float32Array(points.rows).fill(NaN);
  const rough = hits.byRows(queries.rows);
  sortRows(rough); // regions were visited in another order
  const starts = new Int32Array(queries.rows + 1);
  let kept = 0;
  for (let i = 0; i < queries.rows; i++) {
    const nearest = indices.subarray(i * stride, i * stride + count);
    for (let k = 0; k < count; k++) known[nearest[k]] = squaredDistances[i * stride + k];
    for (let e = rough.starts[i]; e < rough.starts[i + 1]; e++) {
      const j = rough.indices[e];
      const squared = Number.isNaN(known[j]) ? Math.fround(squaredDistance(queries, i, points, j)) : known[j];
      if (squared > squaredReaches[j]) continue;
      rough.indices[kept] = j;
      rough.squaredDistances[kept++] = squared;
    }
    for (let k = 0; k < count; k++) known[nearest[k]] = NaN;
    starts[i + 1] = kept;
  }
  return {
    starts,
    indices: rough.indices.subarray(0, kept),
    squaredDistances: rough.squaredDistances.subarray(0, kept),
  };
}

/**
 * Candidates come from products, which lose digits if points are near each other and far from the origin. They are
 * measured again in double precision. A row is correct if no point that was left out can be as near as the last one kept.
 * The other rows, mostly rows with ties at the last place, are searched again by differences. For points in single precision
 * the result is then exact, with one exception: if the last point kept and a point left out are equally far up to the rounding
 * of a sum of d numbers in single precision, either may be kept. Points in double precision are first rounded for the kernels.
 * Rows that are still in doubt after differences are searched a third time, by differences in double precision.
 * Returns whether products were possible; if so, `candidatesSteps` may have added pairs within reach, up to rounding.
 */
function* searchSteps(
  points: Points,
  queries: Points,
  except: Int32Array | 'others' | null,
  width: number,
  others: number,
  candidatesSteps: CandidatesSteps | null,
  out: NeighborRows,
): Task<boolean> {
  const single = inSingle(points, queries);
  const rounded = single.error > 0;
  const exact = rounded ? { points, queries } : single;
  let doubtful = Int32Array.from({ length: queries.rows }, (_, row) => row);
  const isFinite = haveNorms(single.points) && haveNorms(single.queries);
  if (isFinite) {
    const products =
      candidatesSteps?.(single) ?? nearestByProductsSteps(single.points, single.queries, except, width, null);
    const { candidates, error } = yield* subtask(products, 0, 0.7);
    yield* subtask(rerankSteps(exact.points, exact.queries, width, candidates.indices, out), 0.7, 0.8);
    const isOpen = (row: number): boolean => isDoubtful(candidates.worst[row] - error(row), single.error, row, out);
    doubtful = doubtful.filter((row) => width < others && isOpen(row));
  }
  if (doubtful.length > 0) {
    const { worst } = yield* subtask(
      searchAgainSteps(single, exact, doubtful, except, width, out),
      0.8,
      rounded ? 0.85 : 1,
    );
    if (!rounded) return isFinite;
    // Each of d squares and their sum is rounded to single precision, or to its smallest number.
    const rounding = (points.cols + 8) * 2 ** -23;
    const least = (k: number): number => worst[k] * (1 - rounding) - rounding * 2 ** -126;
    doubtful = doubtful.filter((row, k) => width < others && isDoubtful(least(k), single.error, row, out));
  }
  if (doubtful.length > 0) yield* subtask(searchAgainSteps(exact, exact, doubtful, except, width, out), 0.85, 1);
  return isFinite;
}

/** Points and queries: as given, or rounded to single precision for the kernels. */
interface Sides {
  readonly points: Points;
  readonly queries: Points;
}

/** Searches for some of the queries by differences of the `seen` points, and reranks by the `exact` ones. */
function* searchAgainSteps(
  seen: Sides,
  exact: Sides,
  rows: Int32Array,
  except: Int32Array | 'others' | null,
  width: number,
  out: NeighborRows,
): Task<Candidates> {
  const some = takePoints(exact.queries, rows);
  const someSeen = seen.queries === exact.queries ? some : takePoints(seen.queries, rows);
  const self = except === 'others' ? rows : except && rows.map((row) => except[row]);
  const { count, stride } = out;
  const found = yield* subtask(nearestByDifferencesSteps(seen.points, someSeen, self, width), 0, 0.9);
  const again: NeighborRows = { count, stride: count, ...roomFor(rows.length * count) };
  yield* subtask(rerankSteps(exact.points, some, width, found.indices, again), 0.9, 1);
  rows.forEach((row, k) => {
    out.indices.set(again.indices.subarray(k * count, (k + 1) * count), row * stride);
    out.squaredDistances.set(again.squaredDistances.subarray(k * count, (k + 1) * count), row * stride);
  });
  return found;
}

/** Whether a point that was left out may be as near as the last one kept. Its squared distance is at least `leastSquared`, up to `error`. */
function isDoubtful(leastSquared: number, error: number, row: number, out: NeighborRows): boolean {
  const least = Math.sqrt(Math.max(0, leastSquared)) - error;
  const last = out.squaredDistances[row * out.stride + out.count - 1];
  return !(least > 0 && Math.fround(least * least * (1 - 2 ** -50)) > last);
}

function roomFor(length: number): Pick<NeighborRows, 'indices' | 'squaredDistances'> {
  return { indices: new Int32Array(length), squaredDistances: new Float32Array(length) };
}
