/** How does a model learn the coordinates of points? By the Ritz head on features that need no training, or by SpecNet1 or SpecNet2. */

import { badKind, badValue, checkChoice, checkCount, checkOptions } from '../core/check.ts';
import { part, type Work } from '../core/pace.ts';
import { Random, type Seed } from '../core/random.ts';
import type { Graph } from '../graph/graph.ts';
import { kernels } from '../kernels/table.ts';
import { allLayers, hiddenLayers } from '../network/body.ts';
import { bestForm, type Points } from '../network/inputs.ts';
import { chooseLandmarks } from '../network/landmarks.ts';
import { Mlp, type MlpOptions } from '../network/mlp.ts';
import { findHead, type RitzHead } from '../spectral/ritz-head.ts';
import { training, type TrainOptions } from '../spectral/train.ts';
import { zeros } from '../tensor/tensor.ts';
import type { LandmarkModel, NetworkModel } from './model.ts';

export interface ModelOptions {
  /** How many coordinates; 2 unless said. */
  readonly components?: number;
  /**
   * 'ritz' (unless said): the best linear layer on landmark features, or on those of an untrained network where `hidden`
   * is given. 'specnet1' and 'specnet2' train a network as in the paper.
   */
  readonly method?: (typeof methods)[number];
  /** How many points describe all others; a quarter of them, at least 256 and at most 2,048, unless said. */
  readonly landmarks?: number;
  /** Units of the hidden layers of a network; [128] unless said. [] for none: a linear function of the point. */
  readonly hidden?: readonly number[];
  readonly activation?: MlpOptions['activation'];
  /** How a network is trained; its `scale` is 'calibrated' unless said. */
  readonly training?: Omit<TrainOptions, 'method' | 'seed' | 'progress' | 'signal'>;
  readonly seed?: Seed;
}

export interface FittedModel {
  /** But for the centre of the points. */
  readonly model: Uncentered;
  /** Whether the small eigenproblem at the end was solved to its tolerance. */
  readonly converged: boolean;
}

type Uncentered = Omit<LandmarkModel, 'center'> | Omit<NetworkModel, 'center'>;

export const methods = ['ritz', 'specnet1', 'specnet2'] as const;

const landmarkRange = { share: 1 / 4, least: 256, most: 2048 };

export function checkModelOptions(caller: string, options: ModelOptions): void {
  checkOptions(caller, options);
  checkCount(caller, 'components', options.components ?? 2, 1);
  checkChoice(caller, 'method', options.method ?? 'ritz', methods);
  if (options.landmarks !== undefined) checkCount(caller, 'landmarks', options.landmarks, 2);
  if (options.hidden !== undefined && !Array.isArray(options.hidden)) {
    throw badKind(caller, 'hidden to be an array, the units of each layer', options.hidden);
  }
  for (const units of options.hidden ?? []) checkCount(caller, 'units of a hidden layer', units, 1);
}

export function* fitModel(caller: string, graph: Graph, points: Points, options: ModelOptions): Work<FittedModel> {
  const { method = 'ritz', components = 2 } = options;
  const random = new Random(options.seed ?? 0);
  if (components > graph.size - 1) {
    throw badValue(caller, `at most ${graph.size - 1} components, one less than points`, components);
  }
  if (method === 'ritz' && !options.hidden) return yield* onLandmarks(caller, graph, points, options, random);
  const hidden = options.hidden ?? [128];
  const network = new Mlp([points.cols, ...hidden, components], {
    ...(options.activation && { activation: options.activation }),
    seed: random.fork('network').seed,
  });
  const input = bestForm(points);
  const ritz = { components, seed: random.fork('ritz').seed };
  if (method === 'ritz') {
    const head = yield* findHead(caller, graph, hiddenLayers(network), input, ritz);
    replaceHead(network, head);
    return { model: { kind: 'network', network, eigenvalues: head.eigenvalues }, converged: head.converged };
  }
  const settings = { scale: 'calibrated', ...options.training, method, seed: random.fork('training').seed } as const;
  yield* part(training(graph, network, input, settings), 0, 0.95);
  const head = yield* part(findHead(caller, graph, allLayers(network), input, ritz), 0.95, 1);
  turnOutputs(network, head);
  return { model: { kind: 'network', network, eigenvalues: head.eigenvalues }, converged: head.converged };
}

function* onLandmarks(
  caller: string,
  graph: Graph,
  points: Points,
  { components = 2, landmarks: wanted }: ModelOptions,
  random: Random,
): Work<FittedModel> {
  const count = Math.min(wanted ?? usualLandmarks(points.rows), points.rows);
  if (components >= count) {
    throw badValue(caller, `components below ${count}, the number of landmarks`, components, 'Ask for more landmarks.');
  }
  const landmarks = chooseLandmarks(points, { count, seed: random.fork('landmarks').seed });
  const ritz = { components, seed: random.fork('ritz').seed };
  const { weights, bias, eigenvalues, converged } = yield* findHead(caller, graph, landmarks, points, ritz);
  return { model: { kind: 'landmarks', landmarks, head: { weights, bias }, eigenvalues }, converged };
}

/** As many as `fit` takes where nobody says. */
export function usualLandmarks(points: number): number {
  const { share, least, most } = landmarkRange;
  return Math.max(least, Math.min(most, Math.round(points * share)));
}

function replaceHead(network: Mlp, { weights, bias }: RitzHead): void {
  const last = network.layers[network.layers.length - 1];
  last.weights.data.set(weights.data);
  last.bias.data.set(bias.data);
}

/** The outputs times the head's weights, plus its bias: one linear layer after another is one. */
export function turnOutputs(network: Mlp, { weights, bias }: RitzHead): void {
  const last = network.layers[network.layers.length - 1];
  const { rows, cols } = last.weights;
  const product = zeros([rows, cols]);
  kernels.matmul(rows, cols, cols, last.weights.data, weights.data, product.data, false);
  const shift = zeros([1, cols]);
  kernels.matmul(1, cols, cols, last.bias.data, weights.data, shift.data, false);
  last.weights.data.set(product.data);
  kernels.add(cols, shift.data, bias.data, last.bias.data);
}
