/** Checks that points differ, that rounding to single precision keeps neighbors and distances, and that coordinates are finite. */

import { badValue, placeOf } from '../core/check.ts';
import type { Graph } from '../graph/graph.ts';
import type { Points } from '../network/layers/inputs.ts';
import { CsrMatrix } from '../sparse/csr.ts';
import type { Tensor } from '../tensor/tensor.ts';

/** Throws if all points are equal: a function of the point is then constant. */
export function checkDistinct(caller: string, points: Points): void {
  for (let i = 1; i < points.rows; i++) if (!isSameRow(points, 0, i)) return;
  if (points.rows < 2) return;
  const remedy = 'Coordinates are functions of the point. Check how the points were read.';
  throw badValue(caller, 'points that differ from each other', `${points.rows} copies of one point`, remedy);
}

function isSameRow(points: Points, i: number, j: number): boolean {
  if (points instanceof CsrMatrix) return sameRow(points, i, j);
  const { cols, data } = points;
  for (let c = 0; c < cols; c++) if (data[i * cols + c] !== data[j * cols + c]) return false;
  return true;
}

/**
 * Throws if rounding loses too much: for sparse points, if two different neighbors round to the same point; for a dense
 * table, if many distances between neighbors change.
 */
export function checkRounding(caller: string, graph: Graph, given: Points, rounded: Points): void {
  if (given.precision === 'single') return;
  if (given instanceof CsrMatrix)
    return rounded instanceof CsrMatrix ? checkPairs(caller, graph, given, rounded) : undefined;
  if (!(rounded instanceof CsrMatrix)) checkDistances(caller, graph, given, rounded);
}

/** Throws if a coordinate is too large for single precision: that of a node whose degree is a tiny part of the volume. */
export function checkCoordinates(caller: string, { degrees }: Graph, { data, cols }: Tensor): void {
  const at = data.findIndex((value) => !Number.isFinite(value));
  if (at < 0) return;
  const [least, most] = degrees.reduce(([low, high], d) => [Math.min(low, d), Math.max(high, d)], [Infinity, 0]);
  const remedy = `Degrees differ by a factor of ${(most / least).toPrecision(2)}: leave out nodes that hardly have edges.`;
  throw badValue(caller, 'coordinates that single precision can hold', `${data[at]} at ${placeOf(at, cols)}`, remedy);
}

/** A distance is lost if its relative change exceeds `change`. The fraction of lost distances may not exceed `lost`. */
const limits = { change: 0.1, lost: 0.1 };
/** The check examines the neighbors of about this many points, spread evenly over all. */
const sampleSize = 1024;

function checkDistances(caller: string, { weights }: Graph, given: Tensor, rounded: Tensor): void {
  let all = 0;
  let bad = 0;
  for (let i = 0; i < weights.rows; i += Math.ceil(weights.rows / sampleSize)) {
    for (let e = weights.starts[i]; e < weights.starts[i + 1]; e++) {
      const change = relativeChange(given, rounded, i, weights.columns[e]);
      if (change === null) continue;
      all++;
      if (change > limits.change) bad++;
    }
  }
  if (bad <= limits.lost * all) return;
  throw badValue(
    caller,
    'points whose distances survive rounding to single precision',
    `${bad} of ${all} distances between neighbors that change by more than 10 %`,
    'Subtract a typical value from each column, or remove points that lie far from all others.',
  );
}

/** The relative change of the difference between points i and j; null if they coincide. */
function relativeChange({ cols, data }: Tensor, { data: after }: Tensor, i: number, j: number): number | null {
  let square = 0;
  let change = 0;
  for (let c = 0, p = i * cols, q = j * cols; c < cols; c++, p++, q++) {
    const difference = data[p] - data[q];
    square += difference * difference;
    change += (difference - (after[p] - after[q])) ** 2;
  }
  return square > 0 ? Math.sqrt(change / square) : null;
}

/** Throws if two different neighbors round to the same point. */
function checkPairs(caller: string, { weights }: Graph, given: CsrMatrix, rounded: CsrMatrix): void {
  for (let i = 0; i < weights.rows; i++) {
    for (let e = weights.starts[i]; e < weights.starts[i + 1]; e++) {
      const j = weights.columns[e];
      if (j <= i || !sameRow(rounded, i, j) || sameRow(given, i, j)) continue;
      const remedy = 'Pass a dense table, which is centered, or points in single precision.';
      throw badValue(caller, 'sparse points that differ in single precision', `equal rows ${i} and ${j}`, remedy);
    }
  }
}

function sameRow({ starts, columns, values }: CsrMatrix, i: number, j: number): boolean {
  const length = starts[i + 1] - starts[i];
  if (starts[j + 1] - starts[j] !== length) return false;
  for (let e = 0; e < length; e++) {
    const [p, q] = [starts[i] + e, starts[j] + e];
    if (columns[p] !== columns[q] || values[p] !== values[q]) return false;
  }
  return true;
}
