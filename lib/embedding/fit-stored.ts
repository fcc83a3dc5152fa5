/** `fitStored`: a model of points and a graph in files that need not fit in memory. */

import { badKind, badValue, checkCount } from '../core/check.ts';
import { checkOptions } from '../core/options.ts';
import { Random } from '../core/random.ts';
import { subtask, type Task, type WaitingTask } from '../core/task.ts';
import { landmarkOrder, Landmarks } from '../network/bodies/landmarks.ts';
import { type FeaturePencil, type Look, sumPencilSteps } from '../spectral/ritz/feature-pencil.ts';
import { headOfPencilSteps } from '../spectral/ritz/ritz-head.ts';
import type { CsrMatrix } from '../sparse/csr.ts';
import { FeatureFile, type FeatureReader, supportFinder } from '../storage/fit/feature-file.ts';
import { checkMemory, defaultStoreBytes, runWithin } from '../storage/memory-budget.ts';
import { openStoredGraph, type StoredGraph } from '../storage/graph/stored-graph.ts';
import { openStoredPoints, type StoredPoints } from '../storage/stored-points.ts';
import { defaultRitzLandmarks } from './fit-model.ts';
import type { LandmarkModel } from './model/model.ts';
import { caller, checkApplicable, fitRules, type StoredFit, type StoredFitOptions } from './model/stored-fit.ts';
import { fitStoredNetworkSteps } from './fit-stored-network.ts';
import { fitStoredRegressionSteps } from './fit-stored-regression.ts';
import { centerAndRound, ColumnRanges } from './model/point-table.ts';

/** Points that are described, or transformed, at a time. */
const blockRows = 1 << 13;
/** The parts of the memory for the caches. */
export const cacheParts = { graph: 1 / 16, points: 1 / 8, features: 1 / 4, rows: 1 / 4, queue: 1 / 8 } as const;

/**
 * Fits a model to a graph in a folder and its points in a .npy file, with the bits of `SpectralEmbedding` on the same graph and
 * points: the Ritz head on landmarks, or a network. The features of all points, or the rows of Y, are kept in a hidden file in
 * the folder of the graph until the fit is done; the matrices of the Ritz problem are sums over its rows.
 */
export async function fitStored(folder: string, path: string, options: StoredFitOptions = {}): Promise<StoredFit> {
  checkApplicable(options);
  const { method = 'ritz' } = options;
  if (method === 'ritz') return withFit(folder, path, options, (fit) => fitSteps(fit));
  if (method === 'regression') return withFit(folder, path, options, (fit) => fitRegressionSteps(fit));
  return withFiles(folder, path, options, (files) => fitNetworkSteps(files, method, options));
}

function* fitNetworkSteps(
  { graph, points, memory }: Files,
  method: 'specnet1' | 'specnet2',
  options: StoredFitOptions,
): Task<StoredFit> {
  const { components = 2, hidden = [128], activation, training = {}, seed = 0, checkpoint } = options;
  checkFiles(graph, points);
  const center = yield* subtask(centerSteps(points), 0, 0.02);
  const own = {
    hidden,
    activation,
    training,
    seed,
    checkpoint,
    memory: memory * cacheParts.rows,
    queueMemory: memory * cacheParts.queue,
  };
  const fit = fitStoredNetworkSteps({ caller, graph, points, center, components, method, ...own });
  const { model, converged, rows } = yield* subtask(fit, 0.02, 1);
  return { model, converged, statistics: { graph: graph.statistics, points: points.statistics, rows } };
}

/** What all parts of a fit know: the files, and the landmarks that describe a point. */
export interface Fit {
  readonly graph: StoredGraph;
  readonly points: StoredPoints;
  readonly components: number;
  readonly memory: number;
  readonly random: Random;
  readonly center: Float64Array | null;
  readonly landmarks: Landmarks;
}

/** The files of a fit, and its memory. */
type Files = Pick<Fit, 'graph' | 'points' | 'memory'>;

/** Checks a fit, opens its files, draws the landmarks, and runs a part of it. */
export async function withFit<T>(
  folder: string,
  path: string,
  options: StoredFitOptions,
  steps: (fit: Fit) => WaitingTask<T>,
): Promise<T> {
  return withFiles(folder, path, options, (files) => partSteps(files, options, steps));
}

/** Checks a fit, opens its files, and runs a part of it. */
async function withFiles<T>(
  folder: string,
  path: string,
  options: StoredFitOptions,
  steps: (files: Files) => WaitingTask<T>,
): Promise<T> {
  checkOptions(caller, options, fitRules);
  if (typeof folder !== 'string') throw badKind(caller, 'the folder of a stored graph', folder);
  if (typeof path !== 'string') throw badKind(caller, 'the path of a .npy file', path);
  const { memory = defaultStoreBytes } = options;
  checkMemory(caller, memory);
  checkCount(caller, 'components', options.components ?? 2, 1);
  if (options.landmarks !== undefined) checkCount(caller, 'landmarks', options.landmarks, 2);
  const graph = openStoredGraph(folder, { memory: memory * cacheParts.graph });
  let points: StoredPoints | null = null;
  try {
    points = openStoredPoints(path, { memory: memory * cacheParts.points });
    return await runWithin(steps({ graph, points, memory }), memory, options);
  } finally {
    points?.close();
    graph.close();
  }
}

