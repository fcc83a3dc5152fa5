/** The entry point of a worker thread that runs one job. One kernel thread, because other jobs use the other cores. */

import { parentPort, workerData } from 'node:worker_threads';
import type { Job, Outcome, JobContext, Workers } from '../../../experiments/shared/experiment.ts';
import { setThreads } from '../../../wasm/set-threads.ts';
import { disableSimd, enableSimd } from '../../../wasm/simd.ts';
import { ResultsFolder } from './results-folder.ts';
import { threadClock } from './thread-clock.ts';

export interface ThreadData {
  readonly job: Job;
  readonly folder: string;
  /** The URL of a module that exports the table `workers`. */
  readonly module: string;
  readonly simd: boolean;
}

const { job, folder: path, module, simd } = workerData as ThreadData;
if (simd) enableSimd();
else disableSimd();
setThreads(1);
const folder = new ResultsFolder(path);
const { workers } = (await import(module)) as { workers: Workers };
const clock = threadClock();
const context: JobContext = {
  savedState: folder.savedState(job),
  saveState: (value) => folder.saveState(job, value),
  progress: (fraction) => parentPort!.postMessage(fraction, []),
  now: clock.now,
  shared: (name, compute) => folder.shared(name, compute),
};
const worker = workers[job.kind] as (task: unknown, context: JobContext) => Promise<Outcome<unknown>>;
folder.finish(job, await worker(job.task, context), clock.kind);
