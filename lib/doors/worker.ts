/** `specnet/worker`: `fit`, `transform` and clustering in a worker, off the main thread, in Node and in browsers. */

export { startWorker } from '../worker/start-worker.ts';
export type { StartWorkerOptions } from '../worker/start-worker.ts';
export type {
  EmbeddingWorker,
  RemoteClustering,
  RemoteEmbedding,
  RemoteModel,
  WorkerCallOptions,
  WorkerFitOptions,
} from '../worker/embedding-worker.ts';
export type { WorkerLike } from '../worker/ports.ts';
