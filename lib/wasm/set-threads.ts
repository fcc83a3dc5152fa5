/** Functions that set the number of threads. Kernels share no work until one of them has been called. */

import { badValue, checkCount } from '../core/check.ts';
import { bringThreads, type SimdStatus, simdStatus } from './simd.ts';
import { Threads } from './threads/threads.ts';

/** A thread takes some megabytes and milliseconds, and more threads than processors make nothing faster. */
const most = 256;

/**
 * How many threads may share a large kernel call, the caller counted: 1 for none but the caller. Unless this is called,
 * they are as many as there are processors, eight at most, once points are searched, or a graph or a network is made, and
 * one before. Results are the same, bit for bit, for any number; 256 at most.
 */
export function setThreads(count: number): SimdStatus {
  checkThreads('setThreads', 'count', count);
  bringThreads(Threads, count);
  return simdStatus();
}

/** Uses the number of threads that was set, by default one per processor. A thread starts when there is work for it. */
export function useThreads(): void {
  bringThreads(Threads);
}

/** Checks a number of threads in the name of `caller`. */
export function checkThreads(caller: string, name: string, count: number): void {
  checkCount(caller, name, count, 1);
  if (count > most) throw badValue(caller, `${name} to be at most ${most}`, count);
}
