/** Fits a model of the coordinates of points: landmarks by regression on eigenvectors or by the Ritz head, or a network. */

import { badValue } from '../core/check.ts';
import { Random } from '../core/random.ts';
import { awaited, subtask, type Task, type WaitingTask } from '../core/task.ts';
import { checkTwoNodes, type Graph } from '../graph/graph.ts';
import { normOptions, resolveMetric } from '../graph/neighbors/metric.ts';
import { chooseLandmarks, type Landmarks } from '../network/bodies/landmarks.ts';
import type { Points } from '../network/layers/inputs.ts';
import { eigenvectorTargetsSteps } from '../spectral/regression/targets.ts';
import {
  chooseLandmarksSteps,
  type ChosenLandmarks,
  type LandmarkReport,
} from '../spectral/regression/choose-landmarks.ts';
import { regressionHeadSteps, regressionInMemory } from '../spectral/regression/regression-head.ts';
import { type RitzHead, ritzHeadSteps } from '../spectral/ritz/ritz-head.ts';
import { type FittedModel, type ModelOptions, type Uncentered, usesLandmarks } from './model-options.ts';

/**
 * The Ritz head solves an eigenproblem as large as there are landmarks. With more than half of the points as landmarks, it
 * fits the points but not those between them.
 */
const ritzLandmarks = { fraction: 1 / 2, least: 64, most: 2048, perComponent: 4 };

export function* fitModelSteps(
  caller: string,
  graph: Graph,
  points: Points,
  options: ModelOptions,
): WaitingTask<FittedModel> {
  const { components = 2 } = options;
  const random = new Random(options.seed ?? 0);
  checkTwoNodes(caller, graph);
  if (components > graph.size - 1) {
    throw badValue(caller, `at most ${graph.size - 1} components, one less than points`, components);
  }
  if (usesLandmarks(options)) return yield* fitLandmarksSteps(caller, graph, points, options, random);
  const { fitNetworkSteps } = yield* awaited(import('./fit-network.ts'));
  return yield* fitNetworkSteps(caller, graph, points, options, random);
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
  const problem = regressionInMemory(caller, graph, features, points, ritz);
  const head = yield* subtask(regressionHeadSteps(caller, problem, targets), 0.7, 1);
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
