/** What maps any point to its coordinates? Features, and a linear layer on them; or a network, whose last layer that is. */

import { addBias, matmul } from '../autodiff/functions.ts';
import { badKind, badValue } from '../core/check.ts';
import { checkInputs, type Points } from '../network/inputs.ts';
import type { Landmarks } from '../network/landmarks.ts';
import type { Mlp } from '../network/mlp.ts';
import type { RitzHead } from '../spectral/ritz-head.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { pointsFrom, type PointSource } from './point-table.ts';

/** Columns 0, 1, … of what it gives approximate the eigenvectors ψ₂, ψ₃, … of D⁻¹W with these eigenvalues. */
export type Model = LandmarkModel | NetworkModel;

export interface LandmarkModel {
  readonly kind: 'landmarks';
  readonly landmarks: Landmarks;
  readonly head: Pick<RitzHead, 'weights' | 'bias'>;
  readonly eigenvalues: Float64Array;
}

export interface NetworkModel {
  readonly kind: 'network';
  readonly network: Mlp;
  readonly eigenvalues: Float64Array;
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

/** The same in the name of `caller`. */
export function applyModel(caller: string, model: Model, points: Points): Tensor {
  checkInputs(caller, points);
  const columns = inputsOfModel(model);
  if (points.cols !== columns) throw badValue(caller, `${columns} columns as in fit`, points.cols);
  if (model.kind === 'network') return model.network.evaluate(points);
  return addBias(matmul(model.landmarks.features(points), model.head.weights), model.head.bias);
}
