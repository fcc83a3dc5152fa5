/** `Body`: computes the features that are the input of a linear head. */

import { badKind, checkCount } from '../../core/check.ts';
import { runSync, type Task } from '../../core/task.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Points } from '../layers/inputs.ts';
import type { Layer } from '../layers/layer.ts';
import { evaluateLayersSteps, Network } from './network.ts';

/** Computes features of points: hidden layers, landmarks, or any object with these members. */
export interface Body {
  /** Columns of the points. */
  readonly inputs: number;
  /** Columns of the features. */
  readonly outputs: number;
  /** One row for each point, in a new tensor or matrix. */
  features(points: Points): Tensor | CsrMatrix;
  /** `features` as a task, if it takes long. */
  featuresSteps?(points: Points): Task<Tensor | CsrMatrix>;
}

/** The hidden layers of a network, with its current parameters. Without hidden layers, the features are the points themselves. */
export function hiddenLayers(mlp: Network): Body {
  if (!(mlp instanceof Network)) throw badKind('hiddenLayers', 'an Mlp', mlp);
  const layers = mlp.layers.slice(0, -1);
  if (layers.length > 0) return bodyOf(layers);
  return { inputs: mlp.inputs, outputs: mlp.inputs, features: (points) => points.copy(mlp.precision) };
}

/** All layers of a network: its outputs are the features. */
export function allLayers(mlp: Network): Body {
  return bodyOf(mlp.layers);
}

export function checkBody(caller: string, body: Body): void {
  if (typeof body?.features !== 'function') {
    throw badKind(caller, 'a body that makes features', body, 'Landmarks are one, and hiddenLayers() makes one.');
  }
  checkCount(caller, "the body's inputs", body.inputs, 1);
  checkCount(caller, "the body's outputs", body.outputs, 1);
}

/** The features of all points, by `featuresSteps` if the body has it. */
export function* bodyFeaturesSteps(body: Body, points: Points): Task<Tensor | CsrMatrix> {
  return body.featuresSteps ? yield* body.featuresSteps(points) : body.features(points);
}

function bodyOf(layers: readonly Layer[]): Body {
  const featuresSteps = (points: Points): Task<Tensor> => evaluateLayersSteps('Mlp.evaluate', layers, points);
  return {
    inputs: layers[0].weights.rows,
    outputs: layers[layers.length - 1].weights.cols,
    features: (points) => runSync(featuresSteps(points)),
    featuresSteps,
  };
}
