/** The kernel tables and threads that cases run with. */

import type { Api } from './api.ts';

export interface Environment {
  readonly simd: boolean;
  readonly threads: number;
}

export const environments = {
  plain: { simd: false, threads: 1 },
  simd: { simd: true, threads: 1 },
  threads: { simd: true, threads: 2 },
} as const satisfies Record<string, Environment>;

export type EnvironmentName = keyof typeof environments;

/** Call this before anything is allocated: the location of an array decides which kernels process it. */
export function enter(api: Api, { simd, threads }: Environment): void {
  const status = simd ? api.enableSimd() : api.disableSimd();
  if (status.enabled !== simd) throw new Error('fingerprint: expected SIMD kernels, got none.');
  api.setThreads(threads);
}
