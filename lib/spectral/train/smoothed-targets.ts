/** Targets for training under the Ritz head: the outputs of the network, smoothed by a random walk on the graph. */

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

/** The number of steps of the walk. On 20,000 images they reduce an error of 1/7 to 1/50. */
const walkSteps = 30;
/** The probability of not moving. It makes all eigenvalues of the walk at least −1/3, so that none below 0 dominates. */
const stay = 1 / 3;
/** Larger than the default of `ritzHead`, so that the weights stay small while the hidden layers change. */
const ridge = 1e-5;

/**
 * Sets the last layer to the Ritz head of the hidden layers, which minimizes f2 over all last layers. Returns the targets of
 * the hidden layers, n×K with Σ dᵢtᵢ² = Σ dᵢ. They are the outputs after several steps of a lazy random walk and
 * Rayleigh-Ritz, and so nearly the eigenvectors. The walk takes 2K columns, so that eigenvectors after the K-th do not mix
 * in. Finally the targets are rotated as near to the outputs as possible, so that the network learns the difference only.
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
