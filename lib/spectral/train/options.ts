/** Options of trainings, the checks that all of them share, and the state to continue from. */

import { badKind, badValue, checkCount } from '../../core/check.ts';
import type { Rules } from '../../core/options.ts';
import { type ProgressOptions, progressRules } from '../../core/task.ts';
import type { RandomState, Seed } from '../../core/random.ts';
import { checkGraph, checkTwoNodes, type Graph, graphFingerprint } from '../../graph/graph.ts';
import { checkInputs, checkPrecision, type Points } from '../../network/layers/inputs.ts';
import { Network } from '../../network/bodies/network.ts';
import { checkOptimizer, type OptimizerOptions, type OptimizerState } from '../../network/optimizer/optimizer.ts';
import { checkRate, type Rate, type RateSchedule } from '../../network/optimizer/schedule.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { sameShape } from '../../tensor/workspace.ts';
import { type BatchOrder, batchOrders } from '../descent/batches.ts';
import { type MomentKind, momentKinds } from '../descent/moments.ts';
import { methods } from '../descent/objective.ts';
import { type PencilKind, pencilKinds } from '../pencil/pencil.ts';
import { type Scheme, schemes } from '../descent/view.ts';

export const caller = 'train';

/** How a network is trained, and for how long. */
export interface TrainOptions extends ProgressOptions {
  /**
   * Default: 'specnet2'. 'regression' finds the eigenvectors by `spectrum` and then trains the network on them. 'ritz' needs
   * none: it solves the last layer (`ritzHead`), smooths its outputs by a walk on the graph, and trains the hidden layers on
   * the result, again and again. Batches of both need no neighbors: `scheme`, `moments`, `scale`, `pencil`, `deflate` and
   * `through` are refused.
   */
  readonly method?: TrainMethod;
  /**
   * Default: 'neighbor'. 'edges', for SpecNet2, sees the ends of edges that are drawn in proportion to their weights. Its gradient
   * of f2 is unbiased and needs no moments (docs/theory.md). `order`, `moments`, `weighted`, `through` and the symmetric
   * pencil are refused, and the defaults are `scale: 'calibrated'`, batches of 128 edges and a rate that falls from 2e-3 to 1e-5.
   */
  readonly scheme?: TrainScheme;
  /**
   * For the neighbor scheme: 'tracked' moments are a record of all rows as they were last evaluated, as in the paper.
   * 'corrected' moments, for SpecNet2 only, add an estimate of what has changed since, unbiased with `order: 'random'` (docs/theory.md), and other defaults suit them:
   * `scale: 'calibrated'`, `weighted: true`, batches of 32, or fewer if 32 would see more than three quarters of all rows, Adam with
   * beta2 0.99, and a rate that falls over all epochs to 1e-5, from 3e-3, or from 0.15 divided by the mean of ‖x‖₁ if that is less. The
   * mean is taken over up to 1024 points.
   * Default: 'tracked'; that of `SpectralEmbedding` is 'corrected'.
   */
  readonly moments?: MomentKind;
  /** For 'ritz': epochs from one head to the next. Default: 2. */
  readonly refresh?: number;
  /**
   * Rows in a batch, at most all; for the scheme 'edges' the number of edges. Default for SpecNet1 and SpecNet2: 4 for up to 2,000 points, as for the moons of the paper;
   * for n > 2,000 points n/500, so that an epoch still has 500 steps. With more steps, tracked moments would be older and
   * the noise of small batches would switch ReLU units off for good. Default for 'regression' and 'ritz': 64.
   */
  readonly batch?: number;
  /** Default: 'shuffled'. */
  readonly order?: BatchOrder;
  /**
   * The total number of epochs, including those before `from`. Default: 100; for 'regression' and 'ritz' 20, or more if 20
   * have fewer than 6,000 steps; for corrected moments and edges 20, or more if 20 have fewer than 12,000 steps.
   */
  readonly epochs?: number;
  /** Default: 1e-3 for SpecNet2 with tracked moments and 1e-4 for SpecNet1, constant. For 'regression' from 3e-3, for 'ritz' from 1e-3, falling to 1e-5 over all epochs. */
  readonly rate?: Rate;
  /** Default: Adam; for corrected moments with beta2 0.99. */
  readonly optimizer?: OptimizerOptions;
  /** Multiply gradients of rows by n/dᵢ (by n for the symmetric pencil), so that rows of all degrees have the same weight. Refused for SpecNet1, whose gradients have the factor 1/dᵢ without it. Default: true for corrected moments, else false. */
  readonly weighted?: boolean;
  /** SpecNet1: differentiate through the orthogonalization. Default: true for local and full; refused for neighbor. */
  readonly through?: boolean;
  /**
   * 'calibrated' multiplies W by n²/volume, so that the learned outputs are of order one. The eigenvectors stay the same.
   * Default: 'plain', as in the paper. Steps then depend on the unit of the weights, if the largest is between 2⁻¹⁶ and 2¹⁶; other
   * graphs are rescaled.
   */
  readonly scale?: 'plain' | 'calibrated';
  /** Default: 'random-walk'. */
  readonly pencil?: PencilKind;
  /** Deflate the trivial eigenpair by W − ηηᵀ (eq:uopt2). Default: true. */
  readonly deflate?: boolean;
  /** Default: 0. */
  readonly seed?: Seed;
  /** The state of an earlier training of this network. The training continues from it, with the same bits as without the pause. */
  readonly from?: TrainingState;
  /** Called after each epoch. The network then has the parameters of that epoch. */
  readonly onEpoch?: (state: EpochState) => void;
}

