/** The two ends of a channel between threads, the same for workers of browsers and of Node. */

import { badKind } from '../core/check.ts';
import { nodeModule, type NodeWorker } from '../core/node-module.ts';

/** One end of a channel. */
export interface Port {
  post(message: unknown, buffers: ArrayBuffer[]): void;
  listen(onMessage: (message: unknown) => void): void;
}

/** The end that owns the worker. */
export interface OwnerPort extends Port {
  /** Called if the worker cannot start, throws outside of a call, or ends by itself. */
  onFailure(listener: (reason: string) => void): void;
  /** Whether the worker keeps the process of Node alive. */
  keepAlive(isNeeded: boolean): void;
  terminate(): Promise<void>;
}

/** A worker of a browser, `new Worker(url, { type: 'module' })`, or one of Node's `worker_threads`. */
export interface WorkerLike {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  terminate(): unknown;
}

/** A module worker of a browser. */
interface WebWorker extends WorkerLike {
  addEventListener(name: string, listener: (event: never) => void): void;
}

/** The port to a worker. */
export function portTo(caller: string, worker: WorkerLike): OwnerPort {
  if (worker && 'on' in worker) return portToThread(worker as NodeWorker);
  if (worker && 'addEventListener' in worker) return portToWebWorker(worker as WebWorker);
  throw badKind(caller, 'a Worker', worker, "Pass new Worker(address, { type: 'module' }).");
}

/** The port to the thread that started this worker. */
export function portToOwner(): Port {
  const thread = nodeModule('node:worker_threads')?.parentPort;
  if (thread) {
    return {
      post: (message, buffers) => thread.postMessage(message, buffers),
      listen: (onMessage) => thread.on('message', onMessage),
    };
  }
  const scope = globalThis as unknown as Pick<WebWorker, 'postMessage' | 'addEventListener'>;
  return {
    post: (message, buffers) => scope.postMessage(message, buffers),
    listen: (onMessage) => scope.addEventListener('message', ({ data }: MessageEvent) => onMessage(data)),
  };
}

const unreadable = 'a message that cannot be read';

function portToThread(worker: NodeWorker): OwnerPort {
  let isEnding = false;
  return {
    post: (message, buffers) => worker.postMessage(message, buffers),
    listen: (onMessage) => worker.on('message', onMessage),
    onFailure: (listener) => {
      worker.on('error', (error) => listener(error instanceof Error ? error.message : String(error)));
      worker.on('messageerror', () => listener(unreadable));
      worker.on('exit', (code) => listener(`its end with exit code ${String(code)}`));
    },
    keepAlive: (isNeeded) => (isNeeded || isEnding ? worker.ref() : worker.unref()),
    terminate: async () => {
      isEnding = true;
      worker.ref(); // else a process without other work ends before the promise is resolved
      await worker.terminate();
    },
  };
}

function portToWebWorker(worker: WebWorker): OwnerPort {
  return {
    post: (message, buffers) => worker.postMessage(message, buffers),
    listen: (onMessage) => worker.addEventListener('message', ({ data }: MessageEvent) => onMessage(data)),
    onFailure: (listener) => {
      // A script that cannot be loaded causes an event without a message.
      worker.addEventListener('error', (event: ErrorEvent) => {
        event.preventDefault();
        listener(event.message || 'no script at its address');
      });
      worker.addEventListener('messageerror', () => listener(unreadable));
    },
    keepAlive: () => {},
    terminate: async () => void worker.terminate(),
  };
}
