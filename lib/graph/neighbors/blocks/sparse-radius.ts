/** Sparse points within a radius, from all pairs by products of sparse rows. */

import type { Task } from '../../../core/task.ts';
import { largestMagnitude } from '../../../linalg/matrix.ts';
import type { CsrMatrix } from '../../../sparse/csr.ts';
import { allocateIndices } from '../../../sparse/indices.ts';
import { allocate } from '../../../tensor/tensor.ts';
import { nearestKernels } from '../../../wasm/families.ts';
import { HitList, type RadiusRows } from '../hit-list.ts';
import { inSingle, squaredDistance } from '../points.ts';
import { haveNorms, type Multiplier, multiplierFor, relativeRounding, squaredNorms } from './products.ts';

/** The points with ‖x − y‖² < limit of every query, each with itself if the queries are the points. */
export function* sparseWithinRadiusSteps(
  caller: string,
  points: CsrMatrix,
  queries: CsrMatrix,
  limit: number,
): Task<RadiusRows> {
  const hits = new HitList(caller);
  const single = inSingle(points, queries);
  const nearby =
    haveNorms(single.points) && haveNorms(single.queries) ? sift(single, limit) : everyPair(points, queries);
  for (const { query, candidates, done } of nearby) {
    hits.makeRoom(candidates.length);
    for (const j of candidates) {
      const squared = squaredDistance(queries, query, points, j);
      if (squared < limit) hits.add(query, j, squared);
    }
    yield done;
  }
  return hits.byRows(queries.rows);
}

/** Points that may be near a query, in ascending order. */
interface Nearby {
  readonly query: number;
  readonly candidates: ArrayLike<number> & Iterable<number>;
  /** The fraction of the search that is done. */
  readonly done: number;
}

/** The pairs whose distance from products is below the limit, up to the rounding of the products. */
function* sift({ points, queries, error }: ReturnType<typeof inSingle>, limit: number): Generator<Nearby> {
  const multiplier: Multiplier = multiplierFor(points, queries);
  const { rowBlock, columnBlock } = multiplier;
  const [norms, queryNorms] = [squaredNorms(points), squaredNorms(queries)];
  const largest = largestMagnitude(norms);
  const rounding = relativeRounding(multiplier, points.cols);
  const reach = (Math.sqrt(limit) + error) ** 2 * (1 + 2 ** -20);
  const limits = queryNorms.map((norm) => reach + rounding * (norm + largest));
  const none = allocate(points.rows, 'single').fill(-Infinity);
  const products = allocate(rowBlock * columnBlock, 'single');
  const places = allocateIndices(rowBlock * columnBlock);
  const distances = allocate(rowBlock * columnBlock, 'single');
  for (let left = 0; left < queries.rows; left += columnBlock) {
    const n = Math.min(columnBlock, queries.rows - left);
    const found = Array.from({ length: n }, (): number[] => []);
    multiplier.select(left, n);
    for (let top = 0; top < points.rows; top += rowBlock) {
      const m = Math.min(rowBlock, points.rows - top);
      multiplier.multiply(top, m, n, products);
      const [a, b] = [norms.subarray(top, top + m), queryNorms.subarray(left, left + n)];
      const [most, reaches] = [none.subarray(top, top + m), limits.subarray(left, left + n)];
      const count = nearestKernels().siftPairs(m, n, products, a, b, most, reaches, places, distances);
      for (let h = 0; h < count; h++) found[places[h] % n].push(top + Math.trunc(places[h] / n));
    }
    for (const [k, candidates] of found.entries()) yield { query: left + k, candidates, done: left / queries.rows };
  }
}

/** For rows whose squared norms overflow. */
function* everyPair(points: CsrMatrix, queries: CsrMatrix): Generator<Nearby> {
  const candidates = Int32Array.from({ length: points.rows }, (_, j) => j);
  for (let query = 0; query < queries.rows; query++) yield { query, candidates, done: query / queries.rows };
}
