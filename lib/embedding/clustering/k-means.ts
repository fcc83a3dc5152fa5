/** k-means: Lloyd's iteration from several k-means++ starts. Returns the best result. */

import { badKind, badValue, checkCount, checkFinite, showShape } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { type ProgressOptions, progressRules, runAsync, subtask, type Task } from '../../core/task.ts';
import { Random, type Seed } from '../../core/random.ts';
import { kernels } from '../../kernels/table.ts';
import { Tensor, zeros } from '../../tensor/tensor.ts';

/** The number of starts, their maximal length, and the seed. */
export interface KMeansOptions extends ProgressOptions {
  /** How many starts to choose the best from. Default: 10. */
  readonly restarts?: number;
  /** The maximal number of iterations of one start. Default: 300. */
  readonly iterations?: number;
  /** Default: 0. */
  readonly seed?: Seed;
}

const rules: Rules<KMeansOptions> = { ...progressRules, restarts: 'number', iterations: 'number', seed: 'seed' };

/** The centers of the best start and the labels of the points. */
export interface KMeans {
  /** k×d, single precision. */
  readonly centers: Tensor<Float32Array>;
  /** The index of the nearest center of every point, the smallest index on ties. */
  readonly labels: Int32Array;
  /** The sum of squared distances to the nearest centers. */
  readonly inertia: number;
  /** Whether the labels of the best start stopped changing. */
  readonly converged: boolean;
}

/** Distances are computed for this many points at a time. */
const block = 1024;

/** Clusters the rows of `points` (n×d). They are rounded to single precision. */
export async function kMeans(points: Tensor, clusters: number, options: KMeansOptions = {}): Promise<KMeans> {
  checkOptions('kMeans', options, rules);
  return runAsync(kMeansSteps(points, clusters, options), options);
}

/** `kMeans` as a task, with options that were checked. */
export function* kMeansSteps(points: Tensor, clusters: number, options: KMeansOptions): Task<KMeans> {
  const { restarts = 10, iterations = 300, seed = 0 } = options;
  const x = checkPoints('kMeans', points);
  checkCount('kMeans', 'clusters', clusters, 1);
  checkCount('kMeans', 'restarts', restarts, 1);
  checkCount('kMeans', 'iterations', iterations, 1);
  if (clusters > x.rows) throw badValue('kMeans', `at most ${x.rows} clusters, as many as points`, clusters);
  const random = new Random(seed);
  let best: KMeans | null = null;
  for (let start = 0; start < restarts; start++) {
    const centers = drawCenters(x, clusters, random.fork(`start ${start}`));
    const found = yield* subtask(lloydSteps(x, centers, iterations), start / restarts, (start + 1) / restarts);
    if (!best || found.inertia < best.inertia) best = found;
  }
  return best!;
}

/** The index of the nearest center of every row of `points`, the smallest index on ties, and the squared distance to it. */
export function nearestCenters(
  points: Tensor,
  centers: Tensor,
): { labels: Int32Array; squaredDistances: Float64Array } {
  const x = checkPoints('nearestCenters', points);
  const c = checkPoints('nearestCenters', centers);
  if (x.cols !== c.cols) throw badValue('nearestCenters', `points of ${c.cols} columns, like the centers`, x.cols);
  const labels = new Int32Array(x.rows);
  const squaredDistances = new Float64Array(x.rows);
  label(x, c, zeros([block, c.rows]), labels, squaredDistances);
  return { labels, squaredDistances };
}

/** Lloyd's iteration. Overwrites `centers`. */
function* lloydSteps(x: Tensor, centers: Tensor<Float32Array>, iterations: number): Task<KMeans> {
  const labels = new Int32Array(x.rows).fill(-1);
  const squaredDistances = new Float64Array(x.rows);
  const scratch = zeros([block, centers.rows]);
  let converged = false;
  for (let iteration = 0; iteration < iterations && !converged; iteration++) {
    const changed = label(x, centers, scratch, labels, squaredDistances);
    converged = changed === 0;
    if (!converged) recenter(x, labels, squaredDistances, centers);
    yield iteration / iterations;
  }
  label(x, centers, scratch, labels, squaredDistances);
  return { centers, labels, inertia: squaredDistances.reduce((sum, d) => sum + d, 0), converged };
}

