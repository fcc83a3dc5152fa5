/** Fits a network by SpecNet1 or SpecNet2 to a graph and points in files, as `SpectralEmbedding` does in memory. */

import { badValue, placeOf } from '../core/check.ts';
import { Random, type Seed } from '../core/random.ts';
import { subtask, type Task } from '../core/task.ts';
import { draftPath, sweepFolder } from '../files/drafts.ts';
import { largestMagnitude } from '../linalg/matrix.ts';
import { Mlp, type MlpOptions } from '../network/bodies/mlp.ts';
import { checkMemory } from '../network/bodies/network.ts';
import { isSparseFaster, nonzerosIn } from '../network/layers/inputs.ts';
import { fromDense } from '../sparse/build.ts';
import { sumPencilSteps } from '../spectral/ritz/feature-pencil.ts';
import { headOfPencilSteps, type RitzHead } from '../spectral/ritz/ritz-head.ts';
import type { PointReader } from '../spectral/stored/stored-chain.ts';
import { firstRowsSteps, type StoredTraining, trainStoredSteps } from '../spectral/stored/train-stored.ts';
import type { TrainOptions } from '../spectral/train/options.ts';
import type { CacheStatistics } from '../storage/arrays/page-cache.ts';
import { supportFinder } from '../storage/fit/feature-file.ts';
import { exceedsMemory } from '../storage/fit/read-ahead.ts';
import { RowFile } from '../storage/fit/row-file.ts';
import type { StoredGraph } from '../storage/graph/stored-graph.ts';
import type { StoredPoints } from '../storage/stored-points.ts';
import { Tensor } from '../tensor/tensor.ts';
import { composeHead, guardsOf, specnetDefaults, usesCorrected } from './fit-network.ts';
import type { NetworkModel } from './model/model.ts';
import { absorbScale, scaleFor } from './model/point-scale.ts';
import { centerAndRound } from './model/point-table.ts';
import { CheckpointFolder } from './checkpoint-folder.ts';

/** What such a fit is given. */
export interface NetworkFit {
  readonly caller: string;
  readonly graph: StoredGraph;
  readonly points: StoredPoints;
  readonly center: Float64Array | null;
  readonly components: number;
  readonly method: 'specnet1' | 'specnet2';
  readonly hidden: readonly number[];
  readonly activation: MlpOptions['activation'];
  readonly training: Omit<TrainOptions, 'method' | 'seed' | 'progress' | 'signal' | 'from'>;
  readonly seed: Seed;
  /** The bytes of the cache of the file of rows. */
  readonly memory: number;
  /** The bytes of rows of the graph that are read for several batches at a time. */
  readonly queueMemory: number;
  /** The folder of the checkpoint, if there is one. */
  readonly checkpoint: string | undefined;
}

export interface FittedNetwork {
  readonly model: NetworkModel;
  readonly converged: boolean;
  /** The pages of the file of rows. */
  readonly rows: CacheStatistics;
}

/** Points that are read at a time. */
const blockRows = 1 << 13;
/** The name of the hidden files of rows in the folder of the graph. */
export const rowsName = 'rows';

export function* fitStoredNetworkSteps(fit: NetworkFit): Task<FittedNetwork> {
  const { caller, graph, points, center, components, method, hidden, activation, memory } = fit;
  const random = new Random(fit.seed);
  if (components > graph.size - 1) {
    throw badValue(caller, `at most ${graph.size - 1} components, one less than points`, components);
  }
  const given = { ...fit.training, method, seed: random.fork('training').seed } as const;
  const guards = usesCorrected(given) ? guardsOf(graph, hidden.at(-1) ?? points.cols, components) : 0;
  const sizes = [points.cols, ...hidden, components + guards];
  checkMemory(caller, sizes);
  const network = new Mlp(sizes, { ...(activation && { activation }), seed: random.fork('network').seed });
  const { scale, reader } = yield* subtask(readerSteps(fit), 0, 0.02);
  const options = { ...specnetDefaults(given), ...given };
  const { onEpoch: _, ...lasting } = options;
  const plan = { graph: graph.checksum, points: points.fingerprint(), sizes, activation, options: lasting };
  const checkpoints = fit.checkpoint === undefined ? null : new CheckpointFolder(caller, fit.checkpoint, plan);
  sweepFolder(graph.folder, [rowsName], 'killed');
  const rowsPath = draftPath(`${graph.folder}/${rowsName}`);
  const isLarge = exceedsMemory(graph.bytes + 4 * points.size * points.cols);
  const files = {
    rowsPath,
    rowsMemory: memory,
    queueMemory: fit.queueMemory,
    checkpoints,
    ahead: isLarge ? points.table : null,
  };
  const training: StoredTraining = { caller, graph, network, reader, options, ...files };
  try {
    const trained = yield* subtask(trainStoredSteps(training), 0.02, 0.9);
    const ritz = { components, seed: random.fork('ritz').seed };
    const { head, statistics } = yield* subtask(headSteps(training, ritz), 0.9, 1);
    const composed = composeHead(network, head);
    absorbScale(composed, scale);
    const { eigenvalues, converged } = head;
    return {
      model: { kind: 'network', network: composed, eigenvalues, center },
      converged,
      rows: trained ?? statistics,
    };
  } finally {
    checkpoints?.close();
  }
}

