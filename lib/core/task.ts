/** Tasks: long computations as generators, which can be paused, observed and aborted. */

import type { Rules } from './options.ts';

/**
 * A computation in steps. It yields the fraction done, which rises from 0 to 1, at least every few milliseconds, and returns
 * the result. A function `f` that runs such a task has a twin `fSteps` that returns the task, to be part of a larger one.
 */
export type Task<T> = Generator<number, T, void>;

/** A task that also yields promises, at which it waits. Only `runAsync` can run it. */
export type WaitingTask<T> = Generator<number | Promise<void>, T, void>;

/** Options to observe and abort a long computation. */
export interface ProgressOptions {
  /** Called with the fraction done about twenty times a second, and with 1 at the end. */
  readonly progress?: ((fraction: number) => void) | undefined;
  /** Once it is aborted, the computation stops within about 50 ms and its promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export const progressRules = { progress: 'function', signal: 'signal' } as const satisfies Rules<ProgressOptions>;

/** The time after which the event loop runs. Results do not depend on the clock. */
const sliceMilliseconds = 50;

/** Runs a task to its end and lets the event loop run in between. */
export async function runAsync<T>(task: WaitingTask<T>, options: ProgressOptions): Promise<T> {
  const { progress, signal } = options;
  signal?.throwIfAborted();
  let start = performance.now();
  try {
    for (;;) {
      const step = task.next();
      if (step.done) {
        progress?.(1);
        return step.value;
      }
      if (typeof step.value !== 'number') {
        await settledOrAborted(step.value, signal);
      } else {
        if (performance.now() - start < sliceMilliseconds) continue;
        progress?.(step.value);
        await nextTick();
      }
      signal?.throwIfAborted();
      start = performance.now();
    }
  } finally {
    release(task);
  }
}

/** Runs a task to its end without a pause. */
export function runSync<T>(task: Task<T>): T {
  for (;;) {
    const { done, value } = task.next();
    if (done) return value;
  }
}

/** Waits for a promise within a task, and returns its value or throws its reason. */
export function* awaited<T>(promise: Promise<T>): WaitingTask<T> {
  const settled: PromiseSettledResult<T>[] = [];
  yield Promise.allSettled([promise]).then((results) => void settled.push(...results));
  const [result] = settled;
  if (!result) throw new Error('awaited: expected runAsync to run a task that waits, got runSync.');
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

/** The same task as a step of a larger one, whose fraction it moves from `from` to `to`. It waits if the task does. */
export function subtask<T>(task: Task<T>, from: number, to: number): Task<T>;
export function subtask<T>(task: WaitingTask<T>, from: number, to: number): WaitingTask<T>;
export function* subtask<T>(task: WaitingTask<T>, from: number, to: number): WaitingTask<T> {
  try {
    for (;;) {
      const { done, value } = task.next();
      if (done) return value;
      yield typeof value === 'number' ? from + (to - from) * value : value;
    }
  } finally {
    release(task);
  }
}

/** Lets a task that is abandoned free what it holds. Does nothing if the task is done. */
function release(task: WaitingTask<unknown>): void {
  task.return(undefined);
}

/** Waits for a promise, but not after an abort: a download may take long. */
async function settledOrAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return promise;
  signal.throwIfAborted();
  const listening = new AbortController();
  const aborted = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { signal: listening.signal }),
  );
  await Promise.race([promise, aborted]).finally(() => listening.abort());
}

/** Resolves in the next iteration of the event loop. Unlike timers, messages are not throttled in a background tab. */
function nextTick(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
}
