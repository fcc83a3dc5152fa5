/** Training of networks: by SpecNet1 and SpecNet2, or supervised, by regression and by the Ritz head, alternating with the hidden layers. */

import { checkOptions } from '../../core/options.ts';
import { runAsync, subtask, type Task } from '../../core/task.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Network } from '../../network/bodies/network.ts';
import type { Points } from '../../network/layers/inputs.ts';
import { caller, type Training, trainRules } from './options.ts';
import type { TrainingState, TrainMethod, TrainOptions } from './options.ts';
import { trainSpecnetSteps } from './specnet.ts';
import { resolveSupervised, trainOnTargetsSteps, trainWithRitzHeadSteps } from './supervised.ts';
import { trainingTargetsSteps } from './targets.ts';

/** The share of the progress that finding the eigenvectors counts for. */
const eigenShare = 0.1;

const trainers: Record<TrainMethod, (training: Training) => Task<TrainingState>> = {
  specnet1: trainSpecnetSteps,
  specnet2: trainSpecnetSteps,
  ritz: trainWithRitzHeadSteps,
  regression: trainOnEigenvectorsSteps,
};

/**
 * Changes the network, whose outputs become the rows of Y: with SpecNet2 a rotation of Λ^½ times the eigenvectors, with
 * SpecNet1 their span, by regression and 'ritz' they themselves. Resolves with the state after the last epoch.
 */
export async function train(
  graph: Graph,
  network: Network,
  points: Points,
  options: TrainOptions = {},
): Promise<TrainingState> {
  checkOptions(caller, options, trainRules);
  return runAsync(trainSteps(graph, network, points, options), options);
}

/** `train` as a task, with options that were checked. */
export function* trainSteps(
  graph: Graph,
  network: Network,
  points: Points,
  options: TrainOptions,
): Task<TrainingState> {
  const { method = 'specnet2' } = options;
  return yield* trainers[method]({ graph, network, points, options });
}

function* trainOnEigenvectorsSteps(training: Training): Task<TrainingState> {
  resolveSupervised(training); // before the long search
  const search = trainingTargetsSteps(caller, training.graph, training.network.outputs);
  const { rows } = yield* subtask(search, 0, eigenShare);
  return yield* subtask(trainOnTargetsSteps(training, rows), eigenShare, 1);
}
