/** How does a thread do one job? With one kernel thread, so that neighbours leave each other their cores, and a memory of its own. */

import { parentPort, workerData } from 'node:worker_threads';
import type { Job, Outcome, Surroundings, Workers } from '../../../experiments/shared/experiment.ts';
import { setThreads } from '../../../wasm/set-threads.ts';
import { disableSimd, enableSimd } from '../../../wasm/simd.ts';
import { ResultsFolder } from './results-folder.ts';
import { threadClock } from './thread-clock.ts';

export interface ThreadData {
  readonly job: Job;
  readonly folder: string;
  /** The address of a module that exports the table `workers`. */
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
const surroundings: Surroundings = {
  from: folder.kept(job),
  keep: (value) => folder.keep(job, value),
  progress: (fraction) => parentPort!.postMessage(fraction, []),
  now: clock.now,
  shared: (name, make) => folder.shared(name, make),
};
const work = workers[job.kind] as (task: unknown, surroundings: Surroundings) => Promise<Outcome<unknown>>;
folder.finish(job, await work(job.task, surroundings), clock.kind);
