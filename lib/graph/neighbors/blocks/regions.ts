/** Regions of points around pivots, and queries in the order of regions. */

import { nearestKernels } from '../../../wasm/families.ts';
import { kernels } from '../../../kernels/table.ts';
import { orderByKey } from '../../../kernels/batch/counting-sort.ts';
import { allocateIndices } from '../../../sparse/indices.ts';
import type { Floats } from '../../../kernels/types.ts';
import { allocate, type Tensor, zeros } from '../../../tensor/tensor.ts';
import type { NeighborRows } from '../neighbor-rows.ts';
import { type RadiusRows, sortRows } from '../hit-list.ts';
import { sparseFraction, squaredNorms } from './products.ts';

/** The points, region by region. */
export interface Regions {
  /** Those of region r are at places starts[r] … starts[r + 1] − 1. */
  readonly points: Tensor;
  readonly starts: Int32Array;
  /** The row that the point at each place came from. */
  readonly rows: Int32Array;
  /** One pivot per row, the mean of a region. Regions that follow each other are near each other. */
  readonly pivots: Tensor;
  readonly pivotNorms: Float32Array;
  /** No point of a region is farther from its pivot. */
  readonly radii: Float64Array;
}

const mostPivots = 128;

/** Whether products of these points are dense. Of mostly zeros, sparse products of all pairs are faster. */
export function isDense({ size, data }: Tensor): boolean {
  let nonzeros = 0;
  for (let at = 0; at < size; at++) if (data[at] !== 0) nonzeros++;
  return nonzeros >= sparseFraction * size;
}

/** Half the root of the number of points: the pivots cost little beside the products, and regions have a few hundred points. */
export function pivotCount(points: number): number {
  return Math.min(mostPivots, Math.round(Math.sqrt(points) / 2));
}

/**
 * Assigns every point to the nearest of some of them, up to rounding. The pivot of a region is the mean of its points. Null if
 * too few regions are farther apart than `reach`, a usual distance of neighbors. n·d·pivotCount(n)·2 flops, and a copy of the points.
 */
export function findRegions(points: Tensor, reach: number): Regions | null {
  const count = pivotCount(points.rows);
  const drawn = Int32Array.from({ length: count }, (_, k) => Math.floor(((k + 0.5) * points.rows) / count));
  const seeds = gather(points, chainOf(points, drawn));
  const regions = nearestPivots(points, seeds, squaredNorms(seeds));
  const pivots = meansOf(points, regions, count);
  const radii = radiiOf(points, regions, pivots);
  if (separatedPart(pivots, radii, reach) < leastSeparated) return null;
  const rows = orderByKey(regions, count);
  const starts = new Int32Array(count + 1);
  for (const region of regions) starts[region + 1]++;
  for (let r = 0; r < count; r++) starts[r + 1] += starts[r];
  return { points: gather(points, rows), starts, rows, pivots, pivotNorms: squaredNorms(pivots), radii };
}

/** The part of all pairs of regions that must be apart for regions to pay. */
const leastSeparated = 0.25;

/** The part of the pairs (r, s) for which the pivot of r is farther than `reach` from all points of s. */
function separatedPart({ rows, cols, data }: Tensor, radii: Float64Array, reach: number): number {
  let apart = 0;
  for (let r = 0; r < rows; r++) {
    for (let s = 0; s < rows; s++) {
      if (squaredDifference(cols, data, r * cols, s * cols) > (radii[s] + reach) ** 2) apart++;
    }
  }
  return apart / (rows * rows);
}

function squaredDifference(cols: number, data: Floats, a: number, b: number): number {
  let sum = 0;
  for (let p = 0; p < cols; p++) sum += (data[a + p] - data[b + p]) * (data[a + p] - data[b + p]);
  return sum;
}

/** The largest distance of a point of each region from its pivot, rounded up. */
function radiiOf(points: Tensor, regions: Int32Array, pivots: Tensor): Float64Array {
  const squared = allocate(points.rows, 'single');
  nearestKernels().listedDistances(points.rows, 1, points.cols, regions, points.data, pivots.data, squared);
  const radii = new Float64Array(pivots.rows);
  for (let i = 0; i < points.rows; i++) radii[regions[i]] = Math.max(radii[regions[i]], squared[i]);
  return radii.map((most) => Math.sqrt(most) * (1 + 2 ** -20));
}

