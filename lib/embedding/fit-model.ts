/** Fits a model of the coordinates of points: by regression on eigenvectors, the Ritz head, SpecNet1 or SpecNet2. */

import { badKind, badValue, checkCount } from '../core/check.ts';
import { checkOptions, type Rules } from '../core/options.ts';
import { subtask, type Task, type WaitingTask } from '../core/task.ts';
import { Random, type Seed } from '../core/random.ts';
import { checkTwoNodes, type Graph } from '../graph/graph.ts';
import { type MetricOptions, metricRules, normOptions, resolveMetric } from '../graph/neighbors/metric.ts';
import { kernels } from '../kernels/table.ts';
import { allLayers, hiddenLayers } from '../network/bodies/body.ts';
import { toKernelFormat, type Points } from '../network/layers/inputs.ts';
import { chooseLandmarks, type Landmarks } from '../network/bodies/landmarks.ts';
import { Mlp, type MlpOptions } from '../network/bodies/mlp.ts';
import { activations, checkMemory, type Network } from '../network/bodies/network.ts';
import type { CsrMatrix } from '../sparse/csr.ts';
import { eigenvectorTargetsSteps, trainingTargetsSteps } from '../spectral/regression/targets.ts';
import {
  chooseLandmarksSteps,
  type ChosenLandmarks,
  type LandmarkReport,
} from '../spectral/regression/choose-landmarks.ts';
import { ritzHeadSteps, type RitzHead } from '../spectral/ritz/ritz-head.ts';
import { regressionHeadSteps } from '../spectral/regression/regression-head.ts';
import { trainOnTargetsSteps } from '../spectral/train/supervised.ts';
import { trainSteps } from '../spectral/train/train.ts';
import { trainingRules, type TrainOptions } from '../spectral/train/options.ts';
import { zeros } from '../tensor/tensor.ts';
import type { LandmarkModel, NetworkModel } from './model/model.ts';
import {
  checkPreprocessing,
  type PreprocessingOptions,
  preprocessingRules,
} from './preprocessing/fit-preprocessing.ts';
import { absorbScale, dividePoints, scaleOf } from './model/point-scale.ts';

/** How coordinates are learned as a function of the point. */
export interface ModelOptions extends MetricOptions, PreprocessingOptions {
  /** The number of coordinates. Default: 2. */
  readonly components?: number;
  /**
   * 'regression' computes the eigenvectors of the graph and fits landmark features or, if `hidden` is given, a network to
   * them by least squares. 'ritz' computes the linear layer on landmark features, or on a network, that minimizes f2. The
   * network is untrained or, if `training` is given, its hidden layers train alternately with that layer. 'ritz' needs no
   * eigenvector of the graph. 'specnet1' and 'specnet2' train a network by the
   * methods of the paper. Default: 'regression'.
   */
  readonly method?: (typeof methods)[number];
  /**
   * The number of landmarks, the points by whose distances all points are described. 'auto' takes all points up to 4,096.
   * Of more points it doubles the number from 1,024 on until the error on held-out points is small or falls no further, within
   * a budget: at most 16,384 landmarks. For 'ritz' it takes half of the points, at most 2,048. `diagnostics.landmarks` tells
   * the number and the reason. Not for networks. Default: 'auto'.
   */
  readonly landmarks?: number | 'auto';
  /** The units of each hidden layer of a network. Default: [128]. [] makes the network a linear function of the point. */
  readonly hidden?: readonly number[];
  /** The activation of the hidden layers of a network. */
  readonly activation?: MlpOptions['activation'];
  /**
   * How a network is trained. The default of its `scale` is 'calibrated' for SpecNet1 and SpecNet2, and that of its `moments`
   * 'corrected' for SpecNet2 with the neighbor scheme, unless `order` is 'cyclic'.
   */
  readonly training?: Omit<TrainOptions, 'method' | 'seed' | 'progress' | 'signal'>;
  /** Default: 0. */
  readonly seed?: Seed;
}

export interface FittedModel extends FitFindings {
  /** The model without the center, the metric and the preprocessing of the points. */
  readonly model: Uncentered;
  /** The landmark features of the points, if the method computed them, for reuse. */
  readonly features?: CsrMatrix;
}

/** What a fit found besides the model. */
export interface FitFindings {
  /** Whether every solver reached its tolerance. */
  readonly converged: boolean;
  /** The leading nontrivial eigenvalues of the graph, if the method computes them; else null. */
  readonly truth: Float64Array | null;
  /** How many landmarks there are, and why; null for a network. */
  readonly landmarks: LandmarkReport | null;
}

type Uncentered = Omit<LandmarkModel, 'center' | 'metric'> | Omit<NetworkModel, 'center' | 'metric'>;

export const methods = ['regression', 'ritz', 'specnet1', 'specnet2'] as const;
export const defaultMethod = 'regression';

export const modelRules = {
  components: 'number',
  method: methods,
  landmarks: checkLandmarks,
  hidden: 'array',
  activation: activations,
  training: trainingRules,
  seed: 'seed',
  ...metricRules,
  ...preprocessingRules,
} as const satisfies Rules<ModelOptions>;

/**
 * The Ritz head solves an eigenproblem as large as there are landmarks. With more than half of the points as landmarks, it
 * fits the points but not those between them.
 */
