/** Trainings by SpecNet2 on a graph and points in files: the parts of a step that read them, in the loop that all trainings share. */

import { badValue } from '../../core/check.ts';
import { subtask, type Task } from '../../core/task.ts';
import type { Network } from '../../network/bodies/network.ts';
import type { CacheStatistics } from '../../storage/arrays/page-cache.ts';
import type { RowLayout } from '../../storage/arrays/paged-file.ts';
import { ReadAhead } from '../../storage/fit/read-ahead.ts';
import { RowFile } from '../../storage/fit/row-file.ts';
import { RowQueue } from '../../storage/fit/row-queue.ts';
import type { StoredGraph } from '../../storage/graph/stored-graph.ts';
import { countNeighbors, Inclusion } from '../descent/inclusion.ts';
import { type Moments, zeroMoments } from '../descent/moments.ts';
import { edgeProcedure, type EdgeSettings, type EdgeSource, resolveEdges } from '../train/edges.ts';
import { type Procedure, TrainingLoop } from '../train/loop.ts';
import type { LoopSource, TrainingState, TrainOptions } from '../train/options.ts';
import { resolveSpecnet, specnetProcedure } from '../train/specnet.ts';
import { StoredBatch } from './stored-batch.ts';
import { type PointReader, storedChain } from './stored-chain.ts';
import { storedEdgesSteps } from './stored-edges.ts';

/** A training whose graph and points are in files. */
export interface StoredTraining {
  readonly caller: string;
  readonly graph: StoredGraph;
  readonly network: Network;
  /** Makes a function that reads points by number, as the network takes them. Its result is valid until its next call. */
  readonly reader: () => PointReader;
  readonly options: Omit<TrainOptions, 'from'>;
  /** The path of the file of rows, or of the table of edges, and the bytes of its cache. */
  readonly rowsPath: string;
  readonly rowsMemory: number;
  /** The bytes of the rows of W that are read for several batches at a time. */
  readonly queueMemory: number;
  readonly checkpoints: Checkpoints | null;
  /** Where the points are, if rows of the neighbor scheme are read ahead; null if not. */
  readonly ahead: RowLayout | null;
}

/** Where the state of a training is kept, to continue from. */
export interface Checkpoints {
  /** The last state, and whether `rows` was filled with its rows; null if there is none. */
  restore(rows: RowFile | null): SavedTraining | null;
  save(saved: SavedTraining, rows: RowFile | null): void;
}

/** A state with the record of the moments, which belongs to the steps within an epoch. */
export interface SavedTraining {
  readonly state: TrainingState;
  readonly record: Moments;
}

/** Rows that are evaluated at a time. */
const blockRows = 1 << 13;
/** Longer batches read so much of the files that the system reads ahead for itself. */
const mostAhead = 1 << 12;
/** The least number of steps between two checkpoints, and the largest number of checkpoints in an epoch. */
const [leastSteps, checkpointsPerEpoch] = [256, 8];

/** Trains the network in place. Resolves with what the file of rows was read. */
export function* trainStoredSteps(training: StoredTraining): Task<CacheStatistics | null> {
  const { scheme = 'neighbor' } = training.options;
  if (scheme === 'edges') return yield* trainOnStoredEdgesSteps(training);
  if (scheme === 'neighbor') return yield* trainStoredNeighborSteps(training);
  const remedy = 'The other schemes need all rows at once.';
  throw badValue(training.caller, "scheme 'neighbor' or 'edges' for a stored graph", `'${scheme}'`, remedy);
}

function* trainStoredNeighborSteps(training: StoredTraining): Task<CacheStatistics> {
  const { caller, graph, network, reader, rowsPath, rowsMemory } = training;
  const isCorrected = training.options.moments === 'corrected';
  const inclusion = isCorrected ? yield* subtask(inclusionSteps(graph), 0, 0.02) : null;
  const settings = resolveSpecnet(training, { inclusion: () => inclusion!, take: takeNew(training) });
  const width = network.outputs;
  const queue = new RowQueue(graph, training.queueMemory);
  const file = new RowFile(caller, rowsPath, graph.size, width, rowsMemory);
  let readAhead: ReadAhead | null = null;
  try {
    const record = zeroMoments(width);
    const saved = training.checkpoints?.restore(file) ?? null;
    if (!saved) yield* subtask(firstRowsSteps(training, file), 0.02, 0.05);
    const options = { ...training.options, ...(saved && { from: saved.state }) };
    const factor = settings.scale === 'calibrated' ? graph.size ** 2 / graph.volume : 1;
    const { pencil: kind, deflate } = settings;
    const batch = new StoredBatch({ caller, graph, kind, deflate, factor }, file, queue);
    const loop = new TrainingLoop({ network, options }, settings, sourceOf(training));
    if (saved) {
      record.gram.set(saved.record.gram);
      record.mean.set(saved.record.mean);
    } else batch.measure(record);
    const procedure = specnetProcedure({ network, options }, settings, loop, {
      size: graph.size,
      look: batch.look,
      chain: storedChain(caller, network.layers, reader()),
      // The product of W[B,S] takes the rows of S that were just computed.
      table: null,
      moments: batch.moments(record, inclusion),
      measure: () => batch.measure(record),
      state: () => ({ scheme: 'neighbor', rows: null }),
    });
    const { ahead } = training;
    readAhead = ahead && new ReadAhead(graph, [ahead, file.table], mostAhead);
    yield* subtask(runSavedSteps(training, loop, procedure, record, { file, queue, readAhead }), 0.05, 1);
    return { ...file.statistics, ...(readAhead && { pagesAhead: readAhead.pages }) };
  } finally {
    void readAhead?.close();
    file.remove();
  }
}

