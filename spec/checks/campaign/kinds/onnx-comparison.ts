/** Exports models, runs them in onnxruntime, and compares every coordinate with `transform`, within bounds of rounding. */

import { resolveMetric, metricRows } from '../../../../lib/graph/neighbors/metric.ts';
import { toDense } from '../../../../lib/doors/sparse.ts';
import { centerAndRound } from '../../../../lib/embedding/model/point-table.ts';
import { preprocess } from '../../../../lib/embedding/model/preprocess.ts';
import { exportOnnx, type Model, Tensor } from '../../../../lib/index.ts';
import { isSparse } from '../../../../lib/sparse/points.ts';
import { findRuntime, runOnnx } from '../../onnx-runtime.ts';
import { attempted, Misread } from '../kind.ts';

type LandmarkModel = Extract<Model, { kind: 'landmarks' }>;
type NetworkModel = Extract<Model, { kind: 'network' }>;

/** Half a unit in the last place of single and of double precision. */
const [single, double] = [2 ** -24, 2 ** -53];
/** Beyond this, a sum in single precision may overflow in one order of its terms and not in another. */
const largest = 1e37;
/** Below this, single precision has fewer digits. */
const smallest = 1e-34;

export class OnnxComparison {
  readonly counts = {
    'run in onnxruntime': 0,
    /** Numbers so large, so small or so alike that rounding decides the coordinates. */
    'without a bound': 0,
    /** Refused by `exportOnnx` in words. */
    'not exported': 0,
  };
  readonly #runtime = findRuntime();

