/** Landmark features: how near a point is to each of its nearest landmarks. */

import { badValue, checkCount } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { runSync, subtask, type Task } from '../../core/task.ts';
import { Random, type Seed } from '../../core/random.ts';
import { type MetricOptions, resolveMetric, metricRules } from '../../graph/neighbors/metric.ts';
import { nearestAmongSteps } from '../../graph/neighbors/neighbors.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import { toDense } from '../../sparse/inspect.ts';
import { isSparse, pointRange, takePoints } from '../../sparse/points.ts';
import type { Tensor } from '../../tensor/tensor.ts';
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

  constructor(centers: Points, neighbors = 16, metric: MetricOptions = {}) {
    checkInputs('Landmarks', centers);
    checkCount('Landmarks', 'neighbors', neighbors, 1);
    if (centers.rows < 2) throw badValue('Landmarks', 'at least two landmarks', centers.rows);
    this.centers = centers;
    resolveMetric('Landmarks', metric);
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
    const entries = points.rows * this.neighbors;
    const starts = Int32Array.from({ length: points.rows + 1 }, (_, i) => i * this.neighbors);
    const columns = new Int32Array(entries);
    const values = new Float32Array(entries);
    for (const { from, rows } of isSparse(this.centers) ? [{ from: 0, rows: points }] : denseParts(points)) {
      const description = this.#describe(rows, from * this.neighbors, columns, values);
      yield* subtask(description, from / points.rows, (from + rows.rows) / points.rows);
    }
    return new CsrMatrix(points.rows, this.outputs, starts, columns, values);
  }

  /** Writes the features of some points, from entry `at` on. */
  *#describe(points: Points, at: number, columns: Int32Array, values: Float32Array): Task<void> {
    const r = this.neighbors;
    const search = nearestAmongSteps('Landmarks.features', this.centers, points, {
      ...this.metric,
      neighbors: r + 1,
    });
    const found = yield* subtask(search, 0, 0.7);
    for (let i = 0; i < points.rows; i++) {
      if (i % blockRows === 0) yield 0.7 + (0.3 * i) / points.rows;
      const first = i * (r + 1);
      const beyond = found.squaredDistances[first + r];
      const nearest = found.indices.subarray(first, first + r);
      const order = Array.from(nearest.keys()).toSorted((a, b) => nearest[a] - nearest[b]);
      let sum = 0;
      for (let k = 0; k < r; k++) sum += weightOf(found.squaredDistances[first + k], beyond);
      for (const [k, place] of order.entries()) {
        const weight = weightOf(found.squaredDistances[first + place], beyond);
        columns[at + i * r + k] = nearest[place];
        values[at + i * r + k] = sum > 0 ? weight / sum : 1 / r; // all at the same distance: equal weights
      }
    }
  }
}

/** Landmarks drawn from the points. */
export function chooseLandmarks(points: Points, options: LandmarkOptions): Landmarks {
  const caller = 'chooseLandmarks';
  checkInputs(caller, points);
  checkOptions(caller, options, rules);
  checkCount(caller, 'count', options.count, 2);
  const count = Math.min(options.count, points.rows);
  const chosen = new Random(options.seed ?? 0).permutation(points.rows).subarray(0, count).toSorted();
  return new Landmarks(takePoints(points, chosen), options.neighbors, options.metric);
}

function weightOf(square: number, beyond: number): number {
  return beyond > 0 ? 1 - square / beyond : 1;
}

/** The points as dense blocks, for dense landmarks: a dense table at once, a sparse matrix some rows at a time. */
function* denseParts(points: Points): Generator<{ from: number; rows: Tensor }> {
  if (!(points instanceof CsrMatrix)) return yield { from: 0, rows: points };
  for (let from = 0; from < points.rows; from += blockRows) {
    const some = pointRange(points, from, Math.min(points.rows, from + blockRows));
    yield { from, rows: toDense(some as CsrMatrix) };
  }
}
