/** Checks of points, their distances, and their copies in single precision. */

import { badKind, badValue, checkFinite, showShape } from '../../core/check.ts';
import { powerSum, squareOfSum } from '../../kernels/nearest/powers.ts';
import type { Floats } from '../../kernels/types.ts';
import { largestMagnitude } from '../../linalg/matrix.ts';
import { fromDense } from '../../sparse/build.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import { toDense } from '../../sparse/inspect.ts';
import { isSparse, type Points } from '../../sparse/points.ts';
import { copyToKernelMemory } from '../../tensor/kernel-memory.ts';
import { Tensor, zeros } from '../../tensor/tensor.ts';

/**
 * Squared distances are kept in single precision: far below its largest number, 3.4e38, and far above its smallest,
 * 1.2e-38, for a spread (the diagonal of the box around the points) between these.
 */
const largestSpread = 1e18;
const smallestSpread = 1e-14;

/** Refuses points that are not finite rows of one or more columns, or whose squared distances do not fit single precision. */
export function checkPoints(caller: string, points: Points, queries: Points = points): void {
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

/**
 * The squared distance of row i of a and row j of b, both dense or both sparse: differences first, in Float64, in the order
 * of columns. Columns in which both are 0 change no bit of the sum. Sparse rows have the power 2.
 */
export function squaredDistance(a: Points, i: number, b: Points, j: number, power = 2): number {
  if (isSparse(a) || isSparse(b)) return sparseSquare(a as CsrMatrix, i, b as CsrMatrix, j);
  return squareOfSum(power, powerSum(power, a.cols, a.data, i * a.cols, b.data, j * a.cols));
}

function sparseSquare(a: CsrMatrix, i: number, b: CsrMatrix, j: number): number {
  let sum = 0;
  let p = a.starts[i];
  let q = b.starts[j];
  const [pEnd, qEnd] = [a.starts[i + 1], b.starts[j + 1]];
  while (p < pEnd || q < qEnd) {
    const left = p < pEnd ? a.columns[p] : Infinity;
    const right = q < qEnd ? b.columns[q] : Infinity;
    const difference = (left <= right ? a.values[p++] : 0) - (right <= left ? b.values[q++] : 0);
    sum += difference * difference;
  }
  return sum;
}

/** Sparse points are compared by all pairs. */
export function checkSparseMethod(caller: string, points: Points, method: string): void {
  if (!isSparse(points) || method === 'auto' || method === 'brute') return;
  throw badValue(caller, "method 'auto' or 'brute' for sparse points", `'${method}'`);
}

/** The queries in the format of the points, dense or sparse. */
export function inFormatOf(points: Points, queries: Points): Points {
  if (isSparse(points) === isSparse(queries)) return queries;
  return isSparse(queries) ? toDense(queries) : fromDense(queries);
}

/** The points as the kernels see them. */
export interface SinglePoints<P extends Points = Points> {
  readonly points: P;
  readonly queries: P;
  /** A bound of the difference between their distances and those of the points as given. */
  readonly error: number;
}

/**
 * Points and queries in single precision and in the kernels' memory. The mean of the points is subtracted from dense ones in
 * double precision first, so that a common offset costs no digits.
 */
export function inSingle(points: Points, queries: Points): SinglePoints {
  return isSparse(points) ? sparseInSingle(points, queries as CsrMatrix) : denseInSingle(points, queries as Tensor);
}

function sparseInSingle(points: CsrMatrix, queries: CsrMatrix): SinglePoints<CsrMatrix> {
  const here = points.copy('single');
  const exact = points.precision === 'single' && queries.precision === 'single';
  const largest = Math.max(largestMagnitude(points.values), largestMagnitude(queries.values));
  const terms = Math.min(points.cols, longestRow(points) + longestRow(queries));
  return {
    points: here,
    queries: queries === points ? here : queries.copy('single'),
    error: exact ? 0 : 2 * largest * 2 ** -24 * Math.sqrt(terms),
  };
}

/** The largest number of entries in a row. */
export function longestRow({ rows, starts }: Pick<CsrMatrix, 'rows' | 'starts'>): number {
  let most = 0;
  for (let i = 0; i < rows; i++) most = Math.max(most, starts[i + 1] - starts[i]);
  return most;
}

/** `inSingle` for dense points. */
export function denseInSingle(points: Tensor, queries: Tensor = points): SinglePoints<Tensor> {
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

/** Refuses anything but a table of finite numbers, dense or sparse, with at least one column. */
export function checkTable(caller: string, name: string, points: Points): void {
  if (isSparse(points)) {
    if (points.cols > 0) return;
    throw badValue(caller, `${name} of at least one column`, `${points.rows}×0`);
  }
  if (!(points instanceof Tensor)) throw badKind(caller, `${name} as a tensor`, points, 'tensor() makes one.');
  if (points.shape.length !== 2) {
    throw badValue(caller, `${name} as a table, one point per row`, `shape ${showShape(points.shape)}`);
  }
  if (points.cols === 0) throw badValue(caller, `${name} of at least one column`, showShape(points.shape));
  checkFinite(caller, name, points.data, points.cols);
}

/** Two opposite corners of the bounding box of dense points. They stand for all points in `checkPoints`. */
export function cornersOf(points: Tensor): Tensor {
  const { cols } = points;
  const corners = zeros([2, cols], 'double');
  const lows = corners.data.subarray(0, cols).fill(Infinity);
  const highs = corners.data.subarray(cols).fill(-Infinity);
  encloseRows(points, lows, highs);
  return corners;
}

/** The diagonal of the bounding box of both. Columns that no sparse row stores are holes in the arrays: a file may state any number. */
function spreadOf(points: Points, queries: Points): number {
  const [lows, highs, stored]: number[][] = [[], [], []];
  let [rows, spread] = [0, 0];
  for (const table of queries === points ? [points] : [points, queries]) {
    if (isSparse(table)) enclosePositions(table, lows, highs, stored);
    else encloseRows(table, lows, highs);
    rows += table.rows;
  }
  for (const j of Object.keys(lows).map(Number)) {
    if (stored[j] < rows) widen(lows, highs, j, 0); // a column that is not stored in every row contains 0
    spread = Math.hypot(spread, highs[j] - lows[j]);
  }
  return spread;
}

type Numbers = Floats | number[];

/** In the order of memory: one column after the other takes several times as long. */
function encloseRows({ rows, cols, data }: Tensor, lows: Numbers, highs: Numbers): void {
  const [low, high] = [lows, highs].map((side) => Float64Array.from({ length: cols }, (_, j) => side[j]));
  for (let i = 0, at = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) widen(low, high, j, data[at++]);
  }
  for (let j = 0; j < cols; j++) {
    lows[j] = low[j];
    highs[j] = high[j];
  }
}

function enclosePositions({ columns, values }: CsrMatrix, lows: number[], highs: number[], stored: number[]): void {
  for (let e = 0; e < columns.length; e++) {
    const j = columns[e];
    stored[j] = (stored[j] ?? 0) + 1;
    widen(lows, highs, j, values[e]);
  }
}

/** Extends the box in column j to a value. Bounds that are not there yet are replaced. */
function widen(lows: Numbers, highs: Numbers, j: number, value: number): void {
  if (!(value >= lows[j])) lows[j] = value;
  if (!(value <= highs[j])) highs[j] = value;
}
