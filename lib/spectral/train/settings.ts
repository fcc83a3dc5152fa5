/** How is a network to be trained? Options with their defaults, checked, and the state that a training goes on from. */

import { badKind, badValue, checkChoice, checkCount, checkOptions } from '../../core/check.ts';
import type { Watch } from '../../core/pace.ts';
import type { RandomState, Seed } from '../../core/random.ts';
import { checkGraph, checkTwoNodes, type Graph, markOf } from '../../graph/graph.ts';
import { checkInputs, type Points } from '../../network/layers/inputs.ts';
import { Mlp } from '../../network/bodies/mlp.ts';
import type { OptimizerOptions, OptimizerState } from '../../network/optimizer/optimizer.ts';
import { checkRate, type Rate } from '../../network/optimizer/schedule.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { sameShape } from '../../tensor/workspace.ts';
import { type BatchOrder, batchOrders } from '../descent/batches.ts';
import type { Moments } from '../descent/moments.ts';
import { given } from '../solve/settings.ts';
import { type Method, methods } from '../descent/objective.ts';
import { type PencilKind, pencilKinds } from '../pencil/pencil.ts';
import { type Scheme, schemes } from '../descent/view.ts';

const caller = 'train';

/** How a network is trained, and for how long. */
export interface TrainOptions extends Watch {
  /**
   * 'specnet2' unless said. 'regression' finds the eigenvectors by Lanczos and then teaches them to the network. 'ritz'
   * needs none: it solves the last layer (`ritzHead`), lets its rows walk on the graph, and teaches where they come to the
   * hidden layers, again and again. Batches of both need no neighbours: `scheme`, `scale`, `pencil`, `deflate` and
   * `through` are not for them.
   */
  readonly method?: TrainMethod;
  /** 'neighbor' unless said. */
  readonly scheme?: Scheme;
  /** Of 'ritz': epochs from one head to the next; 2 unless said. */
  readonly refresh?: number;
  /**
   * Rows in a batch, unless said: 4, as for the moons of the paper, and beyond their 2,000 points so many that an epoch has
   * 500 steps, as theirs has: moments are then no older, and noise does not wear out the units. 64 for regression and
   * 'ritz'. All where there are fewer.
   */
  readonly batch?: number;
  readonly order?: BatchOrder;
  /** Up to and including this epoch, also where `from` has some of them behind it: 100 unless said; 20 for regression and 'ritz', or as many as make 6,000 steps. */
  readonly epochs?: number;
  /** 1e-3 for SpecNet2, 1e-4 for SpecNet1, and for regression from 3e-3, for 'ritz' from 1e-3, down to 1e-5 over all epochs, unless said. */
  readonly rate?: Rate;
  /** Adam unless said. */
  readonly optimizer?: OptimizerOptions;
  /** Multiply gradients of rows by n/dᵢ, so that rows of every degree weigh alike; false unless said. */
  readonly weighted?: boolean;
  /** SpecNet1: differentiate through the orthogonalisation; true for local and full unless said. It cannot be had for neighbor. */
  readonly through?: boolean;
  /**
   * 'calibrated' multiplies W by n²/volume, so that what the network has to reach is of size one; eigenvectors are the
   * same. 'plain', as in the paper, unless said.
   */
  readonly scale?: 'plain' | 'calibrated';
  readonly pencil?: PencilKind;
  /** Take the trivial eigenpair out by W − ηηᵀ: true unless said. */
  readonly deflate?: boolean;
  readonly seed?: Seed;
  /** What an earlier training of this network ended with: goes on with the same bits as without the pause. */
  readonly from?: TrainingState;
  /** Told after each epoch; the network is as it is then. */
  readonly onEpoch?: (state: EpochState) => void;
}

/** Where a training is after an epoch. */
export interface EpochState {
  readonly epoch: number;
  readonly steps: number;
  /** Leading work so far, in flops: products with W, moments; the network's own comes on top. */
  readonly flops: number;
  /** All that is needed to go on from here, copied. */
  state(): TrainingState;
}

