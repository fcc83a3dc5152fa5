/** Checks of points, their distances, and their copies in single precision. */

import { badKind, badValue, checkFinite, showShape } from '../../core/check.ts';
import type { Floats } from '../../kernels/types.ts';
import { copyToKernelMemory } from '../../tensor/kernel-memory.ts';
import { Tensor, zeros } from '../../tensor/tensor.ts';

/**
 * Squared distances are kept in single precision: far below its largest number, 3.4e38, and far above its smallest,
 * 1.2e-38, for a spread (the diagonal of the box around the points) between these.
 */
const largestSpread = 1e18;
const smallestSpread = 1e-14;

/** Refuses points that are not finite rows of one or more columns, or whose squared distances do not fit single precision. */
export function checkPoints(caller: string, points: Tensor, queries: Tensor = points): void {
  checkTable(caller, 'points', points);
  if (points.rows === 0) throw badValue(caller, 'at least one point', 'none');
  if (queries !== points) {
    checkTable(caller, 'queries', queries);
    if (queries.cols !== points.cols) {
      throw badValue(caller, `queries of ${points.cols} columns, as the points have`, queries.cols);
    }
  }
  const spread = spreadOf(points, queries);
  if (spread > largestSpread || (spread > 0 && spread < smallestSpread)) {
    throw badValue(
      caller,
      'points spread over 1e-14 to 1e18',
      spread,
      'Multiply them by a number that brings them near 1.',
    );
  }
}

/** Refuses a length, such as a radius or a bandwidth, that is not positive or whose square is not finite. */
export function checkLength(caller: string, name: string, value: number): void {
  if (typeof value !== 'number') throw badKind(caller, `${name} to be a number`, value);
  if (!(value >= 1e-150 && value <= 1e150))
    throw badValue(caller, `${name} to be positive, from 1e-150 to 1e150`, value);
}

/** ‖a_i − b_j‖² of row i of a and row j of b, both with d columns: differences first, in Float64, in the order of columns. */
export function squaredDistance(d: number, a: Floats, i: number, b: Floats, j: number): number {
  let sum = 0;
  for (let p = i * d, q = j * d, end = p + d; p < end; p++, q++) {
    const difference = a[p] - b[q];
    sum += difference * difference;
  }
  return sum;
}

/** The points as the kernels see them. */
export interface SinglePoints {
  readonly points: Tensor;
  readonly queries: Tensor;
  /** A bound of the difference between their distances and those of the points as given. */
  readonly error: number;
}

/**
 * Points and queries in single precision and in the kernels' memory. The mean of the points is subtracted from those in
 * double precision first, so that a common offset costs no digits.
 */
export function inSingle(points: Tensor, queries: Tensor = points): SinglePoints {
  if (points.precision === 'single' && queries.precision === 'single') {
    const here = copyToKernelMemory(points);
    return { points: here, queries: queries === points ? here : copyToKernelMemory(queries), error: 0 };
  }
  const { cols } = points;
  const mean = new Float64Array(cols);
  for (let at = 0; at < points.size; at++) mean[at % cols] += points.data[at] / points.rows;
  let largest = 0;
  const move = (source: Tensor): Tensor => {
    const moved = zeros(source.shape);
    for (let at = 0; at < source.size; at++) {
      moved.data[at] = source.data[at] - mean[at % cols];
      largest = Math.max(largest, Math.abs(moved.data[at]));
    }
    return moved;
  };
  const movedPoints = move(points);
  const movedQueries = queries === points ? movedPoints : move(queries);
  return { points: movedPoints, queries: movedQueries, error: 2 * largest * 2 ** -24 * Math.sqrt(cols) };
}

function checkTable(caller: string, name: string, points: Tensor): void {
  if (!(points instanceof Tensor)) throw badKind(caller, `${name} as a tensor`, points, 'tensor() makes one.');
  if (points.shape.length !== 2) {
    throw badValue(caller, `${name} as a table, one point a row`, `shape ${showShape(points.shape)}`);
  }
  if (points.cols === 0) throw badValue(caller, `${name} of at least one column`, showShape(points.shape));
  checkFinite(caller, name, points.data, points.cols);
}

/** The diagonal of the bounding box of both. */
function spreadOf(points: Tensor, queries: Tensor): number {
  const lows = new Float64Array(points.cols).fill(Infinity);
  const highs = new Float64Array(points.cols).fill(-Infinity);
  for (const { rows, cols, data } of queries === points ? [points] : [points, queries]) {
    for (let i = 0, at = 0; i < rows; i++) {
      for (let j = 0; j < cols; j++, at++) {
        if (data[at] < lows[j]) lows[j] = data[at];
        if (data[at] > highs[j]) highs[j] = data[at];
      }
    }
  }
  return lows.reduce((spread, low, j) => Math.hypot(spread, highs[j] - low), 0);
}
