/** Rotations of spectral coordinates toward indicators of clusters: cluster-QR and discretization. */

import type { Task } from '../../core/task.ts';
import { Random, type Seed } from '../../core/random.ts';
import { alignRotation } from '../../linalg/subspace.ts';
import { multiply, type Matrix } from '../../linalg/matrix.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';

/** A rotation of rows, and whether its iteration ended before its limit. */
export interface IndicatorRotation {
  /** k×k, orthogonal: a row belongs to the cluster of the largest entry of row·rotation. */
  readonly rotation: Matrix;
  readonly converged: boolean;
}

const iterationLimit = 100;

/**
 * Cluster-QR (Damle, Minden & Ying 2019): a QR factorization with column pivoting of rowsᵀ finds one row for each cluster,
 * and the orthogonal polar factor of these rows rotates the coordinates into indicators. The rows are those of orthonormal
 * columns. Nothing is random or iterated. O(n·k²).
 */
export function* clusterQrSteps(rows: Matrix): Task<IndicatorRotation> {
  const k = rows.cols;
  const pivots = yield* pivotRowsSteps(rows);
  const chosen = zeros([k, k], 'double');
  for (const [c, i] of pivots.entries()) chosen.data.set(rows.data.subarray(i * k, (i + 1) * k), c * k);
  const identity = zeros([k, k], 'double');
  for (let c = 0; c < k; c++) identity.data[c * k + c] = 1;
  return { rotation: alignRotation(chosen, identity).rotation, converged: true };
}

/**
 * Discretization (Yu & Shi 2003): alternates between the indicators nearest to the rotated rows, which have length one, and
 * the rotation that brings the rows nearest to the indicators. It starts from a random row and rows as orthogonal to the
 * earlier ones as there are.
 */
export function* discretizeSteps(rows: Matrix, seed: Seed): Task<IndicatorRotation> {
  const units = unitRows(rows);
  const { rows: n, cols: k } = units;
  let rotation = orthogonalRows(units, new Random(seed).integer(n));
  let labels = largestEntries(multiply(units, rotation), false);
  for (let iteration = 0; iteration < iterationLimit; iteration++) {
    const indicators = zeros([n, k], 'double');
    for (let i = 0; i < n; i++) indicators.data[i * k + labels[i]] = 1;
    const { rotation: next, aligned } = alignRotation(units, indicators);
    const changed = largestEntries(aligned, false);
    rotation = next;
    if (changed.every((label, i) => label === labels[i])) return { rotation, converged: true };
    labels = changed;
    yield iteration / iterationLimit;
  }
  return { rotation, converged: false };
}

/** The column of the largest entry of every row, by magnitude if `ofMagnitude`; the smallest index on ties. */
export function largestEntries({ rows, cols, data }: Tensor, ofMagnitude: boolean): Int32Array {
  return Int32Array.from({ length: rows }, (_, i) => {
    let best = 0;
    for (let c = 1; c < cols; c++) {
      const [value, least] = [data[i * cols + c], data[i * cols + best]];
      if (ofMagnitude ? Math.abs(value) > Math.abs(least) : value > least) best = c;
    }
    return best;
  });
}

/** The rows that QR with column pivoting of rowsᵀ chooses: each is the longest after those before it are projected out. */
function* pivotRowsSteps(rows: Matrix): Task<Int32Array> {
  const { rows: n, cols: k } = rows;
  const rest = rows.data.slice();
  const pivots = new Int32Array(k);
  const isChosen = new Uint8Array(n);
  for (let c = 0; c < k; c++) {
    let [longest, pivot] = [-1, 0];
    for (let i = 0; i < n; i++) {
      if (isChosen[i]) continue;
      let square = 0;
      for (let j = i * k; j < (i + 1) * k; j++) square += rest[j] * rest[j];
      if (square > longest) [longest, pivot] = [square, i];
    }
    pivots[c] = pivot;
    isChosen[pivot] = 1;
    const direction = rest.slice(pivot * k, (pivot + 1) * k);
    yield c / k;
    if (longest === 0) continue; // the rows are dependent, and nothing is left of them
    for (let i = 0; i < n; i++) {
      let product = 0;
      for (let j = 0; j < k; j++) product += direction[j] * rest[i * k + j];
      for (let j = 0; j < k; j++) rest[i * k + j] -= (product / longest) * direction[j];
    }
  }
  return pivots;
}

/** The rows divided by their lengths. A row of zeros stays. */
function unitRows(rows: Matrix): Matrix {
  const result = rows.copy();
  const { cols, data } = result;
  for (let i = 0; i < result.rows; i++) {
    const row = data.subarray(i * cols, (i + 1) * cols);
    const length = Math.hypot(...row);
    if (length > 0) for (let j = 0; j < cols; j++) row[j] /= length;
  }
  return result;
}

/** k×k, columns: the row `first`, then each time the row least aligned with the columns so far. */
function orthogonalRows({ rows: n, cols: k, data }: Matrix, first: number): Matrix {
  const result = zeros([k, k], 'double');
  const alignment = new Float64Array(n);
  let chosen = first;
  for (let c = 0; c < k; c++) {
    for (let j = 0; j < k; j++) result.data[j * k + c] = data[chosen * k + j];
    let next = 0;
    for (let i = 0; i < n; i++) {
      let product = 0;
      for (let j = 0; j < k; j++) product += data[i * k + j] * result.data[j * k + c];
      alignment[i] += Math.abs(product);
      if (alignment[i] < alignment[next]) next = i;
    }
    chosen = next;
  }
  return result;
}
