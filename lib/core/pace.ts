/** How is long work watched and stopped? It yields how far it is, and every now and then the event loop gets a turn. */

/** Yields the fraction done at least every few milliseconds, rising from 0 to 1; returns the result. */
export type Work<T> = Generator<number, T, void>;

/** How long work is followed, and stopped. */
export interface Watch {
  /** Told the fraction done about twenty times a second, and 1 at the end. */
  readonly progress?: ((fraction: number) => void) | undefined;
  /** Once aborted, the work stops within about 50 ms and its promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** After so long other people's events are let through. The clock decides this alone, never a result. */
const turnMilliseconds = 50;

/** Does all of the work, step by step. */
export async function carryOut<T>(work: Work<T>, watch: Watch): Promise<T> {
  const { progress, signal } = watch ?? {}; // the work itself refuses options that are none
  signal?.throwIfAborted();
  let turn = performance.now();
  try {
    for (;;) {
      const step = work.next();
      if (step.done) {
        progress?.(1);
        return step.value;
      }
      if (performance.now() - turn < turnMilliseconds) continue;
      progress?.(step.value);
      await nextTurn();
      signal?.throwIfAborted();
      turn = performance.now();
    }
  } finally {
    leave(work);
  }
}

/** Does all of the work in one go, without a pause for anybody. */
export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** The same work as a part of something larger, which it takes from `from` to `to`. */
export function* part<T>(work: Work<T>, from: number, to: number): Work<T> {
  try {
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      yield from + (to - from) * step.value;
    }
  } finally {
    leave(work);
  }
}

/** Work that nobody goes on with gives back what it holds; of work that is done nothing is left to do. */
function leave(work: Work<unknown>): void {
  work.return(undefined);
}

/** A message to oneself: unlike a timer it is not slowed down in a browser's background tab. */
function nextTurn(): Promise<void> {
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
