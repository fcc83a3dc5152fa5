/** How does a model learn the coordinates of points? By regression on eigenvectors, by the Ritz head, or by SpecNet1 or SpecNet2. */

import { badKind, badValue, checkChoice, checkCount, checkOptions } from '../core/check.ts';
import { subtask, type Task } from '../core/task.ts';
import { Random, type Seed } from '../core/random.ts';
import { checkTwoNodes, type Graph } from '../graph/graph.ts';
import { kernels } from '../kernels/table.ts';
import { allLayers, hiddenLayers } from '../network/bodies/body.ts';
import { toKernelFormat, type Points } from '../network/layers/inputs.ts';
import { chooseLandmarks } from '../network/bodies/landmarks.ts';
import { activations, Mlp, type MlpOptions } from '../network/bodies/mlp.ts';
import type { CsrMatrix } from '../sparse/csr.ts';
import { trainingTargetsSteps } from '../spectral/train/targets.ts';
import { ritzHeadSteps, type RitzHead } from '../spectral/ritz/ritz-head.ts';
import { regressionHeadSteps } from '../spectral/train/regression-head.ts';
import { trainOnTargetsSteps } from '../spectral/train/supervised.ts';
import { trainSteps } from '../spectral/train/train.ts';
import type { TrainOptions } from '../spectral/train/options.ts';
import { zeros } from '../tensor/tensor.ts';
import type { LandmarkModel, NetworkModel } from './model/model.ts';
import { inUnits, takeUnit, unitOf } from './model/point-unit.ts';

export interface ModelOptions {
  /** How many coordinates; 2 unless said. */
  readonly components?: number;
  /**
   * 'regression' (unless said): the eigenvectors of the graph are found, and landmark features or, where `hidden` is given,
   * a network come near to them by least squares. 'ritz': the linear layer on landmark features, or on a network, that is
   * best for f2; the network is untrained, or where `training` is given its hidden layers learn in turns with that layer,
   * without any eigenvector of the graph. 'specnet1' and 'specnet2' train a network as in the paper.
   */
  readonly method?: (typeof methods)[number];
  /**
   * How many points describe all others; a quarter of them, at least 256 and at most 4,096, or 2,048 for 'ritz', and four
   * for each component in any case, unless said. Not for networks.
   */
  readonly landmarks?: number;
  /** Units of the hidden layers of a network; [128] unless said. [] for none: a linear function of the point. */
  readonly hidden?: readonly number[];
  /** Of a network, as `training` is. */
  readonly activation?: MlpOptions['activation'];
  /** How a network is trained; for SpecNet1 and SpecNet2 its `scale` is 'calibrated' unless said. */
  readonly training?: Omit<TrainOptions, 'method' | 'seed' | 'progress' | 'signal'>;
  readonly seed?: Seed;
}

export interface FittedModel {
  /** But for the centre of the points. */
  readonly model: Uncentered;
  /** Whether all that was to be solved was, to its tolerance. */
  readonly converged: boolean;
  /** The leading nontrivial eigenvalues of the graph, where they had to be found. */
  readonly truth: Float64Array | null;
  /** The features of the points where they are at hand, so that nobody has to find them again. */
  readonly features?: CsrMatrix;
}

type Uncentered = Omit<LandmarkModel, 'center'> | Omit<NetworkModel, 'center'>;

export const methods = ['regression', 'ritz', 'specnet1', 'specnet2'] as const;
export const usualMethod = 'regression';

/** The Ritz head solves an eigenproblem as large as there are landmarks. */
const landmarkRange = { share: 1 / 4, least: 256, most: { regression: 4096, ritz: 2048 }, perComponent: 4 };

export function checkModelOptions(caller: string, options: ModelOptions): void {
  checkOptions(caller, options);
  checkCount(caller, 'components', options.components ?? 2, 1);
  checkChoice(caller, 'method', options.method ?? usualMethod, methods);
  if (options.landmarks !== undefined) checkCount(caller, 'landmarks', options.landmarks, 2);
  if (options.hidden !== undefined && !Array.isArray(options.hidden)) {
    throw badKind(caller, 'hidden to be an array, the units of each layer', options.hidden);
  }
  for (const units of options.hidden ?? []) checkCount(caller, 'units of a hidden layer', units, 1);
  if (options.activation !== undefined) checkChoice(caller, 'activation', options.activation, activations);
  if (options.training !== undefined) checkOptions(caller, options.training, 'training to be an object of options');
  checkBelonging(caller, options);
}

/** An option that the method does not know is refused, not ignored. */
function checkBelonging(caller: string, options: ModelOptions): void {
  const { method = usualMethod, hidden, landmarks } = options;
  if (standsOnLandmarks(options)) {
    const idle = (['training', 'activation'] as const).find((name) => options[name] !== undefined);
    if (idle) throw badValue(caller, `${idle} with hidden, the units of a network`, 'landmarks');
    return;
  }
  if (landmarks === undefined) return;
  if (hidden) throw badValue(caller, 'landmarks without hidden', landmarks, 'A network has units in their place.');
  throw badValue(caller, "landmarks with method 'regression' or 'ritz'", `'${method}'`);
}

