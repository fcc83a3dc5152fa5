/** Executors of deferred calls: the caller alone, or the caller and other threads. */

import type { AnyRoutine } from '../assembler/compile.ts';
import type { Marshal } from '../memory/marshal.ts';

export interface Executor {
  /** The number of threads, including that of the caller. */
  readonly count: number;
  /** The routine, or a stand-in that defers its calls. They are made before `finish` returns, in any order and by any thread. */
  defer<R extends AnyRoutine>(routine: R): R;
  /** Lets other threads start with the deferred calls while the caller does something else. */
  begin(): void;
  /** Returns when every deferred call has been made. */
  finish(): void;
}

/** What the twins of kernels use: memory, marshaling and threads. */
export interface Host extends Marshal {
  /** The executor for work of this many flops. */
  chooseExecutor(flops: number): Executor;
}

/** Makes every call immediately, in the calling thread. */
export const inline: Executor = { count: 1, defer: (routine) => routine, begin() {}, finish() {} };

/** The number of items in a chunk: all items for one thread, else several chunks per thread, so that none waits long for the last. */
export function chunk(items: number, { count }: Executor): number {
  return Math.max(1, count > 1 ? Math.ceil(items / (8 * count)) : items);
}

/** Defers calls of the routine, one for each chunk of the items. */
export function inChunks<R extends AnyRoutine>(
  executor: Executor,
  items: number,
  routine: R,
  call: (deferred: R, from: number, count: number) => void,
): void {
  const deferred = executor.defer(routine);
  const step = chunk(items, executor);
  for (let i = 0; i < items; i += step) call(deferred, i, Math.min(step, items - i));
}
