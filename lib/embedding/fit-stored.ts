/** `fitStored` and `transformStored`: a model of points and a graph in files, and its coordinates from a file to a file. */

import { badKind, badValue, checkCount } from '../core/check.ts';
import { checkOptions, type Rules } from '../core/options.ts';
import { Random, type Seed } from '../core/random.ts';
import { type ProgressOptions, progressRules, runAsync, subtask, type Task } from '../core/task.ts';
import { landmarkOrder, Landmarks } from '../network/bodies/landmarks.ts';
import { sumPencilSteps } from '../spectral/ritz/feature-pencil.ts';
import { headOfPencilSteps } from '../spectral/ritz/ritz-head.ts';
import { ArrayWriter } from '../storage/arrays/array-file.ts';
import type { CacheStatistics } from '../storage/arrays/page-cache.ts';
import { FeatureFile, supportedRows } from '../storage/feature-file.ts';
import { checkMemory, defaultStoreBytes, garbagePart } from '../storage/store-graph.ts';
import { openStoredGraph, type StoredGraph } from '../storage/stored-graph.ts';
import { openStoredPoints, type StoredPoints } from '../storage/stored-points.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { limitGarbage } from '../wasm/set-memory.ts';
import { defaultRitzLandmarks } from './fit-model.ts';
import { inputsOfModel, type LandmarkModel, type Model, outputsOfModel, transformSteps } from './model/model.ts';
import { centerAndRound, ColumnRanges } from './model/point-table.ts';

/** How a model is fitted to a stored graph, and how much memory that takes. */
export interface StoredFitOptions extends ProgressOptions {
  /** The number of coordinates. Default: 2. */
  readonly components?: number;
  /** The number of landmarks. Default: half of the points, at most 2,048. */
  readonly landmarks?: number;
  /** Default: 0. */
  readonly seed?: Seed;
  /**
   * The memory for pages and blocks in bytes, approximately. Each point takes 4 bytes more, and each pair of landmarks 16, for
   * the two matrices of the Ritz problem. Default: 256 MiB.
   */
  readonly memory?: number;
}

const fitRules: Rules<StoredFitOptions> = {
  ...progressRules,
  components: 'number',
  landmarks: 'number',
  seed: 'seed',
  memory: 'number',
};

/** A model and what reading cost. */
export interface StoredFit {
  readonly model: LandmarkModel;
  readonly converged: boolean;
  /** The pages of the graph, of the points, and of the features. */
  readonly statistics: Readonly<Record<'graph' | 'points' | 'features', CacheStatistics>>;
}

const caller = 'fitStored';
/** Points that are described, or transformed, at a time. */
const blockRows = 1 << 13;
/** The parts of the memory for the caches. */
const cacheParts = { graph: 1 / 16, points: 1 / 8, features: 1 / 4 } as const;

/**
 * Fits the Ritz head on landmarks to a graph in a folder and its points in a .npy file. The model has the bits of
 * `SpectralEmbedding` with method 'ritz' on the same graph and points. The features of all points are computed once and kept
 * in a hidden file in the folder of the graph until the fit is done; the matrices of the Ritz problem are sums over its rows.
 */
export async function fitStored(folder: string, path: string, options: StoredFitOptions = {}): Promise<StoredFit> {
  checkOptions(caller, options, fitRules);
  if (typeof folder !== 'string') throw badKind(caller, 'the folder of a stored graph', folder);
  if (typeof path !== 'string') throw badKind(caller, 'the path of a .npy file', path);
  const { memory = defaultStoreBytes } = options;
  checkMemory(caller, memory);
  checkCount(caller, 'components', options.components ?? 2, 1);
  if (options.landmarks !== undefined) checkCount(caller, 'landmarks', options.landmarks, 2);
  const graph = openStoredGraph(folder, { memory: memory * cacheParts.graph });
  const restoreLimit = limitGarbage(memory * garbagePart);
  let points: StoredPoints | null = null;
  try {
    points = openStoredPoints(path, { memory: memory * cacheParts.points });
    return await runAsync(fitSteps(graph, points, options, memory), options);
  } finally {
    restoreLimit();
    points?.close();
    graph.close();
  }
}