/** Where a training is after an epoch. */
export interface EpochState {
  readonly epoch: number;
  readonly steps: number;
  /** The flops so far of products with W and of moments. The passes through the network are not counted. */
  readonly flops: number;
  /** All that is needed to continue from here, copied. */
  state(): TrainingState;
}

/** All that is needed to continue a training. Nothing writes to it. */
export interface TrainingState {
  readonly epoch: number;
  /** The steps of the epoch that has begun, if any; `random` is then the state at its beginning. Default: 0. */
  readonly step?: number;
  /** The method of the training. Another method cannot continue it. */
  readonly method: TrainMethod;
  /** Null for regression and 'ritz'. */
  readonly scheme: TrainScheme | null;
  /** The `graphFingerprint` of the graph. */
  readonly graph: number;
  readonly parameters: readonly Tensor[];
  readonly optimizer: OptimizerState;
  readonly random: RandomState;
  /** Null for regression and 'ritz'. Other settings cannot continue the training. */
  readonly settings: LastingSettings | null;
  /** Neighbor scheme: all rows as last evaluated, from which the moments are measured. 'ritz': the targets of the hidden layers. Else null. */
  readonly rows: Tensor | null;
  /** `EpochState.flops` up to this state. */
  readonly flops?: number;
}

/** The options of SpecNet1 and SpecNet2 that decide what the outputs approach, and on which the state of a training depends. */
export interface LastingSettings extends Required<Pick<TrainOptions, 'scale' | 'pencil' | 'deflate'>> {
  /** Null for schemes other than 'neighbor'. */
  readonly moments: MomentKind | null;
}

export const trainSchemes = [...schemes, 'edges'] as const;

/** What a step of a training sees: as in the paper, or the ends of sampled edges. */
export type TrainScheme = Scheme | 'edges';

export const trainMethods = [...methods, 'ritz', 'regression'] as const;

/** SpecNet1, SpecNet2, the Ritz head alternating with the hidden layers, or regression on eigenvectors. */
export type TrainMethod = (typeof trainMethods)[number];

/** The options of `train` that an estimator passes on from its option `training`. */
export const trainingRules = {
  scheme: trainSchemes,
  moments: momentKinds,
  refresh: 'number',
  batch: 'number',
  order: batchOrders,
  epochs: 'number',
  rate: checkRate,
  optimizer: checkOptimizer,
  weighted: 'boolean',
  through: 'boolean',
  scale: ['plain', 'calibrated'],
  pencil: pencilKinds,
  deflate: 'boolean',
  from: 'any',
  onEpoch: 'function',
} as const satisfies Rules<Omit<TrainOptions, 'method' | 'seed' | 'progress' | 'signal'>>;

export const trainRules: Rules<TrainOptions> = {
  ...progressRules,
  ...trainingRules,
  method: trainMethods,
  seed: 'seed',
};

/** The options that the loop over epochs uses, with defaults filled in. */
export interface LoopSettings extends Partial<LastingSettings> {
  readonly method: TrainMethod;
  readonly batch: number;
  readonly epochs: number;
  readonly rate: Rate;
  readonly optimizer: OptimizerOptions;
  readonly seed: Seed;
}

/** What the loop needs to know of a graph and its points, which are in memory or in files. */
export interface LoopSource {
  readonly size: number;
  /** The `graphFingerprint`. */
  fingerprint(): number;
  /** The points with these numbers. */
  take(rows: Int32Array): Points;
}

/** The arguments of `train`. */
export interface Training {
  readonly graph: Graph;
  readonly network: Network;
  readonly points: Points;
  readonly options: TrainOptions;
}

/** Checks what every training needs: a graph, a network, and a point for each node. */
export function checkShared({ graph, network, points }: Training): void {
  checkGraph(caller, graph);
  if (!(network instanceof Network)) throw badKind(caller, 'an Mlp', network);
  checkInputs(caller, points, network.inputs);
  checkPrecision(caller, network.layers[0].weights, points);
  if (points.rows !== graph.size) throw badValue(caller, `${graph.size} points, one for each node`, points.rows);
}

