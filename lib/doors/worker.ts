/** `specnet/worker`: embeddings, clusters and diffusion maps in a worker, off the main thread, in Node and in browsers. */

export { startWorker } from '../worker/start-worker.ts';
export type { StartWorkerOptions } from '../worker/start-worker.ts';
export type { EmbeddingWorker, WorkerFitOptions } from '../worker/embedding-worker.ts';
export type {
  RemoteClustering,
  RemoteDiffusionMap,
  RemoteEmbedding,
  RemoteModel,
  WorkerCallOptions,
} from '../worker/remote-models.ts';
export type { WorkerLike } from '../worker/ports.ts';
