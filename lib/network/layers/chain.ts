/** `LayerChain`: the layers of a network on its training points. `forward` computes outputs, `backward` gradients. */

import { badValue } from '../../core/check.ts';
import { kernels } from '../../kernels/table.ts';
import { type CsrView, CsrMatrix } from '../../sparse/csr.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Workspace } from '../../tensor/workspace.ts';
import type { Gradient, PendingGradients } from '../optimizer/gradient.ts';
import { DenseLayer } from './dense-layer.ts';
import { checkPrecision, type Points, takerOf } from './inputs.ts';
import type { ChainInput, Layer, DifferentiableLayer } from './layer.ts';
import { SparseLayer } from './sparse-layer.ts';

/** In each step call `forward`, then `backward` for some of its rows. */
export class LayerChain {
  readonly workspace = new Workspace();
  readonly #input: ChainInput;
  readonly #layers: readonly DifferentiableLayer[];
  #rows: Int32Array | null = null;
  /** The input and the values of each layer in the last forward pass. */
  readonly #values: Tensor[] = [];

  constructor(input: ChainInput, layers: readonly DifferentiableLayer[]) {
    this.#input = input;
    this.#layers = layers;
  }

  /** The outputs for these rows of the points, or all rows for null. Valid until the next call. */
  forward(rows: Int32Array | null): Tensor {
    const { workspace } = this;
    workspace.reset();
    this.#rows = rows;
    this.#values.length = 0;
    let x = this.#input.forward(rows, workspace);
    this.#values.push(x);
    for (const layer of this.#layers) this.#values.push((x = layer.forward(x, workspace)));
    return x;
  }

  /**
   * The gradients of the weights and biases of all layers. `delta` is the gradient with respect to the outputs at these places
   * of the forward pass, or at all places for null. `compute` of the result must run before the next call of this chain.
   */
  backward(places: Int32Array | null, delta: Tensor): PendingGradients {
    const transposed = this.#input.transposed(this.#rowsAt(places));
    return {
      // The weights of a first layer on sparse points are parameter 0.
      starts: transposed ? [transposed.starts] : [],
      compute: () => this.#gradients(places, delta, transposed),
    };
  }

  #gradients(places: Int32Array | null, delta: Tensor, transposed: CsrView | null): readonly Gradient[] {
    const input = this.#input;
    const gradients: Gradient[] = [];
    let value = this.#at(this.#layers.length, places);
    let isPulled = false;
    for (let l = this.#layers.length - 1; l >= 0; l--) {
      const rows = { x: this.#at(l, places), value, delta, isPulled, isPicked: places !== null };
      const {
        weights,
        bias,
        x,
        isPulled: isNextPulled,
      } = this.#layers[l].backward(rows, l > 0 || input.learns, this.workspace);
      gradients.unshift(weights, bias);
      isPulled = isNextPulled;
      value = rows.x;
      if (x) delta = x;
    }
    // If `isPulled`, delta has the slope of the first layer's ReLU already. That layer applies it again: twice is the same as once.
    return input.learns ? [...input.backward(transposed, value, delta, this.workspace), ...gradients] : gradients;
  }

  /** Some rows of the input (0) or of the values of a layer. */
  #at(index: number, places: Int32Array | null): Tensor {
    const all = this.#values[index];
    if (!places) return all;
    const some = this.workspace.take([places.length, all.cols], all.precision);
    kernels.gatherRows(places.length, all.cols, places, all.data, some.data);
    return some;
  }

  /** The rows of the points at these places. */
  #rowsAt(places: Int32Array | null): Int32Array | null {
    if (!places || !this.#rows) return places ?? this.#rows;
    const list = this.workspace.keep(places);
    for (let i = 0; i < list.length; i++) list[i] = this.#rows[list[i]];
    return list;
  }
}

/** The layers of a network as a chain on these points. It shares the parameters of the layers. */
export function chainOf(caller: string, layers: readonly Layer[], points: Points): LayerChain {
  return new LayerChain(...differentiableLayers(caller, layers, points));
}

/** `chainOf`, whose last layer has no gradients: an optimizer leaves it alone. */
export function chainWithFixedHead(caller: string, layers: readonly Layer[], points: Points): LayerChain {
  const [input, all] = differentiableLayers(caller, layers, points);
  return new LayerChain(input, [...all.slice(0, -1), fixed(all[all.length - 1])]);
}

/** A layer that passes gradients on and has none of its own. */
function fixed(inner: DifferentiableLayer): DifferentiableLayer {
  return {
    layer: inner.layer,
    forward: (x, workspace) => inner.forward(x, workspace),
    backward: (...operands) => ({ ...inner.backward(...operands), weights: null, bias: null }),
  };
}

/** The input and the dense layers of such a chain. */
export function differentiableLayers(
  caller: string,
  layers: readonly Layer[],
  points: Points,
): [ChainInput, readonly DifferentiableLayer[]] {
  const { weights } = layers[0];
  if (points.cols !== weights.rows)
    throw badValue(caller, `points of ${weights.rows} columns, as the network takes`, points.cols);
  checkPrecision(caller, weights, points);
  const denseFrom = (first: number): DenseLayer[] =>
    layers.slice(first).map((layer, l) => new DenseLayer(layer, layers[first + l - 1]?.activation === 'relu'));
  return [inputOf(layers[0], points), denseFrom(points instanceof CsrMatrix ? 1 : 0)];
}

/** The input of a chain whose first layer is `layer`. */
export function inputOf(layer: Layer, points: Points): ChainInput {
  return points instanceof CsrMatrix
    ? new SparseLayer(layer, points)
    : { learns: false, forward: takerOf(points), transposed: () => null, backward: () => [] };
}
