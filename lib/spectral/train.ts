/** How does a network learn the eigenvectors of a graph? By the same steps as the solver's, its parameters in place of rows. */

import { badKind, badValue, checkChoice, checkCount, checkOptions } from '../core/check.ts';
import { carryOut, type Watch, type Work } from '../core/pace.ts';
import { Random, type RandomState, type Seed } from '../core/random.ts';
import { checkGraph, type Graph, scaledGraph } from '../graph/graph.ts';
import { kernels } from '../kernels/table.ts';
import { bestForm, checkInputs, type Points } from '../network/inputs.ts';
import { Mlp } from '../network/mlp.ts';
import { Optimizer, type OptimizerOptions, type OptimizerState } from '../network/optimizer.ts';
import { checkRate, type Rate, rateAt } from '../network/schedule.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { type BatchOrder, batchesOf, batchOrders } from './batches.ts';
import { Descent } from './descent.ts';
import { type Moments, zeroMoments } from './moments.ts';
import { NetworkRows, networkMoments } from './network-rows.ts';
import { leastBatch, type Method, methods, objectives } from './objective.ts';
import { type Pencil, type PencilKind, pencilKinds, pencilOf } from './pencil.ts';
import { stepperOf } from './step-rule.ts';
import { networkViewers, type Scheme, schemes } from './view.ts';

export interface TrainOptions extends Watch {
  /** 'specnet2' unless said. */
  readonly method?: Method;
  /** 'neighbor' unless said. */
  readonly scheme?: Scheme;
  /** Rows in a batch; 4 unless said, as for the moons of the paper. */
  readonly batch?: number;
  readonly order?: BatchOrder;
  /** 100 unless said. */
  readonly epochs?: number;
  /** 1e-3 for SpecNet2 and 1e-4 for SpecNet1 unless said. */
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
  readonly parameters: readonly Tensor[];
  readonly optimizer: OptimizerState;
  readonly random: RandomState;
  /** Of the neighbor scheme: the record of moments and the rows it was made of. */
  readonly moments: Moments | null;
  readonly rows: Tensor | null;
}

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

/**
 * Changes the network, whose outputs become the rows of Y: with SpecNet2 a rotation of Λ^½ times the eigenvectors, with
 * SpecNet1 their span. Resolves with the state after the last epoch.
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
  if (from) restoreParameters(network, from);
  const optimizer = new Optimizer(network.parameters, settings.optimizer);
  if (from) optimizer.restore(from.optimizer);
  const input = bestForm(points);
  const rows = new NetworkRows(network, input, optimizer, settings.through);
  const record = zeroMoments(network.outputs);
  const last = scheme === 'neighbor' ? (from?.rows?.copy() ?? network.evaluate(input)) : null;
  if (last && from?.moments) {
    record.gram.set(from.moments.gram);
    record.mean.set(from.moments.mean);
  } else if (last) measureAll(pencil, last, record);
  const moments = networkMoments(rows, record, last);
  const stepper = stepperOf(
    { precondition: settings.weighted ? 'degree' : 'none', length: 1 },
    network.outputs,
    network.precision,
  );
  const descent = new Descent(rows, objectives[method], moments, stepper, { orthogonalise: 'gram', rotate: 'before' });
  const view = networkViewers[scheme](pencil);
  let epoch = from?.epoch ?? 0;
  const state = (): TrainingState => ({
    epoch,
    parameters: network.parameters.map((parameter) => parameter.copy()),
    optimizer: optimizer.state(),
    random: random.state(),
    moments: last && { gram: record.gram.slice(), mean: record.mean.slice() },
    rows: last?.copy() ?? null,
  });
  const first = epoch;
  while (epoch < epochs) {
    let done = 0;
    for (const list of batchesOf(graph.size, batch, order, random, leastBatch(method, scheme, network.outputs))) {
      rows.rate = rateAt(rate, optimizer.steps);
      descent.step(view(list));
      yield (epoch - first + (done += list.length) / graph.size) / (epochs - first);
    }
    epoch++;
    options.onEpoch?.({ epoch, steps: optimizer.steps, flops: descent.flops, state });
  }
  return state();
}

function measureAll({ size, mass, eta }: Pencil, { cols, data }: Tensor, out: Moments): void {
  kernels.gram(size, cols, cols, mass, data, data, out.gram);
  if (eta) kernels.weightedColumnSums(size, cols, eta, data, out.mean);
}

type Settings = Required<Omit<TrainOptions, 'progress' | 'signal' | 'from' | 'onEpoch'>>;

function settle(graph: Graph, network: Mlp, points: Points, options: TrainOptions): Settings {
  checkGraph(caller, graph);
  if (!(network instanceof Mlp)) throw badKind(caller, 'an Mlp', network);
  checkInputs(caller, points, network.inputs);
  if (points.rows !== graph.size) throw badValue(caller, `${graph.size} points, one for each node`, points.rows);
  const all = { ...defaults, ...options };
  const { rate = usualRates[all.method], through = all.method === 'specnet1' && all.scheme !== 'neighbor' } = options;
  checkChoice(caller, 'method', all.method, methods);
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
  if (network.outputs > graph.size - Number(all.deflate)) {
    throw badValue(caller, `at most ${graph.size - Number(all.deflate)} outputs`, network.outputs);
  }
  checkRate(caller, rate);
  if (options.from) checkState(options.from, graph.size, all.epochs);
  return { ...all, rate, through };
}

function checkState({ epoch, rows }: TrainingState, points: number, epochs: number): void {
  if (epoch > epochs) {
    throw badValue(caller, `epochs from ${epoch} on, where the state to go on from stands`, epochs, 'Ask for more.');
  }
  if (rows && rows.rows !== points) throw badValue(caller, `the state of a training on ${points} points`, rows.rows);
}

function restoreParameters(network: Mlp, { parameters }: TrainingState): void {
  const own = network.parameters;
  const fits = parameters.length === own.length && parameters.every(({ size }, i) => size === own[i].size);
  if (!fits) throw badValue(caller, 'the state of a network of these sizes', 'another one');
  for (const [i, { data }] of own.entries()) data.set(parameters[i].data);
}
