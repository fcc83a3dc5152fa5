/** Training of networks: by SpecNet1 and SpecNet2, or supervised, by regression and by the Ritz head, alternating with the hidden layers. */

import { checkChoice, checkOptions } from '../../core/check.ts';
import { runAsync, subtask, type Task } from '../../core/task.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Mlp } from '../../network/bodies/mlp.ts';
import type { Points } from '../../network/layers/inputs.ts';
import { type TrainingState, type TrainMethod, trainMethods, type TrainOptions } from './options.ts';
import { trainSpecnetSteps } from './specnet.ts';
import { resolveSupervised, trainOnTargetsSteps, trainWithRitzHeadSteps } from './supervised.ts';
import { trainingTargetsSteps } from './targets.ts';

const caller = 'train';
/** The share of the progress that finding the eigenvectors counts for. */
const eigenShare = 0.1;

type Trainer = (graph: Graph, network: Mlp, points: Points, options: TrainOptions) => Task<TrainingState>;

const trainers: Record<TrainMethod, Trainer> = {
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
  network: Mlp,
  points: Points,
  options: TrainOptions = {},
): Promise<TrainingState> {
  checkOptions(caller, options);
  return runAsync(trainSteps(graph, network, points, options), options);
}

/** `train` as a task. */
export function* trainSteps(graph: Graph, network: Mlp, points: Points, options: TrainOptions): Task<TrainingState> {
  const { method = 'specnet2' } = options;
  checkChoice(caller, 'method', method, trainMethods);
  return yield* trainers[method](graph, network, points, options);
}

function* trainOnEigenvectorsSteps(
  graph: Graph,
  network: Mlp,
  points: Points,
  options: TrainOptions,
): Task<TrainingState> {
  resolveSupervised(graph, network, points, options); // before the long search
  const { rows } = yield* subtask(trainingTargetsSteps(caller, graph, network.outputs), 0, eigenShare);
  return yield* subtask(trainOnTargetsSteps(graph, network, points, options, rows), eigenShare, 1);
}
