/** Who wants threads, and how many? Kernels share no work until one of these has been called. */

import { checkCount } from '../core/check.ts';
import { bringThreads, type SimdStatus, simdStatus } from './simd.ts';
import { Threads } from './threads.ts';

/**
 * How many threads may share a large kernel call, the caller counted: 1 for none but the caller. Unless this is called,
 * they are as many as there are processors, eight at most, once points are searched, or a graph or a network is made, and
 * one before. Results are the same, bit for bit, for any number.
 */
export function setThreads(count: number): SimdStatus {
  checkCount('setThreads', 'count', count, 1);
  bringThreads(Threads, count);
  return simdStatus();
}

/** As many as was said, else as there are processors. None is started before there is work for it. */
export function useThreads(): void {
  bringThreads(Threads);
}
