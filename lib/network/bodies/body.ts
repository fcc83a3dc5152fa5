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
}

/** A body whose features are also a task, as those of this library are. */
export interface StepwiseBody extends Body {
  featuresSteps(points: Points): Task<Tensor | CsrMatrix>;
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

/** Checks a body. The features of a user's body become a task of one step. */
export function stepwiseBody(caller: string, body: Body): StepwiseBody {
  if (typeof body?.features !== 'function') {
    throw badKind(caller, 'a body that makes features', body, 'Landmarks are one, and hiddenLayers() makes one.');
  }
  checkCount(caller, "the body's inputs", body.inputs, 1);
  checkCount(caller, "the body's outputs", body.outputs, 1);
  if (isStepwise(body)) return body;
  return {
    inputs: body.inputs,
    outputs: body.outputs,
    features: (points) => body.features(points),
    *featuresSteps(points) {
      const features = body.features(points);
      yield 1;
      return features;
    },
  };
}

function isStepwise(body: Body): body is StepwiseBody {
  return 'featuresSteps' in body;
}

function bodyOf(layers: readonly Layer[]): StepwiseBody {
  const featuresSteps = (points: Points): Task<Tensor> => evaluateLayersSteps('Mlp.evaluate', layers, points);
  return {
    inputs: layers[0].weights.rows,
    outputs: layers[layers.length - 1].weights.cols,
    features: (points) => runSync(featuresSteps(points)),
    featuresSteps,
  };
}
