/** `train`: trains a network by SpecNet1, by SpecNet2 (on batches of rows or of edges), by regression on eigenvectors, or under the Ritz head. */

import { checkOptions } from '../../core/options.ts';
import { runAsync, subtask, type Task, type WaitingTask } from '../../core/task.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Network } from '../../network/bodies/network.ts';
import type { Points } from '../../network/layers/inputs.ts';
import { caller, type Training, trainRules } from './options.ts';
import type { TrainingState, TrainMethod, TrainOptions } from './options.ts';
import { trainOnEdgesSteps } from './edges.ts';
import { trainSpecnetSteps } from './specnet.ts';
import { resolveSupervised, trainOnTargetsSteps, trainWithRitzHeadSteps } from './supervised.ts';
import { trainingTargetsSteps } from '../regression/targets.ts';

/** The fraction of the progress that the search for eigenvectors counts for. */
const eigenFraction = 0.1;

const trainerSteps: Record<TrainMethod, (training: Training) => WaitingTask<TrainingState>> = {
  specnet1: trainBySchemeSteps,
  specnet2: trainBySchemeSteps,
  ritz: trainWithRitzHeadSteps,
  regression: trainOnEigenvectorsSteps,
};

/**
 * Trains the network in place. Its outputs become the rows of Y. With SpecNet2, Y approaches the eigenvectors scaled by √λ,
 * up to a rotation; with SpecNet1, columns with the same span as the eigenvectors; with 'regression' and 'ritz', the
 * eigenvectors themselves. Resolves with the state after the last epoch.
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

/** `train` as a task, with options that are already checked. */
export function* trainSteps(
  graph: Graph,
  network: Network,
  points: Points,
  options: TrainOptions,
): WaitingTask<TrainingState> {
  const { method = 'specnet2' } = options;
  return yield* trainerSteps[method]({ graph, network, points, options });
}

function trainBySchemeSteps(training: Training): Task<TrainingState> {
  return training.options.scheme === 'edges' ? trainOnEdgesSteps(training) : trainSpecnetSteps(training);
}

function* trainOnEigenvectorsSteps(training: Training): WaitingTask<TrainingState> {
  resolveSupervised(training); // before the long search
  const search = trainingTargetsSteps(caller, training.graph, training.network.outputs);
  const { rows } = yield* subtask(search, 0, eigenFraction);
  return yield* subtask(trainOnTargetsSteps(training, rows), eigenFraction, 1);
}