  /** Does nothing where onnxruntime is not installed. */
  async check(model: Model, points: Tensor, coordinates: Tensor): Promise<void> {
    if (!this.#runtime) return;
    const bytes = await attempted(() => exportOnnx(model));
    if (!bytes) return void this.counts['not exported']++;
    const { data, dims } = await runOnnx(this.#runtime, bytes, { model, points });
    this.counts['run in onnxruntime']++;
    if (dims.join() !== coordinates.shape.join()) throw new Misread(`onnxruntime: shape ${dims}`);
    const bounds = boundsOf(model, points);
    if (!bounds) return void this.counts['without a bound']++;
    for (const [i, value] of coordinates.data.entries()) {
      if (Math.abs(data[i] - value) <= bounds[i]) continue;
      throw new Misread(`onnxruntime: ${data[i]} instead of ${value} ± ${bounds[i]} at ${i}`);
    }
  }
}

/** How far two evaluations in single precision may differ, for each coordinate; null if there is no useful bound. */
export function boundsOf(model: Model, points: Tensor): Float64Array | null {
  const given = prepare(model, points);
  if (!given) return null;
  const bounds = model.kind === 'network' ? networkBounds(model, given) : landmarkBounds(model, given);
  return bounds?.every(Number.isFinite) ? bounds : null;
}

interface Prepared {
  /** What enters the landmarks or the network, in single precision. */
  readonly rows: Tensor;
  /** How far two roundings of each number may differ. */
  readonly errors: Float64Array;
}

function prepare(model: Model, points: Tensor): Prepared | null {
  const caller = 'check:campaign';
  const { preprocessing, center } = model;
  const metric = resolveMetric(caller, model.metric ?? {});
  const scaled = metricRows(caller, metric, preprocess(caller, preprocessing, points)) as Tensor;
  const rows = centerAndRound(caller, center, scaled) as Tensor;
  const isAngle = metric.metric === 'cosine' || metric.metric === 'correlation';
  // Without preprocessing, both subtract and round the same numbers.
  if (!preprocessing && !isAngle) return { rows, errors: new Float64Array(rows.size) };
  const terms = isAngle ? scaled.data.map(() => 1) : termsOf(model, points, scaled);
  const errors = Float64Array.from(rows.data, (value, i) => {
    const offset = Math.abs(center?.[i % rows.cols] ?? 0);
    return 2 * single * Math.abs(value) + 16 * double * (terms[i] + offset);
  });
  // Correlation subtracts a mean before it divides by the length: a nearly constant row loses digits.
  return metric.metric === 'correlation' && isNearlyConstant(points) ? null : { rows, errors };
}

/** The sum of the absolute terms of each number after preprocessing. */
function termsOf({ preprocessing }: Model, points: Tensor, { rows, cols }: Tensor): Float64Array {
  const { columns, axes } = preprocessing!;
  if (!columns) return new Float64Array(rows * cols).fill(1);
  const width = columns.shift.length;
  const term = (row: number, k: number): number =>
    columns.divisor[k] === 0
      ? 0
      : (Math.abs(points.data[row * width + k]) + Math.abs(columns.shift[k])) / Math.abs(columns.divisor[k]);
  return Float64Array.from({ length: rows * cols }, (_, at) => {
    const [row, column] = [Math.floor(at / cols), at % cols];
    if (!axes) return term(row, column);
    let sum = 0;
    for (let k = 0; k < width; k++) sum += term(row, k) * Math.abs(axes.data[k * cols + column]);
    return (width + 1) * sum;
  });
}

function isNearlyConstant({ rows, cols, data }: Tensor): boolean {
  return Array.from({ length: rows }, (_, i) => Array.from(data.slice(i * cols, (i + 1) * cols))).some(
    (row) => Math.max(...row) - Math.min(...row) < 1e-3 * Math.max(...row.map(Math.abs)),
  );
}

/** Errors grow by |W|, and every sum adds a multiple of its absolute terms. All activations are Lipschitz with constant 1. */
function networkBounds({ network: { layers } }: NetworkModel, { rows, errors }: Prepared): Float64Array | null {
  let [values, error] = [Float64Array.from(rows.data), errors];
  for (const { weights, bias, activation } of layers) {
    const [inputs, outputs] = weights.shape;
    const [sums, bounds] = [new Float64Array(rows.rows * outputs), new Float64Array(rows.rows * outputs)];
    for (let i = 0; i < rows.rows; i++) {
      for (let j = 0; j < outputs; j++) {
        let [sum, terms, carried] = [bias.data[j], Math.abs(bias.data[j]), 0];
        for (let k = 0; k < inputs; k++) {
          const weight = weights.data[k * outputs + j];
          sum += weight * values[i * inputs + k];
          terms += Math.abs(weight * values[i * inputs + k]);
          carried += Math.abs(weight) * error[i * inputs + k];
        }
        if (!(terms < largest)) return null;
        const at = i * outputs + j;
        sums[at] = activate(activation, sum);
        // Products that underflow lose at most the least number of single precision each.
        bounds[at] = carried + 4 * (inputs + 2) * single * terms + (inputs + 1) * smallest;
        if (activation !== 'identity' && activation !== 'relu') bounds[at] += 16 * single * (1 + Math.abs(sums[at]));
      }
    }
    [values, error] = [sums, bounds];
  }
  return error;
}

function activate(activation: string, x: number): number {
  if (activation === 'relu') return Math.max(0, x);
  if (activation === 'tanh') return Math.tanh(x);
  if (activation === 'sigmoid') return 1 / (1 + Math.exp(-x));
  if (activation === 'softplus') return Math.max(0, x) + Math.log1p(Math.exp(-Math.abs(x)));
  return x;
}

/**
 * The features are weights 1 − s/b of the nearest landmarks, divided by their sum. They are continuous, also where another
 * landmark enters, so that the error of the squared distances s bounds that of the coordinates unless their sum is tiny.
 */
function landmarkBounds({ landmarks, head }: LandmarkModel, { rows, errors }: Prepared): Float64Array | null {
  const centers = isSparse(landmarks.centers) ? toDense(landmarks.centers) : landmarks.centers;
  const [r, cols, outputs] = [landmarks.neighbors, rows.cols, head.weights.cols];
  const bounds = new Float64Array(rows.rows * outputs);
  const steepest = Float64Array.from({ length: outputs }, (_, j) =>
    head.weights.data.reduce((most, value, at) => (at % outputs === j ? Math.max(most, Math.abs(value)) : most), 0),
  );
  for (let i = 0; i < rows.rows; i++) {
    const measured = Array.from({ length: centers.rows }, (_, l) => distance(rows, errors, i, centers, l));
    const near = measured.toSorted((a, b) => a.square - b.square).slice(0, r + 1);
    const { square: beyond } = near[r];
    if (beyond !== 0 && !(beyond > smallest && beyond < largest)) return null;
    const error = Math.max(...near.map((one) => one.error)) / beyond;
    const sum = near.reduce((total, { square }) => total + 1 - square / beyond, 0);
    // All at distance 0: equal weights for both.
    const isSame = beyond === 0 && near.every((one) => one.error === 0);
    if (!isSame && !(sum > 100 * r * error)) return null;
    const ofShares = isSame ? 0 : (16 * r * error) / sum;
    for (let j = 0; j < outputs; j++) {
      const terms = steepest[j] + Math.abs(head.bias.data[j]);
      if (!(terms < largest)) return null;
      bounds[i * outputs + j] = ofShares * steepest[j] + 4 * (r + 3) * single * terms + (cols + r) * smallest;
    }
  }
  return bounds;
}

/** The squared distance of a point to a landmark, and how far two computations of it may differ. */
function distance(
  rows: Tensor,
  errors: Float64Array,
  i: number,
  centers: Tensor,
  l: number,
): { square: number; error: number } {
  let [square, moved, norms] = [0, 0, 0];
  for (let k = 0; k < rows.cols; k++) {
    const [x, c, e] = [rows.data[i * rows.cols + k], centers.data[l * rows.cols + k], errors[i * rows.cols + k]];
    square += (x - c) ** 2;
    moved += e * e;
    norms += x * x + c * c;
  }
  const [root, move] = [Math.sqrt(square), Math.sqrt(moved)];
  // Sparse distances are differences of norms and products.
  return { square, error: 2 * root * move + moved + 2 * single * square + 8 * rows.cols * double * norms };
}
