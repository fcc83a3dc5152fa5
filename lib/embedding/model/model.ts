/** Models: functions from a point to its coordinates. A linear layer on landmark features, or a network. */

import { badKind, badValue, checkFinite } from '../../core/check.ts';
import { type MetricOptions, metricRows, resolveMetric } from '../../graph/neighbors/metric.ts';
import { runSync, type Task } from '../../core/task.ts';
import { kernels } from '../../kernels/table.ts';
import { checkInputs, type Points } from '../../network/layers/inputs.ts';
import type { Landmarks } from '../../network/bodies/landmarks.ts';
import { evaluateLayersSteps, type Network } from '../../network/bodies/network.ts';
import type { TableEncoding } from '../../formats/table/columns/encoding.ts';
import type { RitzHead } from '../../spectral/ritz/ritz-head.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import { multiplyDense } from '../../sparse/multiply.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Preprocessing, preprocess } from './preprocess.ts';
import { pointsOf, type PointSource, centerAndRound } from './point-table.ts';

/** Output columns 0, 1, … approximate the eigenvectors ψ₂, ψ₃, … of D⁻¹W, with the eigenvalues of the model. */
export type Model = LandmarkModel | NetworkModel;

/** The members that all models share. */
export interface ModelBase {
  /** Subtracted from points before they are rounded to single precision; null if nothing is. */
  readonly center: Float64Array | null;
  /** The distance between points. For 'cosine' and 'correlation' rows are scaled to length one first. Default: Euclidean. */
  readonly metric?: MetricOptions;
  /** How points are scaled, and the principal components that replace their columns. Default: not at all. */
  readonly preprocessing?: Preprocessing | undefined;
  readonly eigenvalues: Float64Array;
  /** The columns of the table of the points, if they came from a table: `transform` finds them in a new table by name. */
  readonly columns?: TableEncoding;
}

/** A linear layer on the features of landmarks. */
export interface LandmarkModel extends ModelBase {
  readonly kind: 'landmarks';
  readonly landmarks: Landmarks;
  readonly head: Pick<RitzHead, 'weights' | 'bias'>;
}

/** A network whose outputs are the coordinates. */
export interface NetworkModel extends ModelBase {
  readonly kind: 'network';
  readonly network: Network;
}

/** The coordinates of any points under a model, for example a loaded one: one row each, in a new tensor. */
export function transform(model: Model, points: PointSource): Tensor {
  if (model?.kind !== 'landmarks' && model?.kind !== 'network') {
    throw badKind('transform', 'a model', model, 'Pass `fitted.model`, or the result of loadModel.');
  }
  return applyModel('transform', model, pointsOf(points, model.columns));
}

/** The number of columns of the points, before preprocessing. */
export function inputsOfModel(model: Model): number {
  const columns = model.preprocessing?.columns;
  if (columns) return columns.shift.length;
  return model.kind === 'landmarks' ? model.landmarks.inputs : model.network.inputs;
}

/** The number of coordinates. */
export function outputsOfModel(model: Model): number {
  return model.kind === 'landmarks' ? model.head.weights.cols : model.network.outputs;
}

/** `transform` with errors in the name of `caller`. Checks the points. */
export function applyModel(caller: string, model: Model, points: Points): Tensor {
  return runSync(transformSteps(caller, model, points));
}

/** `applyModel` as a task. */
export function* transformSteps(caller: string, model: Model, points: Points): Task<Tensor> {
  checkInputs(caller, points);
  const columns = inputsOfModel(model);
  if (points.cols !== columns) throw badValue(caller, `${columns} columns as in fit`, points.cols);
  const rows = metricRows(
    caller,
    resolveMetric(caller, model.metric ?? {}),
    preprocess(caller, model.preprocessing, points),
  );
  const coordinates = yield* applyModelSteps(model, centerAndRound(caller, model.center, rows));
  checkFinite(caller, 'the coordinates', coordinates.data, coordinates.cols);
  return coordinates;
}

/** The coordinates of points that are already scaled and centered, as a task. */
export function* applyModelSteps(model: Model, points: Points): Task<Tensor> {
  if (model.kind === 'network') return yield* evaluateLayersSteps('Mlp.evaluate', model.network.layers, points);
  return applyHead(model, yield* model.landmarks.featuresSteps(points));
}

/** The coordinates of points with known features. */
export function applyHead({ head: { weights, bias } }: Pick<LandmarkModel, 'head'>, features: CsrMatrix): Tensor {
  const coordinates = multiplyDense(features, weights);
  const { rows, cols, data } = coordinates;
  kernels.addBias(rows, cols, data, bias.data, data);
  return coordinates;
}
