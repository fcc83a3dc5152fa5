/** Starts a worker for embeddings, in Node and in browsers. */

import { badKind, checkCount } from '../core/check.ts';
import { checkOptions, type Rules } from '../core/options.ts';
import { nodeModule } from '../core/node-module.ts';
import { type EmbeddingWorker, WorkerClient } from './embedding-worker.ts';
import { portTo, type WorkerLike } from './ports.ts';

/** The worker to use, and its number of threads. */
export interface StartWorkerOptions {
  /** A worker that runs `specnet/worker-script`. Default: one that loads `worker-script.js` from beside this module. */
  readonly worker?: WorkerLike;
  /** How many threads share the work, that of the worker counted. Default: as for `setThreads`. */
  readonly threads?: number;
}

const rules: Rules<StartWorkerOptions> = { worker: 'object', threads: 'number' };

/**
 * Starts a worker that runs `fit`, `transform` and `cluster` in a thread of its own. It keeps a process of Node alive only
 * while a call is under way.
 */
export function startWorker(options: StartWorkerOptions = {}): EmbeddingWorker {
  const caller = 'startWorker';
  checkOptions(caller, options, rules);
  const { worker, threads } = options;
  if (threads !== undefined) checkCount(caller, 'threads', threads, 1);
  return new WorkerClient(portTo(caller, worker ?? startScript(caller)), threads);
}

/** Bundlers recognize `new Worker(new URL(…, import.meta.url))` in this very form and bundle the script. */
function startScript(caller: string): WorkerLike {
  const threads = nodeModule('node:worker_threads');
  if (threads) return new threads.Worker(new URL('./worker-script.js', import.meta.url), { execArgv: [] });
  if (typeof Worker === 'undefined') {
    throw badKind(caller, 'a browser or Node 20.16 or newer', 'neither', 'Pass { worker }.');
  }
  return new Worker(new URL('./worker-script.js', import.meta.url), { type: 'module' }) as WorkerLike;
}
