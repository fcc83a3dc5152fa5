/** Fits landmarks by regression on the eigenvectors of a stored graph, as `SpectralEmbedding` does in memory. */

import { subtask, type Task, type WaitingTask } from '../core/task.ts';
import { draftPath, sweepFolder } from '../files/drafts.ts';
import { type RegressionProblem, regressionHeadSteps } from '../spectral/regression/regression-head.ts';
import type { FeatureBlock, FeatureBlocks } from '../spectral/regression/normal-equations.ts';
import { mostTargets, storedTargetsSteps } from '../spectral/stored/stored-targets.ts';
import type { RitzHead } from '../spectral/ritz/ritz-head.ts';
import { multiplyDense } from '../sparse/multiply.ts';
import type { CacheStatistics } from '../storage/arrays/page-cache.ts';
import type { FeatureReader } from '../storage/fit/feature-file.ts';
import { RowFile } from '../storage/fit/row-file.ts';
import type { StoredGraph } from '../storage/graph/stored-graph.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { headOfRowsSteps, rowsName } from './fit-stored-network.ts';

/** What such a fit is given, besides the features of all points. */
export interface RegressionFit {
  readonly caller: string;
  readonly graph: StoredGraph;
  readonly components: number;
  readonly seed: RitzSeed;
  /** The number of features, and of those that a point has. */
  readonly features: { readonly cols: number; readonly perPoint: number };
  /** The bytes for eigenvectors and the graph beside them, their share of all memory, and the bytes of the cache of fitted rows. */
  readonly memory: { readonly vectors: number; readonly share: number; readonly rows: number };
}

type RitzSeed = Parameters<typeof headOfRowsSteps>[3]['seed'];

/** The head, and the pages of the file of fitted rows. */
export interface FittedRegression {
  readonly head: RitzHead;
  readonly rows: CacheStatistics | null;
}

/** The number of points whose features are read at a time. */
const blockRows = 1 << 13;

/** `readerSteps` computes the features. It runs after the search for eigenvectors, which takes the most memory. */
export function* fitStoredRegressionSteps(
  fit: RegressionFit,
  readerSteps: () => Task<FeatureReader>,
): WaitingTask<FittedRegression> {
  const { caller, graph, components } = fit;
  const targetsSteps: RegressionProblem['targetsSteps'] = (count) =>
    storedTargetsSteps(caller, graph, count, fit.memory.vectors, fit.memory.share);
  const targets = yield* subtask(targetsSteps(components), 0, 0.5);
  const reader = yield* subtask(readerSteps(), 0.5, 0.7);
  const features = blocksOf(fit, reader);
  let rows: CacheStatistics | null = null;
  const problem: RegressionProblem = {
    degrees: graph.degrees(0, graph.size),
    features,
    mostTargets: mostTargets(graph, fit.memory.vectors),
    targetsSteps,
    *ritzSteps(weights) {
      sweepFolder(graph.folder, [rowsName], 'killed');
      const path = draftPath(`${graph.folder}/${rowsName}`);
      const file = new RowFile(caller, path, graph.size, weights.cols, fit.memory.rows);
      try {
        yield* subtask(writeOutputsSteps(graph, features, weights, file), 0, 0.3);
        const head = yield* subtask(headOfRowsSteps(caller, graph, file, { components, seed: fit.seed }), 0.3, 1);
        rows = file.statistics;
        return head;
      } finally {
        file.remove();
      }
    },
  };
  const head = yield* subtask(regressionHeadSteps(caller, problem, targets), 0.7, 1);
  return { head, rows };
}

function blocksOf(
  { graph: { size }, features: { cols, perPoint } }: RegressionFit,
  reader: FeatureReader,
): FeatureBlocks {
  return { cols, entries: perPoint * size, whole: null, blocks: () => readBlocks(size, reader) };
}

function* readBlocks(size: number, reader: FeatureReader): Generator<FeatureBlock> {
  for (let from = 0; from < size; from += blockRows) {
    yield { from, rows: reader.range(from, Math.min(size, from + blockRows)) };
  }
}

/** Fills the file with the degrees of all nodes and with features·weights. */
function* writeOutputsSteps(
  graph: StoredGraph,
  features: FeatureBlocks,
  weights: Tensor<Float32Array>,
  file: RowFile,
): Task<void> {
  for (const { from, rows } of features.blocks()) {
    file.writeRange(from, graph.degrees(from, from + rows.rows), multiplyDense(rows, weights).data);
    yield from / graph.size;
  }
}
