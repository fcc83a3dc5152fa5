/** Targets for hidden layers under the best last layer: the outputs, smoothed by a few steps of the random walk. */

import { subtask, type Task } from '../../core/task.ts';
import type { Graph } from '../../graph/graph.ts';
import { alignRotation } from '../../linalg/subspace.ts';
import { hiddenLayers } from '../../network/bodies/body.ts';
import type { Points } from '../../network/layers/inputs.ts';
import { evaluateLayersSteps, type Network } from '../../network/bodies/network.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { applyPencil, type Pencil, pencilOf } from '../pencil/pencil.ts';
import { leadingPairs, ritzPairs } from '../ritz/ritz.ts';
import { ritzHeadSteps } from '../ritz/ritz-head.ts';
import { columns } from '../spectrum/spectrum.ts';

/** Steps of the walk: for 20,000 images they reduce an error of a seventh to a fiftieth. */
const walkSteps = 30;
/** How much of a row stays where it is, so that negative eigenvalues, down to −1, do not become the largest. */
const stay = 1 / 3;
/** A little more than a head without training takes, so that its weights stay small while hidden layers move under it. */
const ridge = 1e-5;

/**
 * Sets the last layer to the Ritz head of the hidden layers, the one with the smallest f2. Returns what the hidden layers
 * are to learn, n×K with Σ dᵢtᵢ² = Σ dᵢ. One step of a lazy walk, Y ← D⁻¹WY in part, is a step along the gradient of f2
 * with the length that each row's degree allows; several of them with Rayleigh-Ritz give nearly the eigenvectors. As many
 * columns again take part, which keeps eigenvectors after the last one apart. The result is rotated towards the outputs of
 * the network, so that only the difference has to be learned.
 */
export function* smoothedTargetsSteps(caller: string, graph: Graph, network: Network, points: Points): Task<Tensor> {
  const body = hiddenLayers(network);
  const { outputs: k } = network;
  const components = Math.min(2 * k, body.outputs, graph.size - 1);
  const head = yield* subtask(ritzHeadSteps(caller, graph, body, points, { components, least: k, ridge }), 0, 0.6);
  const last = network.layers[network.layers.length - 1];
  last.weights.data.set(columns(head.weights.copy('double'), 0, k).data);
  last.bias.data.set(head.bias.data.subarray(0, k));
  const { precision } = network;
  const [weights, bias] = [head.weights.copy(precision), head.bias.copy(precision)];
  const wide = { weights, bias, activation: 'identity' } as const;
  const layers = [...network.layers.slice(0, -1), wide];
  const rows = (yield* subtask(evaluateLayersSteps(caller, layers, points), 0.6, 0.8)).copy('double');
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
