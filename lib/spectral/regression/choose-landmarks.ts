/** The number of landmarks of a regression: all points if they are few, else enough for a small error on held-out points. */

import { subtask, type Task } from '../../core/task.ts';
import type { Seed } from '../../core/random.ts';
import type { MetricOptions } from '../../graph/neighbors/metric.ts';
import { GrowingLandmarks } from '../../network/bodies/growing-landmarks.ts';
import type { Landmarks } from '../../network/bodies/landmarks.ts';
import type { Points } from '../../network/layers/inputs.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import { isSparse } from '../../sparse/points.ts';
import { multiplyDense } from '../../sparse/multiply.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';
import { leastSquaresSteps } from './least-squares.ts';
import { wholeFeatures } from './normal-equations.ts';
import { leastExplained } from './regression-head.ts';

/** A number of landmarks, and the relative error of the coordinates at points that were held out. */
export interface LandmarkStage {
  readonly count: number;
  /** The root mean square over the coordinates. A coordinate that the landmarks do not explain does not count. */
  readonly error: number;
}

/**
 * The number of landmarks and the reason for it. 'given': as many as requested. 'all': every point is one. 'fraction': the fraction of the
 * points that the method takes. 'accurate': the error on held-out points is small. 'no gain': twice as many hardly lowered it.
 * 'budget': more would take more time or memory than stated.
 */
export interface LandmarkReport {
  readonly count: number;
  readonly reason: 'given' | 'all' | 'fraction' | 'accurate' | 'no gain' | 'budget';
  /** The numbers that were tried, ascending. Empty if nothing was. */
  readonly stages: readonly LandmarkStage[];
}

export interface ChosenLandmarks {
  readonly landmarks: Landmarks;
  /** The features of all points. */
  readonly features: CsrMatrix;
  readonly report: LandmarkReport;
}

/** Up to this many points, all are landmarks: the search takes half a second for 784 columns. */
export const allPoints = 4096;
/** The numbers of landmarks double from `first` on. */
const first = 1024;
/** Where the error is at most this, it is enough. */
const smallError = 0.01;
/** Twice as many landmarks should lower the error at least to this fraction of it. */
const gain = 0.85;
/** Points held out: `fraction` of all, at most `most`. */
const heldOut = { fraction: 0.1, most: 1024 };
/** The error of a stage is measured after a fit on this many points for each landmark. */
const rowsPerLandmark = 8;
/** The fit of a stage is solved to this instead of 1e-6: the error then changes in its third or fourth digit. */
const stageTolerance = 1e-3;

/**
 * What landmarks may take. A search of all points takes about work·0.035 ns on one thread, half a minute at this bound;
 * bytes are those of the landmarks, which the model keeps.
 */
const budget = { landmarks: 16_384, work: 1e12, bytes: 2 ** 28 };

/** The largest number of landmarks within the budget. */
function landmarkBudget(points: Points): number {
  const width = isSparse(points) ? points.values.length / points.rows : points.cols;
  const byWork = budget.work / (points.rows * (width + 50));
  const byBytes = budget.bytes / (4 * Math.max(1, width));
  return Math.max(first, Math.floor(Math.min(budget.landmarks, byWork, byBytes)));
}

/** Chooses landmarks for the coordinates `targets` of the points. */
export function* chooseLandmarksSteps(
  points: Points,
  degrees: Float64Array,
  targets: Tensor<Float64Array>,
  { seed, metric }: { readonly seed: Seed; readonly metric: MetricOptions },
): Task<ChosenLandmarks> {
  const n = points.rows;
  const growing = new GrowingLandmarks(points, seed, metric);
  const stages: LandmarkStage[] = [];
  const held = Math.min(heldOut.most, Math.floor(heldOut.fraction * n));
  const limit = landmarkBudget(points);
  let reason: LandmarkReport['reason'] | null = null;
  for (let count = n <= allPoints ? n : first; reason === null; count = 2 * count) {
    // Beyond half of the points, all of them cost little more.
    const isAll = 2 * count > n && n <= limit;
    const wanted = isAll ? n : Math.min(count, limit, n - held);
    const [begun, end] = [growing.count / limit, Math.min(1, wanted / limit)].map((fraction) => 0.9 * fraction);
    yield* subtask(growing.growSteps(wanted), begun, end);
    if (isAll) reason = 'all';
    else {
      const error = yield* subtask(heldOutErrorSteps(growing, degrees, targets, held), end, end);
      const last = stages.at(-1);
      stages.push({ count: wanted, error });
      if (error <= smallError) reason = 'accurate';
      else if (last && error > gain * last.error) reason = 'no gain';
      else if (wanted >= Math.min(limit, n - held)) reason = 'budget';
    }
  }
  const { landmarks, features } = yield* subtask(growing.finishSteps(), 0.9, 1);
  return { landmarks, features, report: { count: growing.count, reason, stages } };
}

/** Fits the targets at the first points of the order, and measures the error at the last ones. */
function* heldOutErrorSteps(
  growing: GrowingLandmarks,
  degrees: Float64Array,
  targets: Tensor<Float64Array>,
  held: number,
): Task<number> {
  const { order, count } = growing;
  const seen = order.slice(0, Math.min(order.length - held, rowsPerLandmark * count));
  const unseen = order.slice(order.length - held);
  const { features } = yield* growing.describeSteps(seen);
  const { weights } = yield* leastSquaresSteps(wholeFeatures(features), degreesOf(seen), rowsOf(seen), stageTolerance);
  const tested = yield* growing.describeSteps(unseen);
  const outputs = multiplyDense(tested.features, weights.copy('single'));
  const expected = rowsOf(unseen);
  const k = targets.cols;
  const [misses, squares] = [new Float64Array(k), new Float64Array(k)];
  for (let at = 0; at < outputs.size; at++) {
    const degree = degrees[unseen[Math.trunc(at / k)]];
    misses[at % k] += degree * (outputs.data[at] - expected.data[at]) ** 2;
    squares[at % k] += degree * expected.data[at] ** 2;
  }
  const unexplained = misses.map((miss, j) => (squares[j] > 0 ? miss / squares[j] : 0));
  const explained = unexplained.filter((fraction) => fraction <= 1 - leastExplained);
  const counted = explained.length > 0 ? explained : unexplained;
  return Math.sqrt(counted.reduce((sum, fraction) => sum + fraction, 0) / counted.length);

  function degreesOf(rows: Int32Array): Float64Array {
    return Float64Array.from(rows, (row) => degrees[row]);
  }

  function rowsOf(rows: Int32Array): Tensor<Float64Array> {
    const taken = zeros([rows.length, targets.cols], 'double');
    rows.forEach((row, i) =>
      taken.data.set(targets.data.subarray(row * taken.cols, (row + 1) * taken.cols), i * taken.cols),
    );
    return taken;
  }
}