/** Refuses options that do not apply to this method, or to what `by` names. */
export function refuse(
  options: TrainOptions,
  names: readonly (keyof TrainOptions)[],
  by: string = options.method ?? 'specnet2',
): void {
  const stray = names.find((name) => options[name] !== undefined);
  if (stray) throw badValue(caller, `no ${stray} for ${by}`, options[stray]);
}

/** Refuses more outputs than there are eigenvectors. */
export function checkOutputs(
  { graph, network: { outputs } }: Pick<Training, 'network'> & { readonly graph: Pick<Graph, 'size'> },
  deflate: boolean,
): void {
  if (deflate) checkTwoNodes(caller, graph);
  const most = graph.size - Number(deflate);
  if (outputs > most) throw badValue(caller, `at most ${most} outputs`, outputs);
}

/** The steps of an epoch, or one more than that if the last batch joins the one before it. */
export function stepsPerEpoch({ size }: Pick<Graph, 'size'>, batch: number): number {
  return Math.ceil(size / batch);
}

/** The default number of epochs: at least `epochs`, and enough for `steps` steps. */
export function usualEpochs(
  graph: Pick<Graph, 'size'>,
  batch: number,
  least: { epochs: number; steps: number },
): number {
  return Math.max(least.epochs, Math.ceil(least.steps / stepsPerEpoch(graph, batch)));
}

/** The default length of a training whose rate falls. */
export const usualLength = { epochs: 20, steps: 12_000 } as const;

/** A rate that falls until the last epoch. */
export function fallingRate(
  graph: Pick<Graph, 'size'>,
  ends: Pick<RateSchedule, 'from' | 'to'>,
  batch: number,
  epochs: number,
): RateSchedule {
  return { ...ends, steps: Math.max(1, epochs * stepsPerEpoch(graph, batch)) };
}

export function checkLoop(graph: Pick<Graph, 'size'>, { batch, epochs }: LoopSettings): void {
  checkCount(caller, 'batch', batch, 1);
  checkCount(caller, 'epochs', epochs);
  if (batch > graph.size) throw badValue(caller, `a batch of at most ${graph.size} rows`, batch);
}

/** Refuses a state to continue from that belongs to another training, before anything is written. */
export function checkState(training: Training, settings: LoopSettings, scheme: TrainScheme | null): void {
  const { graph, network, options } = training;
  const { from: state } = options;
  if (state === undefined) return;
  if (!Array.isArray(state?.parameters) || !Array.isArray(state.optimizer?.moments)) {
    throw badKind(caller, 'the state of a training to continue from', state);
  }
  const { epoch, rows, parameters, optimizer } = state;
  const another = (rule: string, got: string | number): RangeError => badValue(caller, `the state of ${rule}`, got);
  if (epoch > settings.epochs) {
    const rule = `at least ${epoch} epochs, as many as the state has`;
    throw badValue(caller, rule, settings.epochs, 'Raise epochs.');
  }
  if (rows && rows.rows !== graph.size) throw another(`a training on ${graph.size} points`, rows.rows);
  const [wanted, got] = [methodName(settings.method, scheme), methodName(state.method, state.scheme)];
  if (got !== wanted) throw another(`a training by ${wanted}`, `one by ${got}`);
  if (state.graph !== graphFingerprint(graph)) throw another('a training on this graph', 'one on another graph');
  checkLasting(state, lastingSettings(settings, scheme));
  const own = network.parameters;
  const fits = parameters.length === own.length && parameters.every(({ shape }, i) => sameShape(shape, own[i].shape));
  if (!fits) throw another('a network of these sizes', 'other sizes');
  const [{ precision }] = parameters;
  if (precision !== network.precision) throw another(`a network in ${network.precision} precision`, precision);
  const { kind } = settings.optimizer;
  if (optimizer.kind !== kind) throw another(`a training by '${kind}'`, `one by '${optimizer.kind}'`);
}

/** The settings that a continuation must repeat; null without a scheme. */
export function lastingSettings(settings: LoopSettings, scheme: TrainScheme | null): LastingSettings | null {
  if (!scheme) return null;
  const { scale = 'plain', pencil = 'random-walk', deflate = true, moments = null } = settings;
  return { scale, pencil, deflate, moments: scheme === 'neighbor' ? moments : null };
}

function checkLasting({ settings: before }: TrainingState, settings: LastingSettings | null): void {
  for (const [name, value] of Object.entries(settings ?? {})) {
    const had = before?.[name as keyof LastingSettings];
    if (had !== value) throw badValue(caller, `${name} ${show(had)}, as the state has`, show(value));
  }
}

function show(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** Method and scheme, for error messages. */
export function methodName(method: TrainMethod, scheme: TrainScheme | null): string {
  return scheme ? `${method} ${scheme}` : method;
}
