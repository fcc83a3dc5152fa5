/** Spec files in parallel processes, a few at a time. */

import type { ChildProcess } from 'node:child_process';
import { killGroup, type Result, runSpecFile } from './spec-file.ts';

export interface PoolOptions {
  /** The folder of the compiled modules. */
  readonly compiled: string;
  /** Processes at a time. */
  readonly jobs: number;
  /** Seconds for one file. */
  readonly timeout: number;
  readonly onResult?: (result: Result) => void;
  /** Kills what is running and starts nothing more. */
  readonly signal?: AbortSignal;
}

/** Results in the order in which the files ended. An aborted run has fewer of them than files. */
export async function runPool(files: readonly string[], options: PoolOptions): Promise<Result[]> {
  const { compiled, jobs, timeout, onResult, signal } = options;
  const waiting = [...files];
  const running = new Set<ChildProcess>();
  const results: Result[] = [];
  signal?.addEventListener('abort', () => {
    for (const child of running) killGroup(child);
  });
  const onProcess = (child: ChildProcess, isRunning: boolean): void => {
    if (isRunning) running.add(child);
    else running.delete(child);
  };
  const work = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const result = await runSpecFile(file, { compiled, timeout, onProcess });
      if (signal?.aborted) return;
      results.push(result);
      onResult?.(result);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return results;
}
