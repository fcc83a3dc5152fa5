/** `EmbeddingWorker`: `fit` and `cluster` in a worker, and the models that stay there. */

import { checkOptions, type Rules } from '../core/options.ts';
import { type ProgressOptions, progressRules } from '../core/task.ts';
import type { ClusterReport } from '../embedding/clustering/cluster-rows.ts';
import type { SpectralClusteringOptions } from '../embedding/estimators.ts';
import type { FitDiagnostics, FitOptions, SpectralEmbeddingOptions } from '../embedding/spectral-embedding.ts';
import type { PointSource } from '../embedding/model/point-table.ts';
import type { Graph } from '../graph/graph.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { Connection } from './calls.ts';
import type { EmbeddingCalls, HeldModel, SentEmbedding } from './embedding-calls.ts';
import { embeddingClasses } from './embedding-classes.ts';
import type { OwnerPort } from './ports.ts';
import { sendPoints } from './sent-points.ts';

/** Progress, an abort signal, and whether the points are moved to the worker. */
export interface WorkerCallOptions extends ProgressOptions {
  /**
   * Moves the arrays of the points and of the graph instead of copies, which saves memory; they are empty afterwards.
   * Arrays that cannot be moved, for example those in the kernels' memory, are copied all the same. Default: false.
   */
  readonly transfer?: boolean | undefined;
}

const callRules = { ...progressRules, transfer: 'boolean' } as const satisfies Rules<WorkerCallOptions>;

/** The options of `fit`, and whether the points are moved to the worker. */
export interface WorkerFitOptions extends FitOptions, WorkerCallOptions {}

const fitRules: Rules<WorkerFitOptions> = {
  ...callRules,
  graph: 'object',
  distances: 'object',
  neighbors: 'object',
};

/** A worker that computes embeddings. It works on one call at a time, in the order of the calls. */
export interface EmbeddingWorker {
  /** `SpectralEmbedding.fit` in the worker: the same coordinates, to the bit. */
  fit(
    points: PointSource,
    options?: SpectralEmbeddingOptions,
    callOptions?: WorkerFitOptions,
  ): Promise<RemoteEmbedding>;
  /** `SpectralClustering.fit` in the worker: the same clusters. */
  cluster(
    points: PointSource,
    options: SpectralClusteringOptions,
    callOptions?: WorkerFitOptions,
  ): Promise<RemoteClustering>;
  /** A model from the bytes of `saveModel`, to transform points in the worker. */
  loadModel(bytes: Uint8Array): Promise<RemoteModel>;
  /** Ends the worker at once and rejects the calls under way. Resolves when the worker has ended. */
  close(): Promise<void>;
}

