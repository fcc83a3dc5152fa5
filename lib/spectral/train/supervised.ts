/** Supervised training: fits the outputs of a network to given targets, by least squares with the degrees as weights. */

import { badValue, checkCount } from '../../core/check.ts';
import { defined } from '../../core/options.ts';
import { subtask, type Task } from '../../core/task.ts';
import type { Network } from '../../network/bodies/network.ts';
import { chainOf, chainWithFixedHead, type LayerChain } from '../../network/layers/chain.ts';
import { rateAt } from '../../network/optimizer/schedule.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';
import { type BatchOrder, batchesOf } from '../descent/batches.ts';
import { BlowUp, largestTrace } from '../descent/descent.ts';
import { pencilOf } from '../pencil/pencil.ts';
import { stepsOnly, TrainingLoop } from './loop.ts';
import { caller, checkLoop, checkOutputs, checkShared, checkState, fallingRate, refuse } from './options.ts';
import { type LoopSettings, type Training, type TrainingState, usualEpochs } from './options.ts';
import { smoothedTargetsSteps } from './smoothed-targets.ts';

/** The methods that fit targets: eigenvectors, or smoothed outputs under the Ritz head. */
type SupervisedMethod = 'regression' | 'ritz';

const defaults = { order: 'shuffled', optimizer: { kind: 'adam' }, weighted: false, refresh: 2, seed: 0 } as const;
const usualBatch = 64;
/** The default number of epochs: at least 20, and enough for 6,000 steps. */
const supervisedLength = { epochs: 20, steps: 6000 } as const;
const fallingRates = { regression: { from: 3e-3, to: 1e-5 }, ritz: { from: 1e-3, to: 1e-5 } } as const;

interface SupervisedSettings extends LoopSettings {
  readonly order: BatchOrder;
  readonly weighted: boolean;
  readonly refresh: number;
}

/** Trains all layers on these targets, n×K. */
export function* trainOnTargetsSteps(training: Training, targets: Tensor): Task<TrainingState> {
  const settings = resolveSupervised({ ...training, options: { ...training.options, method: 'regression' } });
  const loop = new TrainingLoop(training, settings);
  return yield* loop.runSteps({
    ...stepsOnly,
    batches: (random) => batchesOf(training.graph.size, settings.batch, settings.order, random),
    step: targetStep(training, loop, settings, targets, chainOf(caller, training.network.layers, loop.input)),
    flops: 0,
    state: () => ({ scheme: null, rows: null }),
  });
}

/**
 * Alternates between the last layer and the hidden layers. Every `refresh` epochs the last layer becomes the Ritz head of
 * the hidden layers. Then the hidden layers are trained on the outputs smoothed by a random walk.
 */
export function* trainWithRitzHeadSteps(training: Training): Task<TrainingState> {
  const settings = resolveSupervised(training);
  const { graph, network, options } = training;
  const loop = new TrainingLoop(training, settings);
  const targets = options.from?.rows?.copy() ?? zeros([graph.size, network.outputs], network.precision);
  return yield* loop.runSteps({
    ...stepsOnly,
    batches: (random) => batchesOf(training.graph.size, settings.batch, settings.order, random),
    *prepareSteps(epoch, done) {
      if (epoch % settings.refresh !== 0) return;
      const smoothed = smoothedTargetsSteps(caller, graph, network, loop.input);
      targets.data.set((yield* subtask(smoothed, done, done)).data);
    },
    step: targetStep(training, loop, settings, targets, chainWithFixedHead(caller, network.layers, loop.input)),
    flops: 0,
    state: () => ({ scheme: null, rows: targets.copy() }),
  });
}

/**
 * Returns a step along the gradient of ½·Σ dᵢ‖yᵢ − tᵢ‖² over the batch, divided by the number of its rows and by the mean
 * degree. With `weighted` it is multiplied by n/dᵢ, so that rows of all degrees have the same weight.
 */
function targetStep(
  { graph, network }: Training,
  { optimizer }: TrainingLoop,
  { rate, weighted }: SupervisedSettings,
  targets: Tensor,
  chain: LayerChain,
): (batch: Int32Array) => void {
  const { outputs: width, precision } = network;
  const { size, volume } = graph;
  const { mass } = pencilOf(caller, graph, 'random-walk', false, precision);
  return (batch) => {
    const { data: y } = chain.forward(batch);
    const delta = chain.workspace.take([batch.length, width], precision);
    // dᵢ·tᵢ, rounded to the precision of the network like a product with W.
    const goal = chain.workspace.take([batch.length, width], precision);
    const unit = 1 / ((volume / size) * batch.length);
    const factor = weighted ? unit * size : unit;
    let [trace, total] = [0, 0];
    for (let i = 0, at = 0; i < batch.length; i++) {
      const degree = mass[batch[i]];
      const divisor = weighted ? degree : 1;
      total += degree;
      for (let j = 0, from = batch[i] * width; j < width; j++, at++) {
        goal.data[at] = degree * targets.data[from + j];
        delta.data[at] = (degree * (y[at] * factor) - goal.data[at] * factor) / divisor;
        trace += degree * y[at] * y[at];
      }
    }
    // Targets have Σ dᵢtᵢ² = Σ dᵢ in each column.
    if (!(trace / width / total < largestTrace)) throw new BlowUp('the outputs grow without bound');
    optimizer.step(chain.backward(null, delta), rateAt(rate, optimizer.steps));
  };
}

export function resolveSupervised(training: Training): SupervisedSettings {
  const { graph, network, options } = training;
  checkShared(training);
  const method = options.method as SupervisedMethod;
  refuse(options, ['scheme', 'moments', 'scale', 'pencil', 'deflate', 'through']);
  if (method === 'ritz') checkHead(network);
  else refuse(options, ['refresh']);
  const { batch = Math.min(usualBatch, graph.size) } = options;
  const epochs = usualEpochs(graph, batch, supervisedLength);
  const all = { ...defaults, batch, epochs, ...defined(options), method };
  checkCount(caller, 'refresh', all.refresh, 1);
  checkOutputs(training, true);
  const { rate = fallingRate(graph, fallingRates[method], all.batch, all.epochs) } = options;
  const settings = { ...all, rate };
  checkLoop(graph, settings);
  checkState(training, settings, null);
  return settings;
}

/** The Ritz head needs hidden layers, and no fewer features than outputs. */
function checkHead({ layers, outputs }: Network): void {
  if (layers.length < 2) {
    throw badValue(caller, 'hidden layers to train', 'none', 'ritzHead solves the only layer there is.');
  }
  const { rows: features } = layers[layers.length - 1].weights;
  if (outputs <= features) return;
  const rule = `at most ${features} outputs for method 'ritz', as many as the last hidden layer has units`;
  throw badValue(caller, rule, outputs, 'Give that layer more units.');
}
