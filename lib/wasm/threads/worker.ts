/** Workers that run kernels. Each has its own instances of the modules, on the same memory. `startWorker` starts one. */

import { nodeModule } from '../../core/node-module.ts';
import { mostOperands } from '../assembler/assembler.ts';
import type { AnyRoutine } from '../assembler/compile.ts';
import type { Repeat } from '../assembler/statements.ts';

/** The layout of the mailbox, by which threads communicate, in kernel memory. Counters only rise, and wrap around. */
export const mailbox = {
  /** Indices into an Int32Array: the range of calls to make, the number that workers have made, and 1 + the last call that failed. */
  begin: 0,
  end: 1,
  done: 16,
  failed: 48,
  /** The number of workers that sleep or are about to, and whether the caller sleeps: only these need to be woken. */
  sleepers: 49,
  callerSleeps: 50,
  /** A thread claims a call by writing its number to its slot here. Each slot has a cache line, so that threads do not wait for each other. */
  claims: 64,
  claimStep: 16,
  /** The offset of the calls in bytes, and their number, a power of two. A call is the number of its routine and its operands. */
  calls: 256 + 64 * 256,
  capacity: 256,
  callLength: 1 + mostOperands,
} as const;

export interface WorkerData {
  readonly modules: readonly WebAssembly.Module[];
  readonly memory: WebAssembly.Memory;
  /** The address of the mailbox. */
  readonly address: number;
  /** The start of its share of the calls, as a fraction of all. */
  readonly place: number;
}

/** How often a worker polls for the next call before it sleeps. It takes longer than the pauses within a training step. */
const polls = 50_000;

const operands = Array.from({ length: mailbox.callLength - 1 }, (_, i) => i + 1);

/** Makes the call at this place. The operands are written out: spreading an array takes longer than a short call. */
export function makeCall(routines: readonly AnyRoutine[], calls: Float64Array, at: number): void {
  const routine = routines[calls[at]] as (...operands: Repeat<number, typeof mostOperands>) => void;
  // oxfmt-ignore
  routine(
    calls[at + 1], calls[at + 2], calls[at + 3], calls[at + 4], calls[at + 5], calls[at + 6], calls[at + 7], calls[at + 8],
    calls[at + 9], calls[at + 10], calls[at + 11], calls[at + 12], calls[at + 13], calls[at + 14], calls[at + 15],
  );
}

/**
 * The program of a worker, as text, so that no bundler has to find a file and no minifier can break it. A worker first makes the
 * calls of its share, then calls of others that are not claimed. Its share is the same part of a matrix in every step and stays
 * in the cache of its core. Without calls, it polls for some microseconds and then sleeps until it is woken. It reads `begin`
 * after `end`: if the caller has moved on by then, there is nothing between them. A call is claimed if its slot has its number;
 * numbers in a slot only rise.
 */
const source = `
'use strict';
const serve = ({ modules, memory, address, place }) => {
  const instances = modules.map((module) => new WebAssembly.Instance(module, { env: { memory } }));
  const routines = instances.flatMap(({ exports }) => Object.values(exports));
  const state = new Int32Array(memory.buffer, address, ${mailbox.calls / 4});
  const calls = new Float64Array(memory.buffer, address + ${mailbox.calls}, ${mailbox.capacity * mailbox.callLength});
  for (let idle = 0, seen = 0; ; ) {
    const end = Atomics.load(state, ${mailbox.end});
    if (end === seen) {
      if (++idle > ${polls}) {
        Atomics.add(state, ${mailbox.sleepers}, 1);
        Atomics.wait(state, ${mailbox.end}, end);
        Atomics.sub(state, ${mailbox.sleepers}, 1);
        idle = 0;
      }
      continue;
    }
    seen = end;
    idle = 0;
    const begin = Atomics.load(state, ${mailbox.begin});
    const count = (end - begin) | 0;
    const first = Math.floor(count * place);
    for (let i = 0; i < count; i++) {
      const call = (begin + ((first + i) % count)) | 0;
      const slot = call & ${mailbox.capacity - 1};
      const claim = ${mailbox.claims} + ${mailbox.claimStep} * slot;
      const last = Atomics.load(state, claim);
      if (((call - last) | 0) <= 0 || Atomics.compareExchange(state, claim, last, call) !== last) continue;
      const at = slot * ${mailbox.callLength};
      try {
        routines[calls[at]](${operands.map((i) => `calls[at + ${i}]`)});
      } catch {
        Atomics.store(state, ${mailbox.failed}, call + 1);
      }
      Atomics.add(state, ${mailbox.done}, 1);
      if (Atomics.load(state, ${mailbox.callerSleeps})) Atomics.notify(state, ${mailbox.done});
    }
  }
};
if (typeof require === 'function') serve(require('node:worker_threads').workerData);
else onmessage = ({ data }) => serve(data);
`;

/** The number of processors. */
export function processors(): number {
  return nodeModule('node:os')?.availableParallelism() ?? globalThis.navigator?.hardwareConcurrency ?? 1;
}

/**
 * Starts a worker that does not keep the process alive. Returns a function that ends it. A worker that fails to start takes no
 * calls, which does no harm. Throws if the platform has no workers.
 */
export function startWorker(data: WorkerData): () => void {
  const threads = nodeModule('node:worker_threads');
  if (threads) {
    const worker = new threads.Worker(source, { eval: true, execArgv: [], workerData: data });
    worker.unref();
    worker.on('error', () => {});
    return () => void worker.terminate();
  }
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const worker = new Worker(url);
  worker.addEventListener('error', (event) => event.preventDefault());
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
  worker.postMessage(data);
  return () => {
    worker.terminate();
    URL.revokeObjectURL(url);
  };
}