/** A model that stays in the worker. */
export interface RemoteModel {
  /** The Rayleigh quotients of the coordinates, descending. */
  readonly eigenvalues: Float64Array;
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

const remedies = {
  function: 'Functions stay in their thread: omit this one, or call `fit` of the estimator here. `graph` takes a graph that was built here.', // prettier-ignore
  script: "If a bundler moved the script, pass { worker: new Worker(new URL('specnet/worker-script', import.meta.url), { type: 'module' }) }.", // prettier-ignore
  closed: 'startWorker() starts another.',
};

/** An `EmbeddingWorker` on a port to a thread that runs `embeddingService`. */
export class WorkerClient implements EmbeddingWorker {
  readonly #port: OwnerPort;
  readonly #connection: Connection<EmbeddingCalls>;
  /** Lets the worker forget a model once nothing refers to it here. */
  readonly #released = new FinalizationRegistry((model: number) => {
    this.#connection.call('release', 'release', model).catch(() => {}); // the worker was closed
  });

  constructor(port: OwnerPort, threads: number | undefined) {
    this.#port = port;
    this.#connection = new Connection<EmbeddingCalls>(port, embeddingClasses, (isBusy) => port.keepAlive(isBusy));
    port.onFailure((reason) => this.#fail(reason));
    port.keepAlive(false); // last, since to listen keeps a process of Node alive
    if (threads === undefined) return;
    this.#connection.call('startWorker', 'setThreads', threads).catch((error: Error) => this.#connection.fail(error));
  }

  async fit(
    points: PointSource,
    options: SpectralEmbeddingOptions = {},
    callOptions: WorkerFitOptions = {},
  ): Promise<RemoteEmbedding> {
    const sent = await this.#learn('fit', points, options, callOptions);
    return this.#hold(new HeldEmbedding(this.#connection, sent), sent);
  }

  async cluster(
    points: PointSource,
    options: SpectralClusteringOptions,
    callOptions: WorkerFitOptions = {},
  ): Promise<RemoteClustering> {
    const { base, ...clusters } = await this.#learn('cluster', points, options, callOptions);
    const embedding = this.#hold(new HeldEmbedding(this.#connection, base), base);
    const predict: RemoteClustering['predict'] = (others, rest) => embedding.apply('predict', others, rest);
    return { base: embedding, ...clusters, predict };
  }

  async loadModel(bytes: Uint8Array): Promise<RemoteModel> {
    const sent = await this.#connection.call('EmbeddingWorker.loadModel', 'loadModel', bytes);
    return this.#hold(new Held(this.#connection, sent), sent);
  }

  async close(): Promise<void> {
    this.#connection.fail(new Error(`EmbeddingWorker: expected an open worker, got a closed one. ${remedies.closed}`));
    await this.#port.terminate();
  }

  async #learn<Name extends 'fit' | 'cluster'>(
    name: Name,
    points: PointSource,
    options: EmbeddingCalls[Name]['input']['options'],
    callOptions: WorkerFitOptions,
  ): Promise<EmbeddingCalls[Name]['output']> {
    const caller = `EmbeddingWorker.${name}`;
    checkOptions(caller, callOptions, fitRules);
    const { progress, signal, transfer, ...source } = callOptions;
    const input = { points: sendPoints(points), options, source } as EmbeddingCalls[Name]['input'];
    return this.#connection.call(caller, name, input, {
      notice: progress,
      signal,
      transfer,
      remedy: remedies.function,
    });
  }

  #fail(reason: string): void {
    const rule = 'EmbeddingWorker: expected a worker that runs specnet/worker-script';
    this.#connection.fail(new Error(`${rule}, got ${reason}. ${remedies.script}`));
    void this.#port.terminate();
  }

  #hold<T extends Held>(held: T, { model }: HeldModel): T {
    this.#released.register(held, model);
    return held;
  }
}

class Held implements RemoteModel {
  readonly eigenvalues: Float64Array;
  protected readonly ask: Connection<EmbeddingCalls>;
  protected readonly id: number;

  constructor(connection: Connection<EmbeddingCalls>, { model, eigenvalues }: HeldModel) {
    this.ask = connection;
    this.id = model;
    this.eigenvalues = eigenvalues;
  }

  async transform(points: PointSource, options: WorkerCallOptions = {}): Promise<Tensor> {
    return this.apply('transform', points, options);
  }

  async save(): Promise<Uint8Array> {
    return this.ask.call('RemoteModel.save', 'saveModel', this.id);
  }

  /** The coordinates or the clusters of points. */
  async apply<Name extends 'transform' | 'predict'>(
    name: Name,
    points: PointSource,
    options: WorkerCallOptions = {},
  ): Promise<EmbeddingCalls[Name]['output']> {
    const caller = `${name === 'predict' ? 'RemoteClustering' : 'RemoteModel'}.${name}`;
    checkOptions(caller, options, callRules);
    const { progress, signal, transfer } = options;
    const input = { model: this.id, points: sendPoints(points) };
    return this.ask.call(caller, name, input, { notice: progress, signal, transfer });
  }
}

class HeldEmbedding extends Held implements RemoteEmbedding {
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
