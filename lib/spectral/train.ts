/** How does a network learn the eigenvectors of a graph? By the same steps as the solver's, its parameters in place of rows. */

import { badKind, badValue, checkChoice, checkCount, checkOptions } from '../core/check.ts';
import { carryOut, part, type Watch, type Work } from '../core/pace.ts';
import { Random, type RandomState, type Seed } from '../core/random.ts';
import { checkGraph, type Graph, markOf, scaledGraph } from '../graph/graph.ts';
import { kernels } from '../kernels/table.ts';
import { bestForm, checkInputs, type Points } from '../network/inputs.ts';
import { Mlp } from '../network/mlp.ts';
import { Optimizer, type OptimizerOptions, type OptimizerState } from '../network/optimizer.ts';
import { checkRate, type Rate, rateAt } from '../network/schedule.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { sameShape } from '../tensor/workspace.ts';
import { type BatchOrder, batchesOf, batchOrders } from './batches.ts';
import { BlowUp, Descent } from './descent.ts';
import { type Moments, zeroMoments } from './moments.ts';
import { NetworkRows, networkMoments } from './network-rows.ts';
import { given } from './settings.ts';
import { leastBatch, type Method, methods, objectives } from './objective.ts';
import { type Pencil, type PencilKind, pencilKinds, pencilOf } from './pencil.ts';
import { findTargets, loneViewer, towards } from './regression.ts';
import { stepperOf } from './step-rule.ts';
import { networkViewers, type Scheme, schemes } from './view.ts';

/** How a network is trained, and for how long. */
export interface TrainOptions extends Watch {
  /**
   * 'specnet2' unless said. 'regression' finds the eigenvectors by Lanczos and then teaches them to the network, whose
   * batches need no neighbours: `scheme`, `scale`, `pencil`, `deflate` and `through` are not for it.
   */
  readonly method?: TrainMethod;
  /** 'neighbor' unless said. */
  readonly scheme?: Scheme;
  /** Rows in a batch; 4 unless said, as for the moons of the paper, and 64 for regression; all where there are fewer. */
  readonly batch?: number;
  readonly order?: BatchOrder;
  /** Up to and including this epoch, also where `from` has some of them behind it: 100 unless said; 20 for regression, or as many as make 6,000 steps. */
  readonly epochs?: number;
  /** 1e-3 for SpecNet2, 1e-4 for SpecNet1, and for regression from 3e-3 down to 1e-5 over all epochs, unless said. */
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
  /** Null for regression. */
  readonly scheme: Scheme | null;
  /** `markOf` the graph. */
  readonly graph: number;
  readonly parameters: readonly Tensor[];
  readonly optimizer: OptimizerState;
  readonly random: RandomState;
  /** Of the neighbor scheme: the record of moments and the rows it was made of. */
  readonly moments: Moments | null;
  readonly rows: Tensor | null;
  /** `EpochState.flops` until here. */
  readonly flops?: number;
}

/** How a network can be trained. */
export const trainMethods = [...methods, 'regression'] as const;

/** SpecNet1, SpecNet2, or regression on eigenvectors that Lanczos has found. */
export type TrainMethod = (typeof trainMethods)[number];

const caller = 'train';
const defaults = {
  method: 'specnet2',
  scheme: 'neighbor',
  batch: 4,
  order: 'shuffled',
  epochs: 100,
  optimizer: { kind: 'adam' },
  weighted: false,
  scale: 'plain',
  pencil: 'random-walk',
  deflate: true,
  seed: 0,
} as const;
const usualRates: Record<Method, number> = { specnet1: 1e-4, specnet2: 1e-3 };
/** Of regression: at least so many epochs, and as many as it takes for so many steps. */
const regressionDefaults = { batch: 64, epochs: 20, steps: 6000 } as const;
const fallingRate = { from: 3e-3, to: 1e-5 } as const;
const notForRegression = ['scheme', 'scale', 'pencil', 'deflate', 'through'] as const;

/**
 * Changes the network, whose outputs become the rows of Y: with SpecNet2 a rotation of Λ^½ times the eigenvectors, with
 * SpecNet1 their span, by regression they themselves. Resolves with the state after the last epoch.
 */
export async function train(
  graph: Graph,
  network: Mlp,
  points: Points,
  options: TrainOptions = {},
): Promise<TrainingState> {
  checkOptions(caller, options);
  return carryOut(training(graph, network, points, options), options);
}

