/** Fits a network to points and their graph: by regression on eigenvectors, under the Ritz head, by SpecNet1 or SpecNet2. Loaded on demand. */

import { badValue } from '../core/check.ts';
import type { Random } from '../core/random.ts';
import { subtask, type WaitingTask } from '../core/task.ts';
import type { Graph } from '../graph/graph.ts';
import { kernels } from '../kernels/table.ts';
import { allLayers, hiddenLayers } from '../network/bodies/body.ts';
import { Mlp } from '../network/bodies/mlp.ts';
import { checkMemory, type Network } from '../network/bodies/network.ts';
import { type Points, toKernelFormat } from '../network/layers/inputs.ts';
import { trainingTargetsSteps } from '../spectral/regression/targets.ts';
import { type RitzHead, ritzHeadSteps } from '../spectral/ritz/ritz-head.ts';
import type { TrainOptions } from '../spectral/train/options.ts';
import { trainOnTargetsSteps } from '../spectral/train/supervised.ts';
import { trainSteps } from '../spectral/train/train.ts';
import { zeros } from '../tensor/tensor.ts';
import { defaultMethod, type FittedModel, type ModelOptions } from './model-options.ts';
import { absorbScale, dividePoints, scaleOf } from './model/point-scale.ts';

export function* fitNetworkSteps(
  caller: string,
  graph: Graph,
  points: Points,
  options: ModelOptions,
  random: Random,
): WaitingTask<FittedModel> {
  const { method = defaultMethod, components = 2 } = options;
  const hidden = options.hidden ?? [128];
  if (method === 'ritz') checkFeatures(caller, points.cols, hidden, components);
  const training = { ...options.training, method, seed: random.fork('training').seed } as const;
  const guards = usesCorrected(training) ? guardsOf(graph, hidden.at(-1) ?? points.cols, components) : 0;
  const sizes = [points.cols, ...hidden, components + guards];
  checkMemory(caller, sizes);
  const network = new Mlp(sizes, {
    ...(options.activation && { activation: options.activation }),
    seed: random.fork('network').seed,
  });
  // Points are rescaled to order one, since a step of Adam changes activations by the rate times the points.
  const scale = scaleOf(points);
  const input = toKernelFormat(dividePoints(points, scale));
  const ritz = { components, seed: random.fork('ritz').seed };
  if (method === 'ritz') {
    if (options.training) yield* subtask(trainSteps(graph, network, input, training), 0, 0.8);
    const head = yield* subtask(
      ritzHeadSteps(caller, graph, hiddenLayers(network), input, ritz),
      options.training ? 0.8 : 0,
      1,
    );
    replaceHead(network, head);
    absorbScale(network, scale);
    const { eigenvalues, converged } = head;
    return { model: { kind: 'network', network, eigenvalues }, converged, truth: null, landmarks: null };
  }
  let truth: Float64Array | null = null;
  if (method === 'regression') {
    const { rows, values } = yield* subtask(trainingTargetsSteps(caller, graph, components), 0, 0.1);
    yield* subtask(trainOnTargetsSteps({ graph, network, points: input, options: training }, rows), 0.1, 0.95);
    truth = values;
  } else {
    yield* subtask(trainSteps(graph, network, input, { ...specnetDefaults(training), ...training }), 0, 0.95);
  }
  const head = yield* subtask(ritzHeadSteps(caller, graph, allLayers(network), input, ritz), 0.95, 1);
  const composed = composeHead(network, head);
  absorbScale(composed, scale);
  const { eigenvalues, converged } = head;
  return { model: { kind: 'network', network: composed, eigenvalues }, converged, truth, landmarks: null };
}

/** Where the defaults of an estimator differ from those of the paper: outputs of order one, and moments that are not out of date. */
export function specnetDefaults(training: TrainOptions): TrainOptions {
  return { scale: 'calibrated', ...(usesCorrected(training) && { moments: 'corrected' }) };
}

/** Whether these options of an estimator train with corrected moments. */
export function usesCorrected({ method, scheme = 'neighbor', order, moments = 'corrected' }: TrainOptions): boolean {
  return method === 'specnet2' && scheme === 'neighbor' && order !== 'cyclic' && moments === 'corrected';
}

/**
 * Guard columns, as in subspace iteration: a training has more columns than wanted, and Rayleigh-Ritz keeps the first. f2 of the
 * wanted columns alone hardly changes if the last eigenvector is exchanged for the next one, whose eigenvalue may be as large.
 */
export function guardsOf({ size }: Pick<Graph, 'size'>, features: number, components: number): number {
  const most = Math.min(size - 1, features) - components;
  return Math.max(0, Math.min(Math.ceil(components / 2), most));
}

/** A matrix of all pairs of this many features takes 2 GiB. */
const mostFeatures = 16_384;

/** The Ritz head has at most as many coordinates as features: units of the last hidden layer, else columns of the points. */
function checkFeatures(caller: string, columns: number, hidden: readonly number[], components: number): void {
  const features = hidden.at(-1) ?? columns;
  if (features > mostFeatures) {
    const size = `${((features ** 2 * 8) / 2 ** 30).toPrecision(3)} GiB`;
    const rule = `at most ${mostFeatures} units in the last hidden layer for method 'ritz'`;
    throw badValue(caller, rule, features, `Each of its matrices of all pairs of units would take ${size}.`);
  }
  if (components <= features) return;
  const source =
    hidden.length > 0 ? 'the last hidden layer has units' : 'the points have columns without hidden layers';
  const remedy = hidden.length > 0 ? 'Give that layer more units.' : 'Pass hidden, for example [128].';
  throw badValue(caller, `at most ${features} components for method 'ritz', as many as ${source}`, components, remedy);
}

function replaceHead(network: Network, { weights, bias }: RitzHead): void {
  const last = network.layers[network.layers.length - 1];
  last.weights.data.set(weights.data);
  last.bias.data.set(bias.data);
}

/** A network whose last layer is that of the given one, followed by the head: two linear layers make one. */
export function composeHead(network: Mlp, { weights, bias }: Pick<RitzHead, 'weights' | 'bias'>): Mlp {
  const last = network.layers[network.layers.length - 1];
  const { rows, cols } = last.weights;
  const outputs = weights.cols;
  const composed = new Mlp([...network.sizes.slice(0, -1), outputs], { activation: network.activation });
  for (const [i, { data }] of composed.parameters.slice(0, -2).entries()) data.set(network.parameters[i].data);
  const head = composed.layers[composed.layers.length - 1];
  kernels.matmul(rows, outputs, cols, last.weights.data, weights.data, head.weights.data, false);
  const shift = zeros([1, outputs]);
  kernels.matmul(1, outputs, cols, last.bias.data, weights.data, shift.data, false);
  kernels.add(outputs, shift.data, bias.data, head.bias.data);
  return composed;
}
