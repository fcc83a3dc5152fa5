/** A user's program with a worker: what comes back has types, and mistakes are found. */

import { type EmbeddingWorker, type RemoteEmbedding, startWorker } from 'specnet/worker';

const worker: EmbeddingWorker = startWorker();
const options = { progress: (fraction: number) => void fraction, signal: new AbortController().signal };
const fitted: RemoteEmbedding = await worker.fit([[0, 1]], { components: 1 }, options);
export const rows: number[][] = (await fitted.transform([[0, 1]], { transfer: true })).toArray();
export const labels: Int32Array = (await worker.cluster([[0, 1]], { clusters: 2 })).labels;
export const other = startWorker({ worker: new Worker('worker-script.js', { type: 'module' }) });
// @ts-expect-error text is not a table of points
await worker.fit('hello');
// @ts-expect-error an unknown option
await worker.fit([[0, 1]], { component: 2 });
await worker.close();
