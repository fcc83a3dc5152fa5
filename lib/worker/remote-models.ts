/** The results that a worker returns. Coordinates are copied to this thread; the models behind them stay in the worker. */

import { checkOptions, type Rules } from '../core/options.ts';
import { type ProgressOptions, progressRules } from '../core/task.ts';
import type { ClusterReport } from '../embedding/clustering/cluster-rows.ts';
import type { FitDiagnostics } from '../embedding/spectral-embedding.ts';
import type { PointSource } from '../embedding/model/point-table.ts';
import type { TableEncoding } from '../formats/table/columns/encoding.ts';
import type { Graph } from '../graph/graph.ts';
import type { Tensor } from '../tensor/tensor.ts';
import type { Connection } from './calls.ts';
import type { EmbeddingCalls, HeldModel, SentDiffusionMap, SentEmbedding } from './embedding-calls.ts';
import { sendPoints } from './sent-points.ts';

/** Progress, an abort signal, and whether the points are moved to the worker. */
export interface WorkerCallOptions extends ProgressOptions {
  /**
   * Moves the arrays of the points and of the graph instead of copies, which saves memory; they are empty afterwards.
   * Arrays that cannot be moved, for example those in the kernels' memory, are copied all the same. Default: false.
   */
  readonly transfer?: boolean | undefined;
}

export const callRules = { ...progressRules, transfer: 'boolean' } as const satisfies Rules<WorkerCallOptions>;

/** A model that stays in the worker. */
export interface RemoteModel {
  /** The Rayleigh quotients of the coordinates, descending. */
  readonly eigenvalues: Float64Array;
  /** The columns of the table of the points; null if these came from no table. `transform` finds them in a new table by name. */
  readonly columns: TableEncoding | null;
  /** The coordinates of any points, one row each, computed in the worker. */
  transform(points: PointSource, options?: WorkerCallOptions): Promise<Tensor>;
  /** The bytes of a file, as `saveModel` writes them. `loadModel` turns them into a model in this thread. */
  save(): Promise<Uint8Array>;
}

/** The result of `EmbeddingWorker.fit`: the coordinates here, the function and the graph in the worker. */
export interface RemoteEmbedding extends RemoteModel {
  /** n×components: the coordinates of the points of `fit`. */
  readonly embedding: Tensor;
  /** Whether every solver reached its tolerance. */
  readonly converged: boolean;
  readonly diagnostics: FitDiagnostics;
  /** A copy of the graph, fetched from the worker. */
  graph(): Promise<Graph>;
}

/** The result of `EmbeddingWorker.cluster`: the clusters here, the function in the worker. */
export interface RemoteClustering extends ClusterReport {
  readonly base: RemoteEmbedding;
  /** k×components: the centers of k-means, or the means of the clusters. */
  readonly centers: Tensor<Float32Array>;
  /** Whether both the embedding and the assignment converged. */
  readonly converged: boolean;
  /** The clusters of any points, by the rule that assigned the points of `cluster`. Computed in the worker. */
  predict(points: PointSource, options?: WorkerCallOptions): Promise<Int32Array>;
}

/** The result of `EmbeddingWorker.diffusionMap`: the coordinates here, the function in the worker. */
export interface RemoteDiffusionMap {
  /** The embedding before its columns are scaled by λᵗ. */
  readonly base: RemoteEmbedding;
  /** The number of steps of the random walk. */
  readonly time: number;
  /** n×components: the coordinates of the points, scaled by λᵗ. */
  readonly embedding: Tensor;
  readonly eigenvalues: Float64Array;
  /** The coordinates of any points, scaled by λᵗ. Computed in the worker. */
  transform(points: PointSource, options?: WorkerCallOptions): Promise<Tensor>;
}

/** The calls that apply a model to points, and in whose names their errors are. */
const callers = {
  transform: 'RemoteModel.transform',
  predict: 'RemoteClustering.predict',
  diffuse: 'RemoteDiffusionMap.transform',
} as const;

export class HeldInWorker implements RemoteModel {
  readonly eigenvalues: Float64Array;
  readonly columns: TableEncoding | null;
  protected readonly ask: Connection<EmbeddingCalls>;
  protected readonly id: number;

  constructor(connection: Connection<EmbeddingCalls>, { model, eigenvalues, columns }: HeldModel) {
    this.ask = connection;
    this.id = model;
    this.eigenvalues = eigenvalues;
    this.columns = columns;
  }

  async transform(points: PointSource, options: WorkerCallOptions = {}): Promise<Tensor> {
    return this.apply('transform', points, options);
  }

  async save(): Promise<Uint8Array> {
    return this.ask.call('RemoteModel.save', 'saveModel', this.id);
  }

  /** The coordinates or the clusters of points. */
  async apply<Name extends keyof typeof callers>(
    name: Name,
    points: PointSource,
    options: WorkerCallOptions = {},
  ): Promise<EmbeddingCalls[Name]['output']> {
    checkOptions(callers[name], options, callRules);
    const { progress, signal, transfer } = options;
    const input = { model: this.id, points: sendPoints(points, this.columns) };
    return this.ask.call(callers[name], name, input, { notice: progress, signal, transfer });
  }
}

export class EmbeddingInWorker extends HeldInWorker implements RemoteEmbedding {
  readonly embedding: Tensor;
  readonly converged: boolean;
  readonly diagnostics: FitDiagnostics;

  constructor(connection: Connection<EmbeddingCalls>, sent: SentEmbedding) {
    super(connection, sent);
    this.embedding = sent.embedding;
    this.converged = sent.converged;
    this.diagnostics = sent.diagnostics;
  }

  async graph(): Promise<Graph> {
    return this.ask.call('RemoteEmbedding.graph', 'graph', this.id);
  }
}

/** The clusters of an embedding in a worker. */
export function clusteringOf(
  base: EmbeddingInWorker,
  clusters: Omit<EmbeddingCalls['cluster']['output'], 'base'>,
): RemoteClustering {
  return { base, ...clusters, predict: (points, options) => base.apply('predict', points, options) };
}

/** The diffusion map of an embedding in a worker. */
export function diffusionMapOf(
  base: EmbeddingInWorker,
  { time, embedding }: Omit<SentDiffusionMap, 'base'>,
): RemoteDiffusionMap {
  const { eigenvalues } = base;
  const transform: RemoteDiffusionMap['transform'] = (points, options) => base.apply('diffuse', points, options);
  return { base, time, embedding, eigenvalues, transform };
}