/** A value: nothing writes to it. */
export interface TrainingState {
  readonly epoch: number;
  /** How it was trained: who goes on in another way does not get the bits of this one. */
  readonly method: TrainMethod;
  /** Null for regression and 'ritz'. */
  readonly scheme: Scheme | null;
  /** `markOf` the graph. */
  readonly graph: number;
  readonly parameters: readonly Tensor[];
  readonly optimizer: OptimizerState;
  readonly random: RandomState;
  /** Of the neighbor scheme: the record of moments and the rows it was made of. Of 'ritz': the rows that are taught. */
  readonly moments: Moments | null;
  readonly rows: Tensor | null;
  /** `EpochState.flops` until here. */
  readonly flops?: number;
}

/** How a network can be trained. */
export const trainMethods = [...methods, 'ritz', 'regression'] as const;

/** SpecNet1, SpecNet2, the Ritz head in turns with the hidden layers, or regression on eigenvectors that Lanczos has found. */
export type TrainMethod = (typeof trainMethods)[number];
/** Those whose batches have targets. */
export type Taught = Exclude<TrainMethod, Method>;

const defaults = {
  method: 'specnet2',
  scheme: 'neighbor',
  order: 'shuffled',
  epochs: 100,
  optimizer: { kind: 'adam' },
  weighted: false,
  scale: 'plain',
  pencil: 'random-walk',
  deflate: true,
  refresh: 2,
  seed: 0,
} as const;
const usualRates: Record<Method, number> = { specnet1: 1e-4, specnet2: 1e-3 };
/** Of SpecNet1 and SpecNet2. */
const batchDefaults = { least: 4, stepsOfEpoch: 500 } as const;
/** Of regression: at least so many epochs, and as many as it takes for so many steps. */
const regressionDefaults = { batch: 64, epochs: 20, steps: 6000 } as const;
const fallingRates = { regression: { from: 3e-3, to: 1e-5 }, ritz: { from: 1e-3, to: 1e-5 } } as const;
const notForTaught = ['scheme', 'scale', 'pencil', 'deflate', 'through'] as const;

export type Settings = Required<Omit<TrainOptions, 'progress' | 'signal' | 'from' | 'onEpoch'>>;

export function settleTraining(graph: Graph, network: Mlp, points: Points, options: TrainOptions): Settings {
  checkGraph(caller, graph);
  if (!(network instanceof Mlp)) throw badKind(caller, 'an Mlp', network);
  checkInputs(caller, points, network.inputs);
  if (points.rows !== graph.size) throw badValue(caller, `${graph.size} points, one for each node`, points.rows);
  const { method = defaults.method } = options;
  const isTaught = isTaughtBy(method);
  const usual = isTaught ? taughtDefaults(graph.size, options) : { batch: usualBatch(graph.size) };
  const all = { ...defaults, ...usual, ...given(options) };
  checkChoice(caller, 'method', all.method, trainMethods);
  const foreign = [...(isTaught ? notForTaught : []), ...(method === 'ritz' ? [] : (['refresh'] as const))];
  const stray = foreign.find((name) => options[name] !== undefined);
  if (stray) throw badValue(caller, `no ${stray} for ${method}`, options[stray]);
  if (method === 'ritz' && network.layers.length < 2) {
    throw badValue(caller, 'hidden layers to train', 'none', 'ritzHead solves the only layer there is.');
  }
  const { rows: features } = network.layers[network.layers.length - 1].weights;
  if (method === 'ritz' && network.outputs > features) {
    const rule = `at most ${features} outputs for method 'ritz', as many as the last hidden layer has units`;
    throw badValue(caller, rule, network.outputs, 'Give that layer more.');
  }
  checkCount(caller, 'refresh', all.refresh, 1);
  const { through = all.method === 'specnet1' && all.scheme !== 'neighbor' } = options;
  checkChoice(caller, 'scheme', all.scheme, schemes);
  checkChoice(caller, 'order', all.order, batchOrders);
  checkChoice(caller, 'scale', all.scale, ['plain', 'calibrated']);
  checkChoice(caller, 'pencil', all.pencil, pencilKinds);
  checkCount(caller, 'batch', all.batch, 1);
  checkCount(caller, 'epochs', all.epochs);
  if (all.batch > graph.size) throw badValue(caller, `a batch of at most ${graph.size} rows`, all.batch);
  if (all.method === 'specnet1' && all.scheme === 'local' && all.batch < network.outputs) {
    throw badValue(caller, `batches of at least ${network.outputs} rows, one for each output`, all.batch);
  }
  if (through && all.scheme === 'neighbor') {
    throw badValue(caller, 'through with the local or the full scheme', "'neighbor'");
  }
  if (all.deflate || isTaught) checkTwoNodes(caller, graph);
  const most = graph.size - Number(all.deflate || isTaught);
  if (network.outputs > most) throw badValue(caller, `at most ${most} outputs`, network.outputs);
  const steps = Math.max(1, all.epochs * Math.ceil(graph.size / all.batch));
  const { rate = isTaughtBy(method) ? { ...fallingRates[method], steps } : usualRates[method] } = options;
  checkRate(caller, rate);
  checkOptions(caller, all.optimizer, "an optimizer such as { kind: 'adam' }");
  if (options.from) checkState(options.from, network, graph, all);
  return { ...all, rate, through };
}