export function* training(graph: Graph, network: Mlp, points: Points, options: TrainOptions): Work<TrainingState> {
  const settings = settle(graph, network, points, options);
  const { method, scheme, batch, order, epochs, rate } = settings;
  const pencil = pencilOf(
    caller,
    settings.scale === 'calibrated' ? scaledGraph(graph, graph.size ** 2 / graph.volume) : graph,
    settings.pencil,
    settings.deflate,
    network.precision,
  );
  const { from } = options;
  const random = new Random(from ? from.random : new Random(settings.seed).fork('batches').state());
  const optimizer = new Optimizer(network.parameters, settings.optimizer);
  if (from) {
    optimizer.restore(from.optimizer);
    for (const [i, { data }] of network.parameters.entries()) data.set(from.parameters[i].data);
  }
  const input = bestForm(points);
  const isTaught = method === 'regression';
  const targets = isTaught ? yield* part(findTargets(graph, network.outputs), 0, eigenShare) : null;
  if (targets && !targets.converged) {
    throw badValue(caller, 'a graph whose eigenvectors Lanczos can find', 'another', 'SpecNet2 needs none.');
  }
  const begun = isTaught ? eigenShare : 0;
  const last = scheme === 'neighbor' && !isTaught ? (from?.rows?.copy() ?? network.evaluate(input)) : null;
  const rows = new NetworkRows(network, input, optimizer, settings.through, last);
  const record = zeroMoments(network.outputs);
  if (last) measureAll(pencil, last, record);
  const moments = networkMoments(rows, record, pencil);
  const stepper = stepperOf(
    { precondition: settings.weighted ? 'degree' : 'none', length: 1 },
    network.outputs,
    network.precision,
  );
  const objective = isTaught ? towards(targets!.rows, graph.volume / graph.size) : objectives[method];
  const descent = new Descent(caller, rows, objective, moments, stepper, {
    orthogonalise: 'gram',
    rotate: 'before',
  });
  descent.flops = from?.flops ?? 0;
  const view = isTaught ? loneViewer(pencil) : networkViewers[scheme](pencil);
  const least = isTaught ? 1 : leastBatch(method, scheme, network.outputs);
  let epoch = from?.epoch ?? 0;
  const state = (): TrainingState => ({
    epoch,
    method,
    scheme: isTaught ? null : scheme,
    graph: markOf(graph),
    parameters: network.parameters.map((parameter) => parameter.copy()),
    optimizer: optimizer.state(),
    random: random.state(),
    moments: last && { gram: record.gram.slice(), mean: record.mean.slice() },
    rows: last?.copy() ?? null,
    flops: descent.flops,
  });
  const first = epoch;
  while (epoch < epochs) {
    let done = 0;
    for (const list of batchesOf(graph.size, batch, order, random, least)) {
      rows.rate = rateAt(rate, optimizer.steps);
      try {
        descent.step(view(list));
      } catch (error) {
        throw error instanceof BlowUp ? tooFast(rows.rate, epoch + 1, error.message) : error;
      }
      const fraction = (epoch - first + (done += list.length) / graph.size) / (epochs - first);
      yield begun + (1 - begun) * fraction;
    }
    // So that the record's rounding does not add up, and a state's record is that of its rows in any pencil.
    if (last) measureAll(pencil, last, record);
    epoch++;
    options.onEpoch?.({ epoch, steps: optimizer.steps, flops: descent.flops, state });
  }
  return state();
}

function tooFast(rate: number, epoch: number, what: string): RangeError {
  return badValue(caller, 'a rate small enough', `${rate}: ${what} in epoch ${epoch}`, 'Lower the rate.');
}

function measureAll({ size, mass, eta }: Pencil, { cols, data }: Tensor, out: Moments): void {
  kernels.gram(size, cols, cols, mass, data, data, out.gram);
  if (eta) kernels.weightedColumnSums(size, cols, eta, data, out.mean);
}

/** Of the progress, what finding the eigenvectors counts for. */
const eigenShare = 0.1;

type Settings = Required<Omit<TrainOptions, 'progress' | 'signal' | 'from' | 'onEpoch'>>;

function settle(graph: Graph, network: Mlp, points: Points, options: TrainOptions): Settings {
  checkGraph(caller, graph);
  if (!(network instanceof Mlp)) throw badKind(caller, 'an Mlp', network);
  checkInputs(caller, points, network.inputs);
  if (points.rows !== graph.size) throw badValue(caller, `${graph.size} points, one for each node`, points.rows);
  const isTaught = options.method === 'regression';
  const usual = isTaught ? taughtDefaults(graph.size, options) : { batch: Math.min(defaults.batch, graph.size) };
  const all = { ...defaults, ...usual, ...given(options) };
  checkChoice(caller, 'method', all.method, trainMethods);
  const stray = isTaught && notForRegression.find((name) => options[name] !== undefined);
  if (stray) throw badValue(caller, `no ${stray} for regression`, options[stray]);
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
  const most = graph.size - Number(all.deflate || isTaught);
  if (network.outputs > most) throw badValue(caller, `at most ${most} outputs`, network.outputs);
  const steps = Math.max(1, all.epochs * Math.ceil(graph.size / all.batch));
  const { rate = all.method === 'regression' ? { ...fallingRate, steps } : usualRates[all.method] } = options;
  checkRate(caller, rate);
  checkOptions(caller, all.optimizer, "an optimizer such as { kind: 'adam' }");
  if (options.from) checkState(options.from, network, graph, all);
  return { ...all, rate, through };
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
  all: { epochs: number; optimizer: OptimizerOptions },
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
