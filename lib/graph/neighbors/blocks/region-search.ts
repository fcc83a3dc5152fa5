/** Nearest neighbors by products that skip regions of points which are too far from a block of queries. */

import { largestMagnitude } from '../../../linalg/matrix.ts';
import type { Task } from '../../../core/task.ts';
import { allocateIndices } from '../../../sparse/indices.ts';
import { allocate, type Tensor } from '../../../tensor/tensor.ts';
import { nearestKernels } from '../../../wasm/families.ts';
import { Candidates } from './candidates.ts';
import type { HitList } from '../hit-list.ts';
import { denseMultiplier, relativeRounding, type RoughCandidates, squaredNorms } from './products.ts';
import type { ReachedPairs } from './reached-pairs.ts';
import {
  boxesOf,
  gathered,
  groupRows,
  meansOf,
  nearestOf,
  projected,
  type Regions,
  squareBetween,
  squaresTo,
  squareToBox,
} from './regions.ts';

/** Queries that are searched together. Fewer need fewer regions; more make products faster. */
const queryBlock = 64;
/** The first points of a block pass the sieve, whatever their distance. */
const firstRows = 32;
/** Bounds of distances are lowered by this fraction, for the roundings in single precision. */
const margin = 2 ** -20;

/** Points in the order of their regions, and what the search needs to know about these. */
export interface Layout {
  /** The points before they were put in order. */
  readonly given: Tensor;
  readonly regions: Regions;
  readonly points: Tensor;
  readonly norms: Float32Array;
  /** The largest squared norm. */
  readonly largest: number;
  /** Along the axes: the means of the regions, and boxes around them. */
  readonly middles: Tensor;
  readonly boxes: Float64Array;
}

export function layOut(given: Tensor, regions: Regions): Layout {
  const { order, starts, axes } = regions;
  const points = gathered(given, order);
  const seen = projected(points, axes);
  const norms = squaredNorms(points);
  const largest = largestMagnitude(norms);
  return { given, regions, points, norms, largest, middles: meansOf(seen, starts), boxes: boxesOf(seen, starts) };
}

/**
 * The candidates of `nearestByProductsSteps`, and the same pairs within reach, which are noted in another order. Queries near the
 * same region are searched together, nearest regions first. A region is skipped if no query of the block is as near to the box
 * around it as to its farthest candidate, or within reach.
 */
export function* nearestInRegionsSteps(
  layout: Layout,
  givenQueries: Tensor,
  width: number,
  givenReach: ReachedPairs,
): Task<RoughCandidates> {
  const { points, norms, largest, middles, boxes } = layout;
  const { order, starts, axes } = layout.regions;
  const count = starts.length - 1;
  const givenSeen = projected(givenQueries, axes);
  const own = groupRows(nearestOf(givenSeen, middles), count).order;
  const queries = gathered(givenQueries, own);
  const seen = gathered(givenSeen, own);
  const multiplier = denseMultiplier(points, queries);
  const { rowBlock } = multiplier;
  const queryNorms = squaredNorms(queries);
  const largestQuery = largestMagnitude(queryNorms);
  const rounding = relativeRounding(multiplier, points.cols);
  // What rounding may change along the axes: products, and the axes themselves.
  const slack = 4 * rounding * Math.sqrt(axes.rows * Math.max(largest, largestQuery));
  const least = (squared: number): number => Math.max(0, Math.sqrt(squared) * (1 - margin) - slack) ** 2 * (1 - margin);

  const reach = givenReach.reordered(order);
  const limits = reach.limits(rounding * (largest + largestQuery));
  const longest = Float64Array.from({ length: count }, (_, g) =>
    largestMagnitude(limits.subarray(starts[g], starts[g + 1])),
  );
  const candidates = new Candidates(queries.rows, width);
  const products = allocate(rowBlock * queryBlock, 'single');
  const places = allocateIndices(rowBlock * queryBlock);
  const distances = allocate(rowBlock * queryBlock, 'single');
  for (let left = 0; left < queries.rows; left += queryBlock) {
    const n = Math.min(queryBlock, queries.rows - left);
    const worst = candidates.worst.subarray(left, left + n);
    multiplier.select(left, n);
    const block = [left, left + n];
    const box = boxesOf(seen, block);
    let done = 0;
    for (const g of nearestFirst(squaresTo(meansOf(seen, block).data, middles))) {
      const at = 2 * axes.rows * g;
      const between = least(squareBetween(axes.rows, boxes, at, box, 0));
      if (between > longest[g] && between > largestMagnitude(worst)) continue;
      const isFar = (limit: number, j: number): boolean => {
        const squared = squareToBox(axes.rows, boxes, at, seen.data, (left + j) * axes.rows);
        return least(squared) > Math.max(limit, longest[g]);
      };
      if (worst.every(isFar)) continue;
      for (let top = starts[g]; top < starts[g + 1]; top += rowBlock) {
        const m = Math.min(rowBlock, starts[g + 1] - top);
        multiplier.multiply(top, m, n, products);
        for (let from = top, to = top; from < top + m; from = to) {
          to = Math.min(top + m, from + Math.max(firstRows, done >> 1));
          const passed = nearestKernels().siftPairs(
            to - from,
            n,
            products.subarray((from - top) * n, (to - top) * n),
            norms.subarray(from, to),
            queryNorms.subarray(left, left + n),
            limits.subarray(from, to),
            worst,
            places,
            distances,
          );
          offerPairs(passed, n, from, left, places, distances, limits, order, own, candidates, reach.hits);
          done += to - from;
        }
      }
    }
    yield left / queries.rows;
  }
  const normOf = new Float32Array(queries.rows);
  for (let place = 0; place < own.length; place++) normOf[own[place]] = queryNorms[place];
  return { candidates: placedBack(candidates, own), error: (query) => rounding * (normOf[query] + largest) };
}

/** Candidates as they are for rows in the order before: row order[i] takes those of place i. */
function placedBack({ width, indices, worst }: Candidates, order: Int32Array): RoughCandidates['candidates'] {
  const back = { indices: new Int32Array(indices.length), worst: new Float32Array(worst.length) };
  order.forEach((row, place) => {
    back.indices.set(indices.subarray(place * width, (place + 1) * width), row * width);
    back.worst[row] = worst[place];
  });
  return back;
}

/** Offers the pairs that passed the sieve to their queries, and notes those within reach, by the rows that they came from. */
function offerPairs(
  count: number,
  n: number,
  top: number,
  left: number,
  places: Int32Array,
  distances: Float32Array,
  limits: Float32Array,
  points: Int32Array,
  queries: Int32Array,
  candidates: Candidates,
  hits: HitList,
): void {
  hits.makeRoom(count);
  for (let h = 0, row = top, begin = 0; h < count; h++) {
    for (; places[h] >= begin + n; begin += n) row++;
    const query = left + places[h] - begin;
    candidates.offer(query, points[row], distances[h]);
    if (distances[h] <= limits[row]) hits.add(queries[query], points[row], 0);
  }
}

/** The places of these numbers, smallest first. */
function nearestFirst(squares: Float64Array): number[] {
  return Array.from(squares.keys()).toSorted((a, b) => squares[a] - squares[b]);
}