function* fitSteps(
  graph: StoredGraph,
  points: StoredPoints,
  options: StoredFitOptions,
  memory: number,
): Task<StoredFit> {
  const { components = 2 } = options;
  const random = new Random(options.seed ?? 0);
  const wanted = Math.min(options.landmarks ?? defaultRitzLandmarks(points.size, components), points.size);
  checkFit(graph, points, components, wanted);
  const center = yield* subtask(centerSteps(points), 0, 0.1);
  const prepare = (rows: Tensor): Tensor => centerAndRound(caller, center, rows) as Tensor;
  const chosen = landmarkOrder({ rows: points.size }, random.fork('landmarks').seed).slice(0, wanted).toSorted();
  const landmarks = new Landmarks(prepare(points.rows(chosen)));
  const features = new FeatureFile(caller, graph.folder, memory * cacheParts.features);
  try {
    for (let from = 0; from < points.size; from += blockRows) {
      const to = Math.min(points.size, from + blockRows);
      const [begun, end] = [from, to].map((row) => 0.1 + (0.3 * row) / points.size);
      features.append(yield* subtask(landmarks.featuresSteps(prepare(points.rowRange(from, to))), begun, end));
    }
    const look = (rows: Int32Array) => {
      const [from, to] = [rows[0], rows[0] + rows.length];
      const { support, ...surroundings } = supportedRows(graph, from, to);
      return { ...surroundings, degrees: graph.degrees(from, to), features: features.rows(support) };
    };
    const pencil = yield* subtask(sumPencilSteps(landmarks.outputs, graph, look), 0.4, 0.9);
    const ritz = { components, seed: random.fork('ritz').seed };
    const head = yield* subtask(headOfPencilSteps(caller, graph.volume, pencil, ritz), 0.9, 1);
    const { weights, bias, eigenvalues, converged } = head;
    const model: LandmarkModel = { kind: 'landmarks', landmarks, head: { weights, bias }, eigenvalues, center };
    const statistics = { graph: graph.statistics, points: points.statistics, features: features.statistics };
    return { model, converged, statistics };
  } finally {
    features.remove();
  }
}

function checkFit(graph: StoredGraph, points: StoredPoints, components: number, landmarks: number): void {
  if (points.size !== graph.size) throw badValue(caller, `${graph.size} points, one for each node`, points.size);
  if (graph.isolated > 0) {
    const remedy = 'Leave them out, or build the graph with more neighbors.';
    throw badValue(caller, 'no isolated nodes', `${graph.isolated} of degree 0`, remedy);
  }
  if (components < landmarks) return;
  throw badValue(
    caller,
    `components below ${landmarks}, the number of landmarks`,
    components,
    'Request more landmarks.',
  );
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

/** How much memory a transformation takes. */
export interface StoredTransformOptions extends ProgressOptions {
  /** The memory to use in bytes, approximately, besides the model. Default: 256 MiB. */
  readonly memory?: number;
}

const transformRules: Rules<StoredTransformOptions> = { ...progressRules, memory: 'number' };

/** The number of points, and the least, mean and greatest of each coordinate. */
export interface StoredCoordinates {
  readonly rows: number;
  readonly columns: readonly { readonly min: number; readonly mean: number; readonly max: number }[];
}

/**
 * Writes the coordinates of the points in a .npy file to another .npy file, block by block, with the bits of `transform`. The
 * output takes its name when it is complete.
 */
export async function transformStored(
  model: Model,
  path: string,
  out: string,
  options: StoredTransformOptions = {},
): Promise<StoredCoordinates> {
  const name = 'transformStored';
  if (model?.kind !== 'landmarks' && model?.kind !== 'network') throw badKind(name, 'a model', model);
  checkOptions(name, options, transformRules);
  if (typeof path !== 'string') throw badKind(name, 'the path of a .npy file', path);
  if (typeof out !== 'string') throw badKind(name, 'the path of a file to write', out);
  const { memory = defaultStoreBytes } = options;
  checkMemory(name, memory);
  const restoreLimit = limitGarbage(memory * garbagePart);
  const points = openStoredPoints(path, { memory: memory * cacheParts.points });
  try {
    return await runAsync(transformFileSteps(name, model, points, out), options);
  } finally {
    restoreLimit();
    points.close();
  }
}

function* transformFileSteps(name: string, model: Model, points: StoredPoints, out: string): Task<StoredCoordinates> {
  const width = outputsOfModel(model);
  if (points.cols !== inputsOfModel(model)) {
    throw badValue(name, `${inputsOfModel(model)} columns as in fit`, points.cols);
  }
  const columns = Array.from({ length: width }, () => ({ min: Infinity, sum: 0, max: -Infinity }));
  const writer = new ArrayWriter('--out', out, '<f4', width);
  try {
    for (let from = 0; from < points.size; from += blockRows) {
      const to = Math.min(points.size, from + blockRows);
      const steps = transformSteps(name, model, points.rowRange(from, to));
      const { data } = yield* subtask(steps, from / points.size, to / points.size);
      for (let at = 0; at < data.length; at++) {
        const column = columns[at % width];
        column.min = Math.min(column.min, data[at]);
        column.max = Math.max(column.max, data[at]);
        column.sum += data[at];
      }
      writer.append(data);
    }
  } catch (error) {
    writer.discard();
    throw error;
  }
  writer.finish();
  return { rows: points.size, columns: columns.map(({ min, sum, max }) => ({ min, mean: sum / points.size, max })) };
}
