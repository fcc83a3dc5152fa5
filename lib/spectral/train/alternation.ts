/** Where should a network go that has the best last layer already? A few steps of the random walk on from where its rows are. */

import { part, type Work } from '../../core/pace.ts';
import type { Graph } from '../../graph/graph.ts';
import { alignRotation } from '../../linalg/subspace.ts';
import { hiddenLayers } from '../../network/bodies/body.ts';
import type { Points } from '../../network/layers/inputs.ts';
import { evaluatingLayers, type Mlp } from '../../network/bodies/mlp.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { applyPencil, type Pencil, pencilOf } from '../pencil/pencil.ts';
import { leadingPairs, ritzPairs } from '../ritz/ritz.ts';
import { findHead } from '../ritz/ritz-head.ts';
import { columns } from '../spectrum/spectrum.ts';

/** Steps of the walk: of 20,000 images, rows a seventh off are a fiftieth off after them. */
const walkSteps = 30;
/** How much of a row stays where it is: negative eigenvalues, down to −1, must not become the largest, nor all of them 0. */
const stay = 1 / 3;
/** A little more than a head without training takes: its weights stay so small that hidden layers can move under it. */
const ridge = 1e-5;

/**
 * The last layer becomes the Ritz head of the hidden layers, the one with the smallest f2. What comes back, n×K with
 * Σ dᵢtᵢ² = Σ dᵢ, is what hidden layers are to come near: one step of a lazy walk, Y ← D⁻¹WY in part, is one along the gradient of f2
 * with the length for each row that its degree allows, and several of them with Rayleigh-Ritz are nearly the eigenvectors.
 * As many columns again walk along, which the eigenvectors after the last one would else be mixed with. Turned towards the
 * rows of the network, so that nothing but what is missing has to be learned.
 */
export function* findCourse(caller: string, graph: Graph, network: Mlp, points: Points): Work<Tensor> {
  const body = hiddenLayers(network);
  const { outputs: k } = network;
  const components = Math.min(2 * k, body.outputs, graph.size - 1);
  const head = yield* part(findHead(caller, graph, body, points, { components, least: k, ridge }), 0, 0.6);
  const last = network.layers[network.layers.length - 1];
  last.weights.data.set(columns(head.weights.copy('double'), 0, k).data);
  last.bias.data.set(head.bias.data.subarray(0, k));
  const { precision } = network;
  const [weights, bias] = [head.weights.copy(precision), head.bias.copy(precision)];
  const wide = { weights, bias, activation: 'identity' } as const;
  const layers = [...network.layers.slice(0, -1), wide];
  const rows = (yield* part(evaluatingLayers(caller, layers, points), 0.6, 0.8)).copy('double');
  const pencil = pencilOf(caller, graph, 'random-walk', true, network.precision);
  const walked = rows.copy();
  for (let step = 0; step < walkSteps; step++) {
    walk(pencil, walked);
    yield 0.8 + (0.2 * step) / walkSteps;
  }
  const { rows: units } = leadingPairs(ritzPairs(caller, pencil, walked), k);
  const { aligned } = alignRotation(units, columns(rows, 0, k));
  const scale = Math.sqrt(graph.volume);
  return new Tensor(
    aligned.data.map((value) => scale * value),
    aligned.shape,
  ).copy(network.precision);
}

/** Y ← stay·Y + (1 − stay)·D⁻¹(W − ηηᵀ)Y. */
function walk(pencil: Pencil, { rows, cols, data }: Tensor<Float64Array>): void {
  const product = new Float64Array(data.length);
  applyPencil(pencil, cols, data, product);
  for (let i = 0, at = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++, at++) data[at] = stay * data[at] + ((1 - stay) * product[at]) / pencil.mass[i];
  }
}