function* partSteps<T>(
  { graph, points, memory }: Files,
  options: StoredFitOptions,
  steps: (fit: Fit) => WaitingTask<T>,
): WaitingTask<T> {
  const { components = 2 } = options;
  const random = new Random(options.seed ?? 0);
  const wanted = Math.min(options.landmarks ?? defaultRitzLandmarks(points.size, components), points.size);
  checkFit(graph, points, components, wanted);
  const center = yield* subtask(centerSteps(points), 0, 0.1);
  const chosen = landmarkOrder({ rows: points.size }, random.fork('landmarks').seed).slice(0, wanted).toSorted();
  const landmarks = new Landmarks(centerAndRound(caller, center, points.rows(chosen)));
  return yield* subtask(steps({ graph, points, components, memory, random, center, landmarks }), 0.1, 1);
}

function* fitSteps(fit: Fit): Task<StoredFit> {
  const { graph, points, memory, landmarks } = fit;
  const features = new FeatureFile(caller, graph.folder, memory * cacheParts.features);
  try {
    const described = describeSteps(fit, { from: 0, to: points.size }, (rows) => features.append(rows));
    yield* subtask(described, 0, 0.35);
    const reader = features.reader();
    const pencil = yield* subtask(sumPencilSteps(landmarks.outputs, graph, lookIn(fit, reader)), 0.35, 0.9);
    const solved = yield* subtask(solveSteps(fit, pencil), 0.9, 1);
    const statistics = { graph: graph.statistics, points: points.statistics, features: reader.statistics };
    return { ...solved, statistics };
  } finally {
    features.remove();
  }
}

/** The parts of the memory of a regression: vectors and the graph beside them first, then caches of features and fitted rows. */
const regressionParts = { vectors: 1 / 2, features: 1 / 8, rows: 1 / 8 } as const;

function* fitRegressionSteps(fit: Fit): WaitingTask<StoredFit> {
  const { graph, points, components, memory, landmarks, center, random } = fit;
  const file = new FeatureFile(caller, graph.folder, memory * regressionParts.features);
  const readerSteps = function* (): Task<FeatureReader> {
    yield* describeSteps(fit, { from: 0, to: points.size }, (rows) => file.append(rows));
    return file.reader();
  };
  try {
    const solved = fitStoredRegressionSteps(
      {
        caller,
        graph,
        components,
        seed: random.fork('ritz').seed,
        features: { cols: landmarks.outputs, perPoint: landmarks.neighbors },
        memory: {
          vectors: memory * regressionParts.vectors,
          share: regressionParts.vectors,
          rows: memory * regressionParts.rows,
        },
      },
      readerSteps,
    );
    const { head, rows } = yield* solved;
    const { weights, bias, eigenvalues, converged } = head;
    const model: LandmarkModel = { kind: 'landmarks', landmarks, head: { weights, bias }, eigenvalues, center };
    const { statistics: features } = file.reader();
    const statistics = { graph: graph.statistics, points: points.statistics, features, ...(rows && { rows }) };
    return { model, converged, statistics };
  } finally {
    file.remove();
  }
}

/** Computes the features of points from … to − 1, block by block. */
export function* describeSteps(
  { points, center, landmarks }: Fit,
  range: { readonly from: number; readonly to: number },
  use: (features: CsrMatrix) => void,
): Task<void> {
  for (let { from } = range; from < range.to; from += blockRows) {
    const to = Math.min(range.to, from + blockRows);
    const rows = centerAndRound(caller, center, points.rowRange(from, to));
    const [begun, end] = [from, to].map((row) => (row - range.from) / (range.to - range.from));
    use(yield* subtask(landmarks.featuresSteps(rows), begun, end));
  }
}

/** Looks up rows of the graph, and the features of their neighbors. */
export function lookIn({ graph }: Fit, features: FeatureReader): Look {
  const supportOf = supportFinder(graph);
  return (rows) => {
    const [from, to] = [rows[0], rows[0] + rows.length];
    const { support, ...surroundings } = supportOf(from, to);
    return { ...surroundings, degrees: graph.degrees(from, to), features: features.rows(support) };
  };
}

/** The model of a pencil. */
export function* solveSteps(
  { graph, components, random, landmarks, center }: Fit,
  pencil: FeaturePencil,
): Task<{ readonly model: LandmarkModel; readonly converged: boolean }> {
  const ritz = { components, seed: random.fork('ritz').seed };
  const head = yield* headOfPencilSteps(caller, graph.volume, pencil, ritz);
  const { weights, bias, eigenvalues, converged } = head;
  const model: LandmarkModel = { kind: 'landmarks', landmarks, head: { weights, bias }, eigenvalues, center };
  return { model, converged };
}

function checkFit(graph: StoredGraph, points: StoredPoints, components: number, landmarks: number): void {
  checkFiles(graph, points);
  if (components < landmarks) return;
  throw badValue(
    caller,
    `components below ${landmarks}, the number of landmarks`,
    components,
    'Request more landmarks.',
  );
}

/** Refuses points that do not belong to the graph, and nodes without neighbors. */
function checkFiles(graph: StoredGraph, points: StoredPoints): void {
  if (points.size !== graph.size) throw badValue(caller, `${graph.size} points, one for each node`, points.size);
  if (graph.isolated > 0) {
    const remedy = 'Leave them out, or build the graph with more neighbors.';
    throw badValue(caller, 'no isolated nodes', `${graph.isolated} of degree 0`, remedy);
  }
}

/** What is subtracted from the points, in one pass over them. */
function* centerSteps(points: StoredPoints): Task<Float64Array | null> {
  const ranges = new ColumnRanges(points.cols);
  for (let from = 0; from < points.size; from += blockRows) {
    ranges.add(points.rowRange(from, Math.min(points.size, from + blockRows)));
    yield from / points.size;
  }
  if (!ranges.isOnePoint) return ranges.center();
  const remedy = 'Coordinates are functions of the point.';
  throw badValue(caller, 'points that differ from each other', `${points.size} copies of one point`, remedy);
}