function* trainOnStoredEdgesSteps(training: StoredTraining): Task<CacheStatistics | null> {
  const { caller, graph } = training;
  const settings = resolveEdges(training, graph.nonzeros);
  const { rowsPath: path, rowsMemory: memory } = training;
  const edges = yield* subtask(storedEdgesSteps(caller, graph, { path, memory }), 0, 0.05);
  try {
    yield* trainOnSourceSteps(training, settings, edges);
    return edges.statistics;
  } finally {
    edges.close();
  }
}

function* trainOnSourceSteps(training: StoredTraining, settings: EdgeSettings, edges: EdgeSource): Task<void> {
  const { caller, graph, network, reader } = training;
  const saved = training.checkpoints?.restore(null) ?? null;
  const options = { ...training.options, ...(saved && { from: saved.state }) };
  const loop = new TrainingLoop({ network, options }, settings, sourceOf(training));
  const chain = storedChain(caller, network.layers, reader());
  const procedure = edgeProcedure({ graph, network, options }, settings, loop, chain, edges);
  yield* subtask(runSavedSteps(training, loop, procedure, zeroMoments(0), null), 0.05, 1);
}

function sourceOf(training: StoredTraining): LoopSource {
  const { graph } = training;
  return { size: graph.size, fingerprint: () => parseInt(graph.checksum, 16), take: takeNew(training) };
}

/** Reads points that stay valid. */
function takeNew({ reader }: StoredTraining): PointReader {
  return (rows) => reader()(rows);
}

/** Runs the loop, and saves its state now and then and at the end. The bits do not depend on it. */
function* runSavedSteps(
  { checkpoints, graph }: StoredTraining,
  loop: TrainingLoop,
  procedure: Procedure,
  record: Moments,
  files: { readonly file: RowFile; readonly queue: RowQueue; readonly readAhead: ReadAhead | null } | null,
): Task<void> {
  let [steps, rows] = [0, 0];
  const save = (): void => {
    [steps, rows] = [0, 0];
    checkpoints?.save({ state: loop.state(procedure), record }, files && files.file);
  };
  const saving: Procedure = {
    ...procedure,
    batches(random) {
      const batches = procedure.batches(random);
      if (!files) return batches;
      const queued = files.queue.before(batches);
      return files.readAhead ? files.readAhead.before(queued) : queued;
    },
    get flops() {
      return procedure.flops;
    },
    step(batch) {
      procedure.step(batch);
      steps++;
      rows += batch.length;
      if (steps >= leastSteps && rows >= graph.size / checkpointsPerEpoch) save();
    },
  };
  yield* loop.runSteps(saving);
  save();
}

/** The probabilities of all rows, from one pass over the graph. */
function* inclusionSteps(graph: StoredGraph): Task<Inclusion> {
  const counts = new Int32Array(graph.size);
  for (let from = 0; from < graph.size; from += blockRows) {
    countNeighbors(graph.rowRange(from, Math.min(graph.size, from + blockRows)), from, counts);
    yield from / graph.size;
  }
  return new Inclusion(counts);
}

/** Fills the file with the degrees of all nodes and the outputs of the network. */
export function* firstRowsSteps({ graph, network, reader }: StoredTraining, file: RowFile): Task<void> {
  const read = reader();
  for (let from = 0; from < graph.size; from += blockRows) {
    const to = Math.min(graph.size, from + blockRows);
    const rows = Int32Array.from({ length: to - from }, (_, i) => from + i);
    file.writeRange(from, graph.degrees(from, to), network.evaluate(read(rows)).data);
    yield from / graph.size;
  }
}
