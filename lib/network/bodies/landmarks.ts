/** Landmark features: how near a point is to each of its nearest landmarks. */

import { badValue, checkCount } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { runSync, subtask, type Task } from '../../core/task.ts';
import { Random, type Seed } from '../../core/random.ts';
import { type MetricOptions, resolveMetric, metricRules } from '../../graph/neighbors/metric.ts';
import { nearestAmongSteps, type Neighbors } from '../../graph/neighbors/neighbors.ts';
import { checkPoints } from '../../graph/neighbors/points.ts';
import { checkedCsr, CsrMatrix } from '../../sparse/csr.ts';
import { toDense } from '../../sparse/inspect.ts';
import { allocateIndices } from '../../sparse/indices.ts';
import { isSparse, pointRange, takePoints } from '../../sparse/points.ts';
import { allocate, type Tensor } from '../../tensor/tensor.ts';
import type { Body } from './body.ts';
import { checkInputs, type Points } from '../layers/inputs.ts';

/** The number of landmarks, and the number that describes a point. */
export interface LandmarkOptions {
  /** The number of landmarks, at most all points. */
  readonly count: number;
  /** The number of nearest landmarks that describe a point. Default: 16. */
  readonly neighbors?: number;
  /** The distance to landmarks. Default: Euclidean. */
  readonly metric?: MetricOptions;
  readonly seed?: Seed;
}

const rules: Rules<LandmarkOptions> = { count: 'number', neighbors: 'number', metric: metricRules, seed: 'seed' };

/** The number of points that are described at a time. */
const blockRows = 2048;

/**
 * φ_l(x) ∝ 1 − ‖x − c_l‖²/‖x − c_*‖² for the r nearest landmarks c_l, where c_* is the next nearest one, and 0 for all
 * others; the features of a point add up to 1. φ is continuous, since a landmark enters and leaves with weight 0. Nothing
 * is learned.
 */
export class Landmarks implements Body {
  /** One landmark per row, dense or sparse. */
  readonly centers: Points;
  /** r. */
  readonly neighbors: number;
  /** The distance to landmarks. */
  readonly metric: MetricOptions;

  /** Errors name `caller`. */
  constructor(centers: Points, neighbors = 16, metric: MetricOptions = {}, caller = 'Landmarks') {
    checkPoints(caller, centers);
    checkCount(caller, 'neighbors', neighbors, 1);
    if (centers.rows < 2) throw badValue(caller, 'at least two landmarks', centers.rows);
    this.centers = centers;
    resolveMetric(caller, metric);
    this.neighbors = Math.min(neighbors, centers.rows - 1);
    this.metric = metric;
  }

  get inputs(): number {
    return this.centers.cols;
  }

  get outputs(): number {
    return this.centers.rows;
  }

  features(points: Points): CsrMatrix {
    return runSync(this.featuresSteps(points));
  }

  *featuresSteps(points: Points): Task<CsrMatrix> {
    checkInputs('Landmarks.features', points, this.inputs);
    const search = nearestLandmarksSteps(this.centers, points, this.neighbors + 1, this.metric);
    const found = yield* subtask(search, 0, 0.7);
    return yield* subtask(this.describeSteps(points.rows, found), 0.7, 1);
  }

  /** The features of some points, of which the r + 1 nearest landmarks are known. */
  *describeSteps(rows: number, { indices, squaredDistances }: NearestLandmarks): Task<CsrMatrix> {
    const r = this.neighbors;
    const starts = allocateIndices(rows + 1);
    const columns = allocateIndices(rows * r);
    const values = allocate(rows * r, 'single');
    for (let i = 0; i < rows; i++) {
      starts[i + 1] = (i + 1) * r;
      if (i % blockRows === 0) yield i / rows;
      const first = i * (r + 1);
      const beyond = squaredDistances[first + r];
      let sum = 0;
      for (let k = 0; k < r; k++) sum += weightOf(squaredDistances[first + k], beyond);
      for (let k = 0; k < r; k++) {
        const weight = weightOf(squaredDistances[first + k], beyond);
        // Inserts the landmark among those before it, by index.
        let at = i * r + k;
        for (; at > i * r && columns[at - 1] > indices[first + k]; at--) {
          columns[at] = columns[at - 1];
          values[at] = values[at - 1];
        }
        columns[at] = indices[first + k];
        values[at] = sum > 0 ? weight / sum : 1 / r; // all at the same distance: equal weights
      }
    }
    return checkedCsr('Landmarks.features', rows, this.outputs, starts, columns, values);
  }
}

/** The landmarks nearest to each point, sorted by distance, then by index. */
export type NearestLandmarks = Pick<Neighbors, 'indices' | 'squaredDistances'>;

/** The `count` landmarks nearest to each point. */
export function* nearestLandmarksSteps(
  centers: Points,
  points: Points,
  count: number,
  metric: MetricOptions,
): Task<NearestLandmarks> {
  const searchSteps = (rows: Points): Task<Neighbors> =>
    nearestAmongSteps('Landmarks.features', centers, rows, { ...metric, neighbors: count });
  if (isSparse(centers) || !isSparse(points)) return yield* searchSteps(points);
  const indices = new Int32Array(points.rows * count);
  const squaredDistances = new Float32Array(points.rows * count);
  for (const { from, rows } of denseParts(points)) {
    const found = yield* subtask(searchSteps(rows), from / points.rows, (from + rows.rows) / points.rows);
    indices.set(found.indices, from * count);
    squaredDistances.set(found.squaredDistances, from * count);
  }
  return { indices, squaredDistances };
}

/** Landmarks drawn from the points. */
export function chooseLandmarks(points: Points, options: LandmarkOptions): Landmarks {
  const caller = 'chooseLandmarks';
  checkInputs(caller, points);
  checkOptions(caller, options, rules);
  checkCount(caller, 'count', options.count, 2);
  const count = Math.min(options.count, points.rows);
  const chosen = landmarkOrder(points, options.seed ?? 0)
    .subarray(0, count)
    .toSorted();
  return new Landmarks(takePoints(points, chosen), options.neighbors, options.metric);
}

/** The order in which points become landmarks, so that fewer landmarks are among more. */
export function landmarkOrder({ rows }: Pick<Points, 'rows'>, seed: Seed): Int32Array {
  return new Random(seed).permutation(rows);
}

function weightOf(square: number, beyond: number): number {
  return beyond > 0 ? 1 - square / beyond : 1;
}

/** Sparse points as dense blocks of some rows, for dense landmarks. */
function* denseParts(points: CsrMatrix): Generator<{ from: number; rows: Tensor }> {
  for (let from = 0; from < points.rows; from += blockRows) {
    const some = pointRange(points, from, Math.min(points.rows, from + blockRows));
    yield { from, rows: toDense(some as CsrMatrix) };
  }
}
