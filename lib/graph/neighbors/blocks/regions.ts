/** Regions of points, told apart along a few axes, and bounds of the distances to their points. */

import { kernels } from '../../../kernels/table.ts';
import type { Floats } from '../../../kernels/types.ts';
import { allocateIndices } from '../../../sparse/indices.ts';
import { allocate, Tensor, zeros } from '../../../tensor/tensor.ts';
import { squaredNorms } from './products.ts';

/** A division of points. The points of region g are rows order[starts[g]] … order[starts[g + 1] − 1]. */
export interface Regions {
  readonly order: Int32Array;
  readonly starts: Int32Array;
  /** Orthonormal rows, along which the regions are told apart. */
  readonly axes: Tensor;
}

/** The usual number of points in a region. */
const usualSize = 384;
/** More regions exclude hardly more points, and each costs time for every block of queries. */
const mostRegions = 64;
const mostAxes = 8;
/** The least length of a new axis before it is normalized, in units of the first one. */
const leastLength = 1e-6;
/** Rows whose products are computed at a time. */
const block = 1024;
/** The axes come from about so many points. */
const sampleSize = 1024;

/**
 * Divides points, in single precision, by where they are along a few axes. The axes separate the means of groups of points: clusters
 * of any dimension are apart along few of them. Searches are exact with any division. O(n·d) with a factor of about 20.
 */
export function divideIntoRegions(points: Tensor, count = regionCount(points.rows)): Regions {
  const { rows } = points;
  const pivots = evenly(rows, count);
  const sample = gathered(points, evenly(rows, Math.min(rows, sampleSize)));
  const groups = groupRows(nearestOf(sample, gathered(points, pivots)), count);
  const axes = axesBetween(meansOf(gathered(sample, groups.order), groups.starts));
  const projections = projected(points, axes);
  const seen = gathered(projections, pivots);
  const { order, starts } = groupRows(nearestOf(projections, gathered(seen, chainOf(seen))), count);
  return { order, starts, axes };
}

function regionCount(rows: number): number {
  return Math.min(mostRegions, Math.ceil(rows / usualSize));
}

/** `count` rows, evenly spread. */
export function evenly(rows: number, count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => Math.floor(((i + 0.5) * rows) / count));
}

/** The listed rows. */
export function gathered({ cols, data }: Tensor, rows: Int32Array): Tensor {
  const out = allocate(rows.length * cols, 'single');
  kernels.gatherRows(rows.length, cols, rows, data, out);
  return new Tensor(out, [rows.length, cols]);
}

/** The rows of each group, in ascending order. */
export function groupRows(groups: Int32Array, count: number): Pick<Regions, 'order' | 'starts'> {
  const starts = new Int32Array(count + 1);
  for (const group of groups) starts[group + 1]++;
  for (let g = 0; g < count; g++) starts[g + 1] += starts[g];
  const next = starts.slice();
  const order = allocateIndices(groups.length);
  for (let i = 0; i < groups.length; i++) order[next[groups[i]]++] = i;
  return { order, starts };
}

/** The row of `centers` nearest to each point, up to rounding. */
export function nearestOf({ rows, cols, data }: Tensor, centers: Tensor): Int32Array {
  const count = centers.rows;
  const norms = squaredNorms(centers);
  const products = allocate(block * count, 'single');
  const nearest = new Int32Array(rows);
  for (let top = 0; top < rows; top += block) {
    const m = Math.min(block, rows - top);
    const some = data.subarray(top * cols, (top + m) * cols);
    kernels.matmulTransposeB(m, count, cols, some, centers.data, products, false);
    for (let i = top, at = 0; i < top + m; i++) {
      let least = Infinity;
      for (let g = 0; g < count; g++, at++) {
        const distance = norms[g] - 2 * products[at];
        if (distance >= least) continue;
        least = distance;
        nearest[i] = g;
      }
    }
  }
  return nearest;
}

/** The means of the rows starts[g] … starts[g + 1] − 1. */
export function meansOf({ cols, data }: Tensor, starts: ArrayLike<number>): Tensor {
  const count = starts.length - 1;
  const means = zeros([count, cols]);
  const sums = new Float64Array(cols);
  for (let g = 0; g < count; g++) {
    sums.fill(0);
    for (let at = starts[g] * cols; at < starts[g + 1] * cols; at += cols) {
      for (let p = 0; p < cols; p++) sums[p] += data[at + p];
    }
    for (let p = 0; p < cols; p++) means.data[g * cols + p] = sums[p] / Math.max(1, starts[g + 1] - starts[g]);
  }
  return means;
}

