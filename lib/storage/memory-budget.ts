/** The budget of work on files: its parts, its least size, and tasks that run within it. */

import { badValue } from '../core/check.ts';
import { type ProgressOptions, runAsync, type WaitingTask } from '../core/task.ts';
import { limitGarbage } from '../wasm/set-memory.ts';
import { ArrayGarbage } from './array-garbage.ts';

/** Default: 256 MiB. The least: 16 MiB. */
export const defaultStoreBytes = 2 ** 28;
export const leastStoreBytes = 2 ** 24;
/** Arrays that wait to be collected take a quarter of the memory. */
const garbagePart = 1 / 4;
/** The part for buffers in front of the files of buckets, and the part in which the records of a bucket are sorted and joined. */
const [bufferPart, bucketPart] = [1 / 8, 1 / 2];
/** Sorting and joining a record takes up to this many bytes, with arrays that wait for the garbage collector. */
const bytesPerRecord = 160;

/** Refuses less than the least memory with which work on stored graphs is of use. */
export function checkMemory(name: string, memory: number): void {
  if (memory >= leastStoreBytes && Number.isFinite(memory)) return;
  throw badValue(name, `memory of at least ${leastStoreBytes} bytes`, memory);
}

/** How many records a bucket may have, and the bytes of the buffers of all buckets together. */
export function bucketRoom(memory: number): { readonly records: number; readonly buffers: number } {
  return { records: Math.floor((memory * bucketPart) / bytesPerRecord), buffers: memory * bufferPart };
}

/**
 * Runs a task within `memory` bytes. By itself, the engine lets arrays outside of its heap pile up to 64 MiB and more. Here they are
 * collected when they may take more than their part of the memory. Results do not depend on it.
 */
export async function runWithin<T>(task: WaitingTask<T>, memory: number, options: ProgressOptions): Promise<T> {
  return keepWithin(memory, (garbage) => runAsync(collectingSteps(task, garbage), options));
}

/** Runs a function that calls `collectExcess` now and then. What loading the program left on the heap is collected first. */
export async function keepWithin<T>(memory: number, run: (garbage: ArrayGarbage) => Promise<T>): Promise<T> {
  const restoreLimit = limitGarbage(memory * garbagePart);
  try {
    return await run(new ArrayGarbage(memory * garbagePart));
  } finally {
    restoreLimit();
  }
}

/** The same task, with a look at its garbage between steps. */
function* collectingSteps<T>(task: WaitingTask<T>, garbage: ArrayGarbage): WaitingTask<T> {
  try {
    for (;;) {
      const { done, value } = task.next();
      if (done) return value;
      garbage.collectExcess();
      yield value;
    }
  } finally {
    task.return(undefined as T);
  }
}
