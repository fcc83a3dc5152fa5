/** The assignment of spectral coordinates to clusters, by k-means or by a rotation, and its rule for new rows. */

import { subtask, type Task } from '../../core/task.ts';
import type { Seed } from '../../core/random.ts';
import { type Matrix, multiply } from '../../linalg/matrix.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';
import { kMeansSteps, nearestCenters } from './k-means.ts';
import { clusterQrSteps, discretizeSteps, largestEntries } from './rotation.ts';

export const assignments = ['k-means', 'cluster-qr', 'discretize'] as const;

/**
 * How coordinates become clusters. 'k-means': the nearest of k centers. 'cluster-qr' (Damle, Minden & Ying) and 'discretize'
 * (Yu & Shi): the largest entry after a rotation of k coordinates, the constant one included.
 */
export type Assignment = (typeof assignments)[number];

/** The rule by which rows of coordinates belong to clusters. */
export interface Labeling {
  readonly assign: Assignment;
  /** k×coordinates, single precision: the centers of k-means, or the means of the clusters. */
  readonly centers: Tensor<Float32Array>;
  /** k×k, orthogonal, of the constant and the first k − 1 other coordinates; null for k-means. */
  readonly rotation: Matrix | null;
}

/** A rule, and the clusters of the rows that it was made from. */
export interface Labeled extends Labeling {
  readonly labels: Int32Array;
  /** The sum of squared distances to the centers. */
  readonly inertia: number;
  readonly converged: boolean;
}

/** Coordinates of nodes: eigenvectors of D⁻¹W with Σ dᵢψᵢ² = Σ dᵢ, as columns. */
export interface SpectralRows {
  readonly rows: Tensor;
  /** Whether the columns include the constant eigenvector. */
  readonly hasConstant: boolean;
  readonly degrees: Float64Array;
}

export interface LabelingOptions {
  readonly assign: Assignment;
  /** Starts of k-means. */
  readonly restarts: number;
  readonly seed: Seed;
}

/** Assigns the rows to clusters. Rotations need at least k coordinates, the constant one counted. */
export function* labelingSteps(source: SpectralRows, clusters: number, options: LabelingOptions): Task<Labeled> {
  const { rows, degrees } = source;
  const { assign, restarts, seed } = options;
  if (assign === 'k-means') {
    const found = yield* kMeansSteps(rows, clusters, { restarts, seed });
    return { assign, rotation: null, ...found };
  }
  const coordinates = withConstant(source, clusters);
  const search =
    assign === 'cluster-qr' ? clusterQrSteps(timesRoots(coordinates, degrees)) : discretizeSteps(coordinates, seed);
  const { rotation, converged } = yield* subtask(search, 0, 0.9);
  const labels = rotatedLabels(assign, rotation, coordinates);
  return { assign, rotation, labels, converged, ...meansOf(rows, labels, clusters) };
}

/** The clusters of other rows with the same coordinates. */
export function labelRows({ assign, centers, rotation }: Labeling, rows: Tensor, hasConstant: boolean): Int32Array {
  if (!rotation) return nearestCenters(rows, centers).labels;
  return rotatedLabels(assign, rotation, withConstant({ rows, hasConstant }, rotation.rows));
}

/** The number of members of each cluster. */
export function clusterSizes(labels: Int32Array, clusters: number): Int32Array {
  const sizes = new Int32Array(clusters);
  for (const label of labels) sizes[label]++;
  return sizes;
}

/** Cluster-QR takes magnitudes, since each column of its rotation has a free sign. */
function rotatedLabels(assign: Assignment, rotation: Matrix, coordinates: Matrix): Int32Array {
  return largestEntries(multiply(coordinates, rotation), assign === 'cluster-qr');
}

/** The first k coordinates, preceded by a constant 1 if it is not among them, in Float64, new. */
function withConstant({ rows, hasConstant }: Pick<SpectralRows, 'rows' | 'hasConstant'>, k: number): Matrix {
  const result = zeros([rows.rows, k], 'double');
  const shift = hasConstant ? 0 : 1;
  for (let i = 0; i < rows.rows; i++) {
    if (shift) result.data[i * k] = 1;
    for (let j = shift; j < k; j++) result.data[i * k + j] = rows.data[i * rows.cols + j - shift];
  }
  return result;
}

/** diag(√d)·rows, new: columns that are orthogonal in the inner product of D become orthogonal. */
function timesRoots(rows: Matrix, degrees: Float64Array): Matrix {
  const { cols, data } = rows;
  const result = zeros(rows.shape, 'double');
  for (let at = 0; at < data.length; at++) result.data[at] = Math.sqrt(degrees[Math.floor(at / cols)]) * data[at];
  return result;
}

/** The means of the clusters, zeros for one without members, and the sum of squared distances to them. */
function meansOf(
  { rows, cols, data }: Tensor,
  labels: Int32Array,
  clusters: number,
): Pick<Labeled, 'centers' | 'inertia'> {
  const sums = new Float64Array(clusters * cols);
  const sizes = clusterSizes(labels, clusters);
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) sums[labels[i] * cols + j] += data[i * cols + j];
  const means = sums.map((sum, at) => sum / Math.max(1, sizes[Math.floor(at / cols)]));
  let inertia = 0;
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) inertia += (data[i * cols + j] - means[labels[i] * cols + j]) ** 2;
  }
  const centers = zeros([clusters, cols]);
  centers.data.set(means);
  return { centers, inertia };
}