/** Overwrites labels and distances. Returns how many labels changed. */
function label(
  x: Tensor,
  centers: Tensor,
  scratch: Tensor,
  labels: Int32Array,
  squaredDistances: Float64Array,
): number {
  const k = centers.rows;
  let changed = 0;
  for (let start = 0; start < x.rows; start += block) {
    const part = x.rowRange(start, Math.min(x.rows, start + block));
    kernels.squaredDistances(part.rows, k, x.cols, part.data, centers.data, scratch.data);
    for (let i = 0; i < part.rows; i++) {
      let nearest = 0;
      for (let c = 1; c < k; c++) if (scratch.data[i * k + c] < scratch.data[i * k + nearest]) nearest = c;
      if (labels[start + i] !== nearest) changed++;
      labels[start + i] = nearest;
      squaredDistances[start + i] = scratch.data[i * k + nearest];
    }
  }
  return changed;
}

/**
 * Centers ← means of their points, summed in Float64. A center without points moves to the point that is farthest from its
 * nearest center.
 */
function recenter(x: Tensor, labels: Int32Array, squaredDistances: Float64Array, centers: Tensor): void {
  const { rows: k, cols: d } = centers;
  const sums = new Float64Array(k * d);
  const counts = new Int32Array(k);
  for (let i = 0; i < x.rows; i++) {
    counts[labels[i]]++;
    for (let j = 0; j < d; j++) sums[labels[i] * d + j] += x.data[i * d + j];
  }
  for (let c = 0; c < k; c++) {
    if (counts[c] > 0) {
      for (let j = 0; j < d; j++) centers.data[c * d + j] = sums[c * d + j] / counts[c];
      continue;
    }
    let farthest = 0;
    for (let i = 1; i < x.rows; i++) if (squaredDistances[i] > squaredDistances[farthest]) farthest = i;
    squaredDistances[farthest] = 0;
    centers.data.set(x.data.subarray(farthest * d, (farthest + 1) * d), c * d);
  }
}

/** k-means++: each further center is a point, drawn with a weight of its squared distance to the nearest center so far. */
function drawCenters(x: Tensor, k: number, random: Random): Tensor<Float32Array> {
  const { rows: n, cols: d } = x;
  const centers = zeros([k, d]);
  const nearest = new Float64Array(n).fill(Infinity);
  const distances = zeros([n, 1]);
  let chosen = random.integer(n);
  for (let c = 0; c < k; c++) {
    const center = centers.rowRange(c, c + 1);
    center.data.set(x.data.subarray(chosen * d, (chosen + 1) * d));
    kernels.squaredDistances(n, 1, d, x.data, center.data, distances.data);
    let total = 0;
    for (let i = 0; i < n; i++) total += nearest[i] = Math.min(nearest[i], distances.data[i]);
    chosen = total > 0 ? draw(nearest, random.uniform(0, total)) : random.integer(n);
  }
  return centers;
}

/** The first index at which the running sum of the weights exceeds `threshold`. */
function draw(weights: Float64Array, threshold: number): number {
  let sum = 0;
  let last = 0;
  for (let i = 0; i < weights.length; i++) {
    if (weights[i] === 0) continue;
    sum += weights[i];
    last = i;
    if (sum > threshold) break;
  }
  return last;
}

function checkPoints(caller: string, points: Tensor): Tensor<Float32Array> {
  if (!(points instanceof Tensor)) throw badKind(caller, 'points as a tensor', points, 'tensor() makes one.');
  if (points.shape.length !== 2) throw badValue(caller, 'points of two axes', `shape ${showShape(points.shape)}`);
  if (points.rows === 0) throw badValue(caller, 'at least one point', 'none');
  checkFinite(caller, 'points', points.data, points.cols);
  return points.precision === 'single' ? (points as Tensor<Float32Array>) : points.copy('single');
}