/** The mean of every region, from which its points are nearer than from one of them. Zeros for a region without points. */
function meansOf({ cols, data }: Tensor, regions: Int32Array, count: number): Tensor {
  const sums = new Float64Array(count * cols);
  const sizes = new Int32Array(count);
  for (let i = 0, at = 0; i < regions.length; i++) {
    sizes[regions[i]]++;
    for (let p = 0, to = regions[i] * cols; p < cols; p++, at++, to++) sums[to] += data[at];
  }
  const means = zeros([count, cols]);
  for (let at = 0; at < sums.length; at++) means.data[at] = sums[at] / Math.max(1, sizes[Math.floor(at / cols)]);
  return means;
}

function gather({ cols, data }: Tensor, rows: Int32Array): Tensor {
  const result = zeros([rows.length, cols]);
  kernels.gatherRows(rows.length, cols, rows, data, result.data);
  return result;
}

/** The rows in an order in which each is the nearest to the one before, among those that are left. */
function chainOf({ cols, data }: Tensor, rows: Int32Array): Int32Array {
  const chain = rows.slice();
  for (let k = 1; k < chain.length; k++) {
    let nearest = k;
    let least = Infinity;
    for (let other = k; other < chain.length; other++) {
      const sum = squaredDifference(cols, data, chain[k - 1] * cols, chain[other] * cols);
      if (sum >= least) continue;
      nearest = other;
      least = sum;
    }
    [chain[k], chain[nearest]] = [chain[nearest], chain[k]];
  }
  return chain;
}

/** Rows that are compared with all pivots at a time. */
const rowBlock = 1024;

/** The pivot with the largest x·p − ½‖p‖², for every row x. */
function nearestPivots(points: Tensor, pivots: Tensor, pivotNorms: Float32Array): Int32Array {
  const count = pivots.rows;
  const nearest = allocateIndices(points.rows);
  const products = allocate(rowBlock * count, 'single');
  for (let top = 0; top < points.rows; top += rowBlock) {
    const m = Math.min(rowBlock, points.rows - top);
    multiplyRows(points, top, m, pivots, products);
    for (let i = 0, at = 0; i < m; i++) {
      let best = 0;
      let most = -Infinity;
      for (let r = 0; r < count; r++, at++) {
        const value = products[at] - 0.5 * pivotNorms[r];
        if (!(value > most)) continue;
        best = r;
        most = value;
      }
      nearest[top + i] = best;
    }
  }
  return nearest;
}

/** out[m×pivots] = the products of the m rows from `top` on with all pivots. */
export function multiplyRows({ cols, data }: Tensor, top: number, m: number, pivots: Tensor, out: Float32Array): void {
  const rows = data.subarray(top * cols, (top + m) * cols);
  kernels.matmulTransposeB(m, pivots.rows, cols, rows, pivots.data, out, false);
}

/** Queries, those of the same region together. */
export interface ArrangedQueries {
  readonly queries: Tensor;
  /** The row that the query at each place came from, and its region. */
  readonly rows: Int32Array;
  readonly regions: Int32Array;
}

export function arrangeQueries({ pivots, pivotNorms }: Regions, given: Tensor): ArrangedQueries {
  const nearest = nearestPivots(given, pivots, pivotNorms);
  const rows = orderByKey(nearest, pivots.rows);
  return { queries: gather(given, rows), rows, regions: rows.map((row) => nearest[row]) };
}

/** Moves what was found for the queries, in the order in which they were arranged, to the rows that they came from. */
export function inOrderOfRows(order: Int32Array, { count, stride, indices, squaredDistances }: NeighborRows): void {
  const [oldIndices, oldDistances] = [indices.slice(), squaredDistances.slice()];
  order.forEach((row, place) => {
    const from = place * stride;
    indices.set(oldIndices.subarray(from, from + count), row * stride);
    squaredDistances.set(oldDistances.subarray(from, from + count), row * stride);
  });
}

/** The same for the points within whose reach they are, which are sorted. */
export function reachedInOrder(order: Int32Array, { starts, indices, squaredDistances }: RadiusRows): RadiusRows {
  const moved = {
    starts: new Int32Array(starts.length),
    indices: new Int32Array(indices.length),
    squaredDistances: new Float32Array(indices.length),
  };
  order.forEach((row, place) => (moved.starts[row + 1] = starts[place + 1] - starts[place]));
  for (let i = 0; i < order.length; i++) moved.starts[i + 1] += moved.starts[i];
  order.forEach((row, place) => {
    moved.indices.set(indices.subarray(starts[place], starts[place + 1]), moved.starts[row]);
    moved.squaredDistances.set(squaredDistances.subarray(starts[place], starts[place + 1]), moved.starts[row]);
  });
  sortRows(moved);
  return moved;
}
