/** Training by SpecNet2 on sampled edges: each step follows an unbiased estimate of the gradient of f2. */

import { badValue, checkCount } from '../../core/check.ts';
import { defined } from '../../core/options.ts';
import type { Task } from '../../core/task.ts';
import { checkDegrees, type Graph } from '../../graph/graph.ts';
import type { Network } from '../../network/bodies/network.ts';
import { chainOf, type LayerChain } from '../../network/layers/chain.ts';
import { toKernelFormat } from '../../network/layers/inputs.ts';
import type { Optimizer } from '../../network/optimizer/optimizer.ts';
import { type Rate, rateAt } from '../../network/optimizer/schedule.ts';
import { BlowUp, largestTrace } from '../descent/descent.ts';
import { EdgeSampler, edgeGradient } from '../descent/edges.ts';
import { type Procedure, sourceOf, stepsOnly, TrainingLoop } from './loop.ts';
import { caller, checkOutputs, checkShared, checkState, fallingRate, refuse } from './options.ts';
import { stepsPerEpoch, usualEpochs, usualLength } from './options.ts';
import type { LoopSettings, Training, TrainingState } from './options.ts';

const defaults = {
  optimizer: { kind: 'adam' },
  scale: 'calibrated',
  deflate: true,
  seed: 0,
} as const;
const usualBatch = 128;
const usualRate = { from: 2e-3, to: 1e-5 } as const;
/** The ends of one edge are not a pair of independent nodes, so that a pair needs two edges. */
const leastEdges = 2;

/** A training on a graph in memory or in files. */
type EdgeTraining = Pick<Training, 'network' | 'options'> & { readonly graph: Pick<Graph, 'size' | 'volume'> };
type Chain = Pick<LayerChain, 'workspace' | 'forward' | 'backward'>;

export interface EdgeSettings extends LoopSettings {
  readonly rate: Rate;
  readonly scale: 'plain' | 'calibrated';
  readonly deflate: boolean;
}

/** An epoch draws as many edges as there are nodes. Besides the graph, nothing that is kept grows with it. */
export function* trainOnEdgesSteps(training: Training): Task<TrainingState> {
  checkShared(training);
  const { graph, network, points } = training;
  checkDegrees(caller, graph);
  const settings = resolveEdges(training, graph.weights.nonzeros);
  checkState(training, settings, 'edges');
  const input = toKernelFormat(points);
  const loop = new TrainingLoop(training, settings, sourceOf(graph, input));
  const chain = chainOf(caller, network.layers, input);
  return yield* loop.runSteps(edgeProcedure(training, settings, loop, chain, new EdgeSampler(graph.weights)));
}

/** Where the edges of a step come from. */
export type EdgeSource = Pick<EdgeSampler, 'batches'>;

/** The procedure on a graph and points in memory or in files. */
export function edgeProcedure(
  { graph, network, options }: EdgeTraining,
  settings: EdgeSettings,
  loop: TrainingLoop,
  chain: Chain,
  edges: EdgeSource,
): Procedure {
  const { batch } = settings;
  const step = edgeStep(graph, network, loop.optimizer, settings, chain);
  let flops = options.from?.flops ?? 0;
  return {
    ...stepsOnly,
    batches: (random) => edges.batches(stepsPerEpoch(graph, batch), batch, random),
    step(ends) {
      step(ends);
      flops += 2 * ends.length * network.outputs ** 2;
    },
    get flops() {
      return flops;
    },
    state: () => ({ scheme: 'edges', rows: null }),
  };
}

/** Returns a step along the gradient that `edgeGradient` computes for the ends of these edges. */
function edgeStep(
  { size, volume }: Pick<Graph, 'size' | 'volume'>,
  network: Network,
  optimizer: Optimizer,
  { rate, scale, deflate }: EdgeSettings,
  chain: Chain,
): (ends: Int32Array) => void {
  const { outputs: width, precision } = network;
  // With W·n²/volume for W, the units of `edgeGradient` are those of the outputs.
  const unit = scale === 'calibrated' ? 1 : Math.sqrt(volume) / size;
  let [rows, gradient] = [new Float64Array(0), new Float64Array(0)];
  return (ends) => {
    const { data: y } = chain.forward(ends);
    if (rows.length !== y.length) [rows, gradient] = [new Float64Array(y.length), new Float64Array(y.length)];
    let square = 0;
    for (let p = 0; p < rows.length; p++) {
      rows[p] = unit * y[p];
      square += rows[p] * rows[p];
    }
    const trace = square / rows.length;
    if (!(trace < largestTrace)) throw new BlowUp(`tr YᵀDY is ${trace} times that of orthonormal columns`);
    edgeGradient(ends.length, width, deflate, rows, gradient);
    const delta = chain.workspace.take([ends.length, width], precision);
    for (let p = 0; p < rows.length; p++) delta.data[p] = unit * gradient[p];
    optimizer.step(chain.backward(null, delta), rateAt(rate, optimizer.steps));
  };
}

/** The settings of a training on a graph whose W has `entries` entries. */
export function resolveEdges(training: EdgeTraining, entries: number): EdgeSettings {
  const { graph, options } = training;
  const { method = 'specnet2', pencil = 'random-walk' } = options;
  if (method !== 'specnet2') throw badValue(caller, "scheme 'edges' with method 'specnet2'", `'${method}'`);
  refuse(options, ['refresh', 'moments', 'order', 'weighted', 'through'], "scheme 'edges'");
  if (pencil !== 'random-walk') {
    const remedy = 'Edges are drawn in proportion to W, and their ends to D.';
    throw badValue(caller, "scheme 'edges' with pencil 'random-walk'", `'${pencil}'`, remedy);
  }
  const { batch = Math.min(usualBatch, Math.max(leastEdges, graph.size)) } = options;
  checkCount(caller, 'batch', batch, leastEdges);
  const { epochs = usualEpochs(graph, batch, usualLength) } = options;
  checkCount(caller, 'epochs', epochs);
  if (batch > entries) throw badValue(caller, `a batch of at most ${entries} edges, as many as W has entries`, batch);
  const rate = fallingRate(graph, usualRate, batch, epochs);
  const settings = { ...defaults, batch, epochs, rate, ...defined(options), method };
  checkOutputs(training, settings.deflate);
  return settings;
}
