/** The number of threads of a benchmark, and their start. */

import { borrow } from '../../wasm/borrow.ts';
import { setThreads, useThreads } from '../../wasm/set-threads.ts';
import { simdStatus } from '../../wasm/simd.ts';
import type { Clock } from '../timing.ts';
import { limitKernels, resultLength } from './limit-kernels.ts';

/** The milliseconds within which workers start. Until then, the caller does their work. */
const startMilliseconds = 300;

/** The number of threads that kernels share their work between; 1 without SIMD. */
export function threadsInUse(): number {
  const status = simdStatus();
  return status.enabled ? status.threads : 1;
}

/** The number of threads that was set; by default one per processor, at most 8. */
export function defaultThreads(): number {
  useThreads();
  return threadsInUse();
}

/** Sets the number of threads, and gives them work until they have started. */
export function startThreads(threads: number, now: Clock): void {
  setThreads(threads);
  if (threadsInUse() === 1) return;
  const { array, giveBack } = borrow(resultLength);
  const out = new Float32Array(array.buffer, array.byteOffset, resultLength);
  const constants = array.subarray(resultLength / 2, resultLength / 2 + 8).fill(1);
  const { computePeak } = limitKernels();
  for (const start = now(); now() - start < startMilliseconds;) computePeak(1024, constants, out);
  giveBack();
}