const ritzLandmarks = { fraction: 1 / 2, least: 64, most: 2048, perComponent: 4 };

/** Refuses anything but the options of an estimator, given the rules for all of them. */
export function checkModelOptions<Options extends ModelOptions>(
  caller: string,
  options: Options,
  rules: Rules<Options>,
): void {
  checkOptions(caller, options, rules);
  checkCount(caller, 'components', options.components ?? 2, 1);
  for (const units of options.hidden ?? []) checkCount(caller, 'units of a hidden layer', units, 1);
  resolveMetric(caller, options);
  checkPreprocessing(caller, options);
  if (options.hidden) checkMemory(caller, [1, ...options.hidden, options.components ?? 2]);
  checkApplicable(caller, options);
}

function checkLandmarks(caller: string, name: string, landmarks: number | 'auto'): void {
  if (landmarks === 'auto') return;
  if (typeof landmarks !== 'number') throw badKind(caller, `${name} to be a number or 'auto'`, landmarks);
  checkCount(caller, name, landmarks, 2);
}

/** Throws if an option does not apply to the method. */
function checkApplicable(caller: string, options: ModelOptions): void {
  const { method = defaultMethod, hidden, landmarks } = options;
  if (usesLandmarks(options)) {
    const unused = (['training', 'activation'] as const).find((name) => options[name] !== undefined);
    const remedy = `Pass hidden, for example [128], or omit ${unused}.`;
    if (unused) throw badValue(caller, `${unused} together with hidden`, 'no hidden', remedy);
    return;
  }
  if (landmarks === undefined) return;
  if (hidden)
    throw badValue(caller, 'landmarks without hidden', landmarks, 'A network has no landmarks. Omit one of the two.');
  throw badValue(caller, "method 'regression' or 'ritz' with landmarks", `'${method}'`, 'Omit landmarks.');
}

function usesLandmarks({ method = defaultMethod, hidden }: ModelOptions): boolean {
  return (method === 'ritz' || method === 'regression') && !hidden;
}

export function* fitModelSteps(
  caller: string,
  graph: Graph,
  points: Points,
  options: ModelOptions,
): WaitingTask<FittedModel> {
  const { method = defaultMethod, components = 2 } = options;
  const random = new Random(options.seed ?? 0);
  checkTwoNodes(caller, graph);
  if (components > graph.size - 1) {
    throw badValue(caller, `at most ${graph.size - 1} components, one less than points`, components);
  }
  if (usesLandmarks(options)) return yield* fitLandmarksSteps(caller, graph, points, options, random);
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

function* fitLandmarksSteps(
  caller: string,
  graph: Graph,
  points: Points,
  { components = 2, landmarks: wanted = 'auto', method, ...options }: ModelOptions,
  random: Random,
): WaitingTask<FittedModel> {
  const given = wanted === 'auto' ? null : Math.min(wanted, points.rows);
  if (given !== null && components >= given) {
    throw badValue(caller, `components below ${given}, the number of landmarks`, components, 'Request more landmarks.');
  }
  const metric = normOptions(resolveMetric(caller, options));
  const drawing = { seed: random.fork('landmarks').seed, metric };
  const ritz = { components, seed: random.fork('ritz').seed };
  const modelOf = (landmarks: Landmarks, { weights, bias, eigenvalues }: RitzHead): Uncentered => ({
    kind: 'landmarks',
    landmarks,
    head: { weights, bias },
    eigenvalues,
  });
  const reportOf = ({ outputs }: Landmarks): LandmarkReport => ({
    count: outputs,
    reason: outputs === points.rows ? 'all' : given === null ? 'fraction' : 'given',
    stages: [],
  });
  if (method === 'ritz') {
    const count = given ?? defaultRitzLandmarks(points.rows, components);
    const landmarks = chooseLandmarks(points, { ...drawing, count });
    const head = yield* ritzHeadSteps(caller, graph, landmarks, points, ritz);
    return { model: modelOf(landmarks, head), converged: head.converged, truth: null, landmarks: reportOf(landmarks) };
  }
  const targets = yield* subtask(eigenvectorTargetsSteps(graph, components), 0, 0.2);
  const choice =
    given === null ? chooseLandmarksSteps(points, graph.degrees, targets.rows, drawing) : describeSteps(given);
  const { landmarks, features, report } = yield* subtask(choice, 0.2, 0.7);
  const head = yield* subtask(regressionHeadSteps(caller, graph, features, points, targets, ritz), 0.7, 1);
  const { converged, truth } = head;
  return { model: modelOf(landmarks, head), converged, truth, features, landmarks: report };

  function* describeSteps(count: number): Task<ChosenLandmarks> {
    const chosen = chooseLandmarks(points, { ...drawing, count });
    return { landmarks: chosen, features: yield* chosen.featuresSteps(points), report: reportOf(chosen) };
  }
}

/** The default number of landmarks of the Ritz head. */
export function defaultRitzLandmarks(points: number, components: number): number {
  const { fraction, least, most, perComponent } = ritzLandmarks;
  return Math.min(points, Math.max(least, perComponent * components, Math.min(most, Math.round(points * fraction))));
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
