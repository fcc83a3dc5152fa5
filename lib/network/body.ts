/** What can a linear head stand on? Anything that makes features of points. */

import { badKind } from '../core/check.ts';
import type { CsrMatrix } from '../sparse/csr.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Points } from './inputs.ts';
import { evaluateLayers, Mlp } from './mlp.ts';

export interface Body {
  /** Columns of the points. */
  readonly inputs: number;
  /** Columns of the features. */
  readonly outputs: number;
  /** One row for every point, new. */
  features(points: Points): Tensor | CsrMatrix;
}

/** The hidden layers of a network, as they are now and as they will be. */
export function hiddenLayers(mlp: Mlp): Body {
  if (!(mlp instanceof Mlp)) throw badKind('hiddenLayers', 'an Mlp', mlp);
  const layers = mlp.layers.slice(0, -1);
  const outputs = mlp.sizes[mlp.sizes.length - 2];
  return { inputs: mlp.inputs, outputs, features: (points) => evaluateLayers('Mlp.evaluate', layers, points) };
}