/** The Ritz head of the outputs of the network, which are computed once and kept in a file. */
function* headSteps(training: StoredTraining, ritz: { readonly components: number; readonly seed: Seed }) {
  const { caller, graph, network, rowsPath, rowsMemory } = training;
  const file = new RowFile(caller, rowsPath, graph.size, network.outputs, rowsMemory);
  try {
    yield* subtask(firstRowsSteps(training, file), 0, 0.4);
    const head = yield* subtask(headOfRowsSteps(caller, graph, file, ritz), 0.4, 1);
    return { head, statistics: file.statistics };
  } finally {
    file.remove();
  }
}

/** The Ritz head of features in a file, a row for each node. */
export function* headOfRowsSteps(
  caller: string,
  graph: StoredGraph,
  file: RowFile,
  ritz: { readonly components: number; readonly seed: Seed },
): Task<RitzHead> {
  const { width } = file;
  const supportOf = supportFinder(graph);
  const look = (rows: Int32Array) => {
    const { support, ...surroundings } = supportOf(rows[0], rows[0] + rows.length);
    const { data } = file.read(support);
    const degrees = graph.degrees(rows[0], rows[0] + rows.length);
    return { ...surroundings, degrees, features: new Tensor(data, [support.length, width]) };
  };
  const pencil = yield* subtask(sumPencilSteps(width, graph, look), 0, 0.8);
  return yield* subtask(headOfPencilSteps(caller, graph.volume, pencil, ritz), 0.8, 1);
}

/** Reads points as the network takes them: centered, of order one, and sparse if that is faster. One pass over all decides. */
function* readerSteps({ caller, points, center }: NetworkFit): Task<{ scale: number; reader: () => PointReader }> {
  let [largest, nonzeros] = [0, 0];
  for (let from = 0; from < points.size; from += blockRows) {
    const rows = centerAndRound(caller, center, points.rowRange(from, Math.min(points.size, from + blockRows)));
    largest = Math.max(largest, largestMagnitude((rows as Tensor).data));
    nonzeros += nonzerosIn(rows as Tensor);
    yield from / points.size;
  }
  const scale = scaleFor(largest);
  const isSparse = isSparseFaster(points.cols, points.size * points.cols, nonzeros);
  const reader = (): PointReader => {
    const take = points.rowTaker();
    return (rows) => {
      const taken = take(rows);
      if (center || scale !== 1) centerAndDivide(caller, center, scale, taken);
      return isSparse ? fromDense(taken) : taken;
    };
  };
  return { scale, reader };
}

/** `centerAndRound`, then the points divided by the scale, in place. */
function centerAndDivide(
  caller: string,
  center: Float64Array | null,
  scale: number,
  { cols, data }: Tensor<Float32Array>,
): void {
  for (let i = 0, j = 0; i < data.length; i++, j = j + 1 < cols ? j + 1 : 0) {
    const value = Math.fround(center ? data[i] - center[j] : data[i]);
    if (!Number.isFinite(value)) {
      const got = `${data[i]} at ${placeOf(i, cols)}`;
      throw badValue(caller, 'points of at most 3.4e38, which single precision can hold', got);
    }
    data[i] = value / scale;
  }
}
