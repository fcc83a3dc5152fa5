/** Spec files in parallel processes, a few at a time. */

import type { ChildProcess } from 'node:child_process';
import { killGroup, type Result, runSpecFiles } from './spec-process.ts';

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

/** Runs groups of files, each in a process. Results come in the order in which the files ended. An aborted run has fewer of them than files. */
export async function runPool(groups: readonly (readonly string[])[], options: PoolOptions): Promise<Result[]> {
  const { compiled, jobs, timeout, onResult, signal } = options;
  const waiting = [...groups];
  const running = new Set<ChildProcess>();
  const results: Result[] = [];
  signal?.addEventListener('abort', () => {
    for (const child of running) killGroup(child);
  });
  const onProcess = (child: ChildProcess, isRunning: boolean): void => {
    if (!isRunning) running.delete(child);
    else if (signal?.aborted) killGroup(child);
    else running.add(child);
  };
  const keep = (result: Result): void => {
    if (signal?.aborted) return;
    results.push(result);
    onResult?.(result);
  };
  const work = async (): Promise<void> => {
    for (let files = waiting.shift(); files !== undefined; files = waiting.shift()) {
      await runSpecFiles(files, { compiled, timeout, onProcess, onResult: keep });
      if (signal?.aborted) return;
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return results;
}
