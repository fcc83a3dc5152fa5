/** Nearest neighbors by products that skip regions of points which are too far from a block of queries. */

import { largestMagnitude } from '../../../linalg/matrix.ts';
import type { Task } from '../../../core/task.ts';
import { allocateIndices } from '../../../sparse/indices.ts';
import { allocate, type Tensor } from '../../../tensor/tensor.ts';
import { reachKernels } from '../../../wasm/families.ts';
import { Candidates } from './candidates.ts';
import type { HitList } from '../hit-list.ts';
import { denseMultiplier, relativeRounding, type RoughCandidates, squaredNorms } from './products.ts';
import type { ReachedPairs } from './reached-pairs.ts';
import {
  boundAlong,
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
  const least = boundAlong(axes, rounding, Math.max(largest, largestQuery));
  const reach = givenReach.reordered(order);
  const limits = reach.limits(rounding * (largest + largestQuery));
  const longest = Float64Array.from({ length: count }, (_, g) =>
    largestMagnitude(limits.subarray(starts[g], starts[g + 1])),
  );
  const candidates = new Candidates(queries.rows, width);
  const products = allocate(rowBlock * queryBlock, 'single');
  const places = allocateIndices(rowBlock * queryBlock);
  for (let left = 0; left < queries.rows; left += queryBlock) {
    const n = Math.min(queryBlock, queries.rows - left);
    const worst = candidates.worst.subarray(left, left + n);
    const indices = candidates.indices.subarray(left * width, (left + n) * width);
    const distances = candidates.distances.subarray(left * width, (left + n) * width);
    const blockNorms = queryNorms.subarray(left, left + n);
    multiplier.select(left, n);
    const block = [left, left + n];
    const box = boxesOf(seen, block);
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
        const listed = reachKernels().keepNearest(
          m,
          n,
          width,
          products.subarray(0, m * n),
          norms.subarray(top, top + m),
          blockNorms,
          limits.subarray(top, top + m),
          order.subarray(top, top + m),
          indices,
          distances,
          worst,
          places,
        );
        noteReached(listed, n, top, left, places, order, own, reach.hits);
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

/** Notes pairs of a block, point top + ⌊places[h]/n⌋ and query left + places[h] mod n, by the rows that they came from. */
function noteReached(
  count: number,
  n: number,
  top: number,
  left: number,
  places: Int32Array,
  points: Int32Array,
  queries: Int32Array,
  hits: HitList,
): void {
  hits.makeRoom(count);
  for (let h = 0, row = top, begin = 0; h < count; h++) {
    for (; places[h] >= begin + n; begin += n) row++;
    hits.add(queries[left + places[h] - begin], points[row], 0);
  }
}

/** The places of these numbers, smallest first. */
function nearestFirst(squares: Float64Array): number[] {
  return Array.from(squares.keys()).toSorted((a, b) => squares[a] - squares[b]);
}
