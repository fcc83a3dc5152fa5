/** `EmbeddingWorker`: embeddings, clusters and diffusion maps that are computed in a worker. */

import { checkOptions, type Rules } from '../core/options.ts';
import type { DiffusionMapOptions, SpectralClusteringOptions } from '../embedding/estimators.ts';
import type { FitOptions, SpectralEmbeddingOptions } from '../embedding/spectral-embedding.ts';
import type { PointSource } from '../embedding/model/point-table.ts';
import { Connection } from './calls.ts';
import type { EmbeddingCalls, HeldModel } from './embedding-calls.ts';
import { embeddingClasses } from './embedding-classes.ts';
import type { OwnerPort } from './ports.ts';
import {
  callRules,
  clusteringOf,
  diffusionMapOf,
  EmbeddingInWorker,
  HeldInWorker,
  type RemoteClustering,
  type RemoteDiffusionMap,
  type RemoteEmbedding,
  type RemoteModel,
  type WorkerCallOptions,
} from './remote-models.ts';
import { sendPoints } from './sent-points.ts';

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
  /** `DiffusionMap.fit` in the worker: the same coordinates, to the bit. */
  diffusionMap(
    points: PointSource,
    options?: DiffusionMapOptions,
    callOptions?: WorkerFitOptions,
  ): Promise<RemoteDiffusionMap>;
  /** A model from the bytes of `saveModel`, to transform points in the worker. */
  loadModel(bytes: Uint8Array): Promise<RemoteModel>;
  /** Ends the worker at once and rejects the calls under way. Resolves when the worker has ended. */
  close(): Promise<void>;
}

const remedies = {
  function: 'Functions stay in their thread: omit this one, or call `fit` of the estimator here. `graph` takes a graph that was built here.', // oxfmt-ignore
  script: "If a bundler moved the script, pass { worker: new Worker(new URL('specnet/worker-script', import.meta.url), { type: 'module' }) }.", // oxfmt-ignore
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
    return this.#holdEmbedding(sent);
  }

  async cluster(
    points: PointSource,
    options: SpectralClusteringOptions,
    callOptions: WorkerFitOptions = {},
  ): Promise<RemoteClustering> {
    const { base, ...clusters } = await this.#learn('cluster', points, options, callOptions);
    return clusteringOf(this.#holdEmbedding(base), clusters);
  }

  async diffusionMap(
    points: PointSource,
    options: DiffusionMapOptions = {},
    callOptions: WorkerFitOptions = {},
  ): Promise<RemoteDiffusionMap> {
    const { base, ...map } = await this.#learn('diffusionMap', points, options, callOptions);
    return diffusionMapOf(this.#holdEmbedding(base), map);
  }

  async loadModel(bytes: Uint8Array): Promise<RemoteModel> {
    const sent = await this.#connection.call('EmbeddingWorker.loadModel', 'loadModel', bytes);
    return this.#hold(new HeldInWorker(this.#connection, sent), sent);
  }

  async close(): Promise<void> {
    this.#connection.fail(new Error(`EmbeddingWorker: expected an open worker, got a closed one. ${remedies.closed}`));
    await this.#port.terminate();
  }

  async #learn<Name extends 'fit' | 'cluster' | 'diffusionMap'>(
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

  #holdEmbedding(sent: EmbeddingCalls['fit']['output']): EmbeddingInWorker {
    return this.#hold(new EmbeddingInWorker(this.#connection, sent), sent);
  }

  #hold<T extends HeldInWorker>(held: T, { model }: HeldModel): T {
    this.#released.register(held, model);
    return held;
  }
}