/** Orthonormal rows: each is the direction, from the mean of all, of the row that the ones before explain least. */
function axesBetween({ rows, cols, data }: Tensor): Tensor {
  const rest = Float64Array.from(data);
  for (let p = 0; p < cols; p++) {
    let mean = 0;
    for (let at = p; at < rest.length; at += cols) mean += rest[at] / rows;
    for (let at = p; at < rest.length; at += cols) rest[at] -= mean;
  }
  const rowOf = (i: number): Float64Array => rest.subarray(i * cols, (i + 1) * cols);
  const axes = zeros([Math.min(mostAxes, cols), cols]);
  let shortest = 0;
  for (let a = 0; a < axes.rows; a++) {
    const lengths = Array.from({ length: rows }, (_, i) => Math.sqrt(product(rowOf(i), rowOf(i))));
    const longest = lengths.indexOf(Math.max(...lengths));
    // What is left of shorter rows is rounding, which would not be orthogonal.
    if (a === 0) shortest = leastLength * lengths[longest];
    if (!(lengths[longest] > shortest)) break;
    const axis = rowOf(longest).map((value) => value / lengths[longest]);
    for (let i = 0; i < rows; i++) {
      const part = product(rowOf(i), axis);
      for (let p = 0; p < cols; p++) rest[i * cols + p] -= part * axis[p];
    }
    axes.data.set(axis, a * cols);
  }
  return axes;
}

function product(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let p = 0; p < x.length; p++) sum += x[p] * y[p];
  return sum;
}

/** The points along each axis. */
export function projected({ rows, cols, data }: Tensor, axes: Tensor): Tensor {
  const out = zeros([rows, axes.rows]);
  kernels.matmulTransposeB(rows, axes.rows, cols, data, axes.data, out.data, false);
  return out;
}

/** The rows in an order in which each is followed by the nearest one of those that are left. */
function chainOf(points: Tensor): Int32Array {
  const { rows, cols, data } = points;
  const chain = Int32Array.from({ length: rows }, (_, i) => i);
  for (let i = 1; i < rows; i++) {
    const distances = squaresTo(data.subarray(chain[i - 1] * cols, (chain[i - 1] + 1) * cols), points);
    let next = i;
    for (let k = i; k < rows; k++) if (distances[chain[k]] < distances[chain[next]]) next = k;
    [chain[i], chain[next]] = [chain[next], chain[i]];
  }
  return chain;
}

/** The squared distances of a point to all rows. */
export function squaresTo(point: Floats, { rows, cols, data }: Tensor): Float64Array {
  const squares = new Float64Array(rows);
  for (let i = 0, at = 0; i < rows; i++) {
    for (let p = 0; p < cols; p++, at++) squares[i] += (data[at] - point[p]) ** 2;
  }
  return squares;
}

/** Bounds of distances are lowered by this fraction, for the roundings in single precision. */
const margin = 2 ** -20;

/**
 * A function that bounds the squared distance of two points, from below, by that of their projections. Products are off by the
 * fraction `rounding` of squared norms, of which `largest` is the largest: projections, and the axes themselves.
 */
export function boundAlong(axes: Tensor, rounding: number, largest: number): (squared: number) => number {
  const slack = 4 * rounding * Math.sqrt(axes.rows * largest);
  return (squared) => Math.max(0, Math.sqrt(squared) * (1 - margin) - slack) ** 2 * (1 - margin);
}

/** Boxes around rows starts[g] … starts[g + 1] − 1: the lows of box g at 2·cols·g, its highs behind them. */
export function boxesOf({ cols, data }: Tensor, starts: ArrayLike<number>): Float64Array {
  const count = starts.length - 1;
  const boxes = new Float64Array(2 * cols * count);
  for (let g = 0; g < count; g++) {
    const lows = 2 * cols * g;
    const highs = lows + cols;
    boxes.fill(Infinity, lows, highs).fill(-Infinity, highs, highs + cols);
    for (let at = starts[g] * cols; at < starts[g + 1] * cols; at += cols) {
      for (let p = 0; p < cols; p++) {
        const value = data[at + p];
        if (value < boxes[lows + p]) boxes[lows + p] = value;
        if (value > boxes[highs + p]) boxes[highs + p] = value;
      }
    }
  }
  return boxes;
}

/** The squared distance of two boxes at `a` and `b` with sides of `cols` numbers. */
export function squareBetween(cols: number, boxes: Float64Array, a: number, others: Float64Array, b: number): number {
  let squared = 0;
  for (let p = 0; p < cols; p++) {
    const beyond = Math.max(boxes[a + p] - others[b + cols + p], others[b + p] - boxes[a + cols + p], 0);
    squared += beyond * beyond;
  }
  return squared;
}

/** The squared distance of the point at `from` to the box at `box`. */
export function squareToBox(cols: number, boxes: Float64Array, box: number, data: Floats, from: number): number {
  let squared = 0;
  for (let p = 0; p < cols; p++) {
    const beyond = Math.max(boxes[box + p] - data[from + p], data[from + p] - boxes[box + cols + p], 0);
    squared += beyond * beyond;
  }
  return squared;
}