function standsOnLandmarks({ method = usualMethod, hidden }: ModelOptions): boolean {
  return (method === 'ritz' || method === 'regression') && !hidden;
}

export function* fitModel(caller: string, graph: Graph, points: Points, options: ModelOptions): Task<FittedModel> {
  const { method = usualMethod, components = 2 } = options;
  const random = new Random(options.seed ?? 0);
  checkTwoNodes(caller, graph);
  if (components > graph.size - 1) {
    throw badValue(caller, `at most ${graph.size - 1} components, one less than points`, components);
  }
  if (standsOnLandmarks(options)) return yield* onLandmarks(caller, graph, points, options, random);
  const hidden = options.hidden ?? [128];
  if (method === 'ritz') checkFeatures(caller, points.cols, hidden, components);
  const network = new Mlp([points.cols, ...hidden, components], {
    ...(options.activation && { activation: options.activation }),
    seed: random.fork('network').seed,
  });
  // As large as one or so, whatever the unit of the points: a step of Adam moves units by the rate times the points.
  const unit = unitOf(points);
  const input = toKernelFormat(inUnits(points, unit));
  const ritz = { components, seed: random.fork('ritz').seed };
  const training = { ...options.training, method, seed: random.fork('training').seed } as const;
  if (method === 'ritz') {
    if (options.training) yield* subtask(trainSteps(graph, network, input, training), 0, 0.8);
    const head = yield* subtask(
      ritzHeadSteps(caller, graph, hiddenLayers(network), input, ritz),
      options.training ? 0.8 : 0,
      1,
    );
    replaceHead(network, head);
    takeUnit(network, unit);
    const { eigenvalues, converged } = head;
    return { model: { kind: 'network', network, eigenvalues }, converged, truth: null };
  }
  let truth: Float64Array | null = null;
  if (method === 'regression') {
    const { rows, values } = yield* subtask(trainingTargetsSteps(caller, graph, components), 0, 0.1);
    yield* subtask(trainOnTargetsSteps(graph, network, input, training, rows), 0.1, 0.95);
    truth = values;
  } else {
    yield* subtask(trainSteps(graph, network, input, { scale: 'calibrated', ...training }), 0, 0.95);
  }
  const head = yield* subtask(ritzHeadSteps(caller, graph, allLayers(network), input, ritz), 0.95, 1);
  turnOutputs(network, head);
  takeUnit(network, unit);
  const { eigenvalues, converged } = head;
  return { model: { kind: 'network', network, eigenvalues }, converged, truth };
}

/** The Ritz head has no more coordinates than there are features: units of the last hidden layer, else columns of the points. */
function checkFeatures(caller: string, columns: number, hidden: readonly number[], components: number): void {
  const features = hidden.at(-1) ?? columns;
  if (components <= features) return;
  const source =
    hidden.length > 0 ? 'the last hidden layer has units' : 'the points have columns without hidden layers';
  const remedy = hidden.length > 0 ? 'Give that layer more.' : 'Pass hidden: [128], or as many units as you like.';
  throw badValue(caller, `at most ${features} components for method 'ritz', as many as ${source}`, components, remedy);
}

function* onLandmarks(
  caller: string,
  graph: Graph,
  points: Points,
  { components = 2, landmarks: wanted, method }: ModelOptions,
  random: Random,
): Task<FittedModel> {
  const usual = usualLandmarks(points.rows, components, method === 'ritz' ? method : 'regression');
  const count = Math.min(wanted ?? usual, points.rows);
  if (components >= count) {
    throw badValue(caller, `components below ${count}, the number of landmarks`, components, 'Ask for more landmarks.');
  }
  const landmarks = chooseLandmarks(points, { count, seed: random.fork('landmarks').seed });
  const ritz = { components, seed: random.fork('ritz').seed };
  const modelOf = ({ weights, bias, eigenvalues }: RitzHead): Uncentered => ({
    kind: 'landmarks',
    landmarks,
    head: { weights, bias },
    eigenvalues,
  });
  if (method === 'ritz') {
    const head = yield* ritzHeadSteps(caller, graph, landmarks, points, ritz);
    return { model: modelOf(head), converged: head.converged, truth: null };
  }
  const features = yield* subtask(landmarks.featuresSteps(points), 0, 0.5);
  const head = yield* subtask(regressionHeadSteps(caller, graph, features, points, ritz), 0.5, 1);
  return { model: modelOf(head), converged: head.converged, truth: head.truth, features };
}

/** As many as `fit` takes where nobody says. */
export function usualLandmarks(points: number, components: number, method: 'ritz' | 'regression'): number {
  const { share, least, most, perComponent } = landmarkRange;
  return Math.max(least, perComponent * components, Math.min(most[method], Math.round(points * share)));
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
