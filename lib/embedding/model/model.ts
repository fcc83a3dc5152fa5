/** What maps any point to its coordinates? Features, and a linear layer on them; or a network, whose last layer that is. */

import { addBias, matmul } from '../../autodiff/functions.ts';
import { badKind, badValue } from '../../core/check.ts';
import { runSync, type Task } from '../../core/task.ts';
import { checkInputs, type Points } from '../../network/layers/inputs.ts';
import type { Landmarks } from '../../network/bodies/landmarks.ts';
import { evaluateLayersSteps, type Mlp } from '../../network/bodies/mlp.ts';
import type { RitzHead } from '../../spectral/ritz/ritz-head.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { pointsFrom, type PointSource, roundAround } from './point-table.ts';

/** Columns 0, 1, … of what it gives approximate the eigenvectors ψ₂, ψ₃, … of D⁻¹W with these eigenvalues. */
export type Model = LandmarkModel | NetworkModel;

interface AnyModel {
  /** Taken from points before they are rounded to single precision; null where nothing is. */
  readonly center: Float64Array | null;
  readonly eigenvalues: Float64Array;
}

/** A linear layer on the features of landmarks. */
export interface LandmarkModel extends AnyModel {
  readonly kind: 'landmarks';
  readonly landmarks: Landmarks;
  readonly head: Pick<RitzHead, 'weights' | 'bias'>;
}

/** A network whose outputs are the coordinates. */
export interface NetworkModel extends AnyModel {
  readonly kind: 'network';
  readonly network: Mlp;
}

/** The coordinates that a model gives to any points, one row each, new: for models that were loaded. */
export function transform(model: Model, points: PointSource): Tensor {
  if (model?.kind !== 'landmarks' && model?.kind !== 'network') {
    throw badKind('transform', 'a model', model, 'It is the `model` of what fit returns, or what loadModel gives.');
  }
  return applyModel('transform', model, pointsFrom('transform', points));
}

/** How many columns do points need? */
export function inputsOfModel(model: Model): number {
  return model.kind === 'landmarks' ? model.landmarks.inputs : model.network.inputs;
}

/** How many coordinates does it give? */
export function outputsOfModel(model: Model): number {
  return model.kind === 'landmarks' ? model.head.weights.cols : model.network.outputs;
}

/** `transform` in the name of `caller`. */
export function applyModel(caller: string, model: Model, points: Points): Tensor {
  checkInputs(caller, points);
  const columns = inputsOfModel(model);
  if (points.cols !== columns) throw badValue(caller, `${columns} columns as in fit`, points.cols);
  return runSync(applyModelSteps(model, roundAround(caller, model.center, points)));
}

/** The same in steps, for points that the centre has been taken from. */
export function* applyModelSteps(model: Model, points: Points): Task<Tensor> {
  if (model.kind === 'network') return yield* evaluateLayersSteps('Mlp.evaluate', model.network.layers, points);
  return applyHead(model, yield* model.landmarks.featuresSteps(points));
}

/** The same for points whose features are known. */
export function applyHead({ head }: Pick<LandmarkModel, 'head'>, features: CsrMatrix): Tensor {
  return addBias(matmul(features, head.weights), head.bias);
}
