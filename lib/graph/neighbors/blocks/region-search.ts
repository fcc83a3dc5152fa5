/** Nearest points by products that leave out regions too far from all queries of a block. */

import { subtask, type Task } from '../../../core/task.ts';
import { largestMagnitude } from '../../../linalg/matrix.ts';
import { nearestKernels } from '../../../wasm/families.ts';
import { allocateIndices, everyIndex } from '../../../sparse/indices.ts';
import { allocate, type Tensor } from '../../../tensor/tensor.ts';
import { HitList, type RadiusRows } from '../hit-list.ts';
import type { NeighborRows } from '../neighbor-rows.ts';
import { isDoubtful, measureHits, searchAgainSteps, spare } from './brute.ts';
import { Candidates } from './candidates.ts';
import {
  firstRows,
  multiplierFor,
  noteReached,
  offerPairs,
  type Reach,
  relativeRounding,
  type RoughCandidates,
  squaredNorms,
} from './products.ts';
import { type ArrangedQueries, multiplyRows, type Regions } from './regions.ts';
import { rerankSteps } from './rerank.ts';

/** The fewer queries in a block, the fewer regions are near one of them. Products of fewer are slower. */
const queryBlock = 64;

/**
 * `nearestAndReached` for arranged queries, with the same results; the points within whose reach a query is are in any order. Points
 * and queries are in single precision, and their squared norms are finite. `onBlock` is told the number of pairs that are compared.
 */
export function* nearestAndReachedByRegionsSteps(
  points: Tensor,
  regions: Regions,
  arranged: ArrangedQueries,
  squaredReaches: Float32Array,
  out: NeighborRows,
  onBlock?: (pairs: number) => void,
): Task<RadiusRows> {
  const { queries } = arranged;
  const width = Math.min(out.count + spare, points.rows);
  const hits = new HitList('nearestAndReached');
  const reach = { squared: squaredReaches, hits };
  const { candidates, error } = yield* subtask(nearestByRegionsSteps(regions, arranged, width, reach, onBlock), 0, 0.7);
  yield* subtask(rerankSteps(points, queries, width, candidates.indices, out), 0.7, 0.8);
  const isOpen = (row: number): boolean => isDoubtful(candidates.worst[row] - error(row), 0, row, out);
  const doubtful = everyIndex(queries.rows).filter((row) => width < points.rows && isOpen(row));
  const sides = { points, queries };
  if (doubtful.length > 0) yield* subtask(searchAgainSteps(sides, sides, doubtful, null, width, out), 0.8, 1);
  return measureHits(points, queries, hits, squaredReaches, out);
}

/**
 * `nearestByProducts` of the points of regions and arranged queries. A query x and a point y of region r are at least
 * ‖x − p‖ − radius apart, for the pivot p of r. A region is left out if that is more than the last distance that each query of a
 * block keeps, and than the limit of each point.
 */
function* nearestByRegionsSteps(
  regions: Regions,
  { queries, regions: inRegion }: ArrangedQueries,
  width: number,
  reach: Reach,
  onBlock: ((pairs: number) => void) | undefined,
): Task<RoughCandidates> {
  const { points, starts, rows, pivots, pivotNorms, radii } = regions;
  const count = pivots.rows;
  const multiplier = multiplierFor(points, queries);
  const norms = squaredNorms(points);
  const queryNorms = squaredNorms(queries);
  const largest = largestMagnitude(norms);
  const rounding = relativeRounding(multiplier, points.cols);
  const bound = rounding * (largest + largestMagnitude(queryNorms));
  const limits = allocate(points.rows, 'single');
  for (let place = 0; place < points.rows; place++) {
    limits[place] = (reach.squared[rows[place]] + bound) * (1 + 2 ** -20);
  }
  const farthest = new Float32Array(count);
  for (let r = 0; r < count; r++) farthest[r] = largestMagnitude(limits.subarray(starts[r], starts[r + 1]));
  const candidates = new Candidates(queries.rows, width);
  const products = allocate(multiplier.rowBlock * queryBlock, 'single');
  const places = allocateIndices(multiplier.rowBlock * queryBlock);
  const distances = allocate(multiplier.rowBlock * queryBlock, 'single');
  const { hits } = reach;
  for (let left = 0; left < queries.rows; left += queryBlock) {
    const n = Math.min(queryBlock, queries.rows - left);
    multiplier.select(left, n);
    let seen = 0;
    for (const [top, end] of nearBlocks(left, n)) {
      onBlock?.(n * (end - top));
      multiplier.multiply(top, end - top, n, products);
      for (let from = top, to = top; from < end; from = to) {
        to = Math.min(end, from - seen + Math.max(firstRows, 4 * seen));
        const passed = nearestKernels().siftPairs(
          to - from,
          n,
          products.subarray((from - top) * n, (to - top) * n),
          norms.subarray(from, to),
          queryNorms.subarray(left, left + n),
          limits.subarray(from, to),
          candidates.worst.subarray(left, left + n),
          places,
          distances,
        );
        offerPairs(passed, n, from, left, places, distances, null, candidates);
        noteReached(passed, n, from, left, places, distances, limits, hits);
        seen += to - from;
      }
      yield left / queries.rows;
    }
  }
  // From places to rows. Whatever ties decided among places is measured again.
  for (let at = 0; at < candidates.indices.length; at++) candidates.indices[at] = rows[candidates.indices[at]];
  for (let at = 0; at < hits.count; at++) hits.indices[at] = rows[hits.indices[at]];
  return { candidates, error: (query) => rounding * (queryNorms[query] + largest) };

  /** The blocks of points of near regions, those of the regions of the queries first. */
  function* nearBlocks(left: number, n: number): Generator<readonly [top: number, end: number]> {
    const bounds = lowerBounds(left, n);
    const isNear = (r: number): boolean => {
      for (let i = 0; i < n; i++) {
        if (bounds[i * count + r] <= Math.max(candidates.worst[left + i], farthest[r])) return true;
      }
      return false;
    };
    const [first, last] = [inRegion[left], inRegion[left + n - 1]];
    yield* runs(first, last + 1, isNear);
    yield* runs(0, first, isNear);
    yield* runs(last + 1, count, isNear);
  }

  /** Regions from … to − 1 that are near, in blocks that the multiplier has room for. */
  function* runs(from: number, to: number, isNear: (region: number) => boolean): Generator<readonly [number, number]> {
    const height = multiplier.rowBlock;
    for (let r = from; r < to; r++) {
      if (!isNear(r)) continue;
      const begin = starts[r];
      while (r + 1 < to && starts[r + 2] - begin <= height && isNear(r + 1)) r++;
      const end = starts[r + 1];
      for (let top = begin; top < end; top += height) yield [top, Math.min(top + height, end)];
    }
  }

  /** n×count: squared distances that no point of a region is nearer than, to the queries left … left + n − 1. */
  function lowerBounds(left: number, n: number): Float32Array {
    const bounds = allocate(n * count, 'single');
    multiplyRows(queries, left, n, pivots, bounds);
    for (let i = 0, at = 0; i < n; i++) {
      for (let r = 0; r < count; r++, at++) {
        const sum = queryNorms[left + i] + pivotNorms[r];
        const least = Math.sqrt(Math.max(0, sum - 2 * bounds[at] - rounding * sum)) - radii[r];
        bounds[at] = least > 0 ? least * least * (1 - 2 ** -20) : 0;
      }
    }
    return bounds;
  }
}