function usualBatch(size: number): number {
  const { least, stepsOfEpoch } = batchDefaults;
  return Math.min(size, Math.max(least, Math.ceil(size / stepsOfEpoch)));
}

function taughtDefaults(size: number, { batch = Math.min(regressionDefaults.batch, size) }: TrainOptions) {
  const { epochs, steps } = regressionDefaults;
  return { batch, epochs: Math.max(epochs, Math.ceil(steps / Math.ceil(size / batch))), deflate: false };
}

/** Before anything is written. */
function checkState(
  state: TrainingState,
  network: Mlp,
  graph: Graph,
  all: { method: TrainMethod; scheme: Scheme; epochs: number; optimizer: OptimizerOptions },
): void {
  if (!Array.isArray(state?.parameters) || !Array.isArray(state.optimizer?.moments)) {
    throw badKind(caller, 'the state of a training to go on from', state);
  }
  const { epoch, rows, parameters, optimizer } = state;
  if (epoch > all.epochs) {
    throw badValue(
      caller,
      `epochs from ${epoch} on, where the state to go on from stands`,
      all.epochs,
      'Ask for more.',
    );
  }
  if (rows && rows.rows !== graph.size) {
    throw badValue(caller, `the state of a training on ${graph.size} points`, rows.rows);
  }
  const [wanted, got] = [
    wayOf(all.method, isTaughtBy(all.method) ? null : all.scheme),
    wayOf(state.method, state.scheme),
  ];
  if (got !== wanted) throw badValue(caller, `the state of a training by ${wanted}`, `one by ${got}`);
  if (state.graph !== markOf(graph)) throw badValue(caller, 'the state of a training on this graph', 'one on another');
  const own = network.parameters;
  const fits = parameters.length === own.length && parameters.every(({ shape }, i) => sameShape(shape, own[i].shape));
  if (!fits) throw badValue(caller, 'the state of a network of these sizes', 'another one');
  if (parameters[0].precision !== network.precision) {
    throw badValue(caller, `the state of a network in ${network.precision} precision`, parameters[0].precision);
  }
  if (optimizer.kind !== all.optimizer.kind) {
    throw badValue(caller, `the state of a training by '${all.optimizer.kind}'`, `one by '${optimizer.kind}'`);
  }
}

/** How a network is trained, in words. */
export function wayOf(method: TrainMethod, scheme: Scheme | null): string {
  return scheme ? `${method} ${scheme}` : method;
}

export function isTaughtBy(method: TrainMethod): method is Taught {
  return method === 'regression' || method === 'ritz';
}
