/** Runs jobs in parallel. Each job has a new thread, so that no result depends on what ran before. */

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { FinishedJob, Job } from '../../../experiments/shared/experiment.ts';
import { onInterrupt } from '../../../files/interrupt.ts';
import type { ThreadData } from './thread.ts';
import { ResultsFolder } from './results-folder.ts';

export interface RunOptions {
  readonly folder: ResultsFolder;
  /** Jobs that run in parallel. Default: the number of processors. */
  readonly threads: number | undefined;
  readonly simd: boolean;
  /** The URL of a module that exports the table `workers`. */
  readonly module: string;
  /** Milliseconds since an arbitrary origin. */
  now(): number;
  progress(state: RunProgress): void;
  /** Called with the number of jobs whose files are outdated and that run again. */
  outdated(jobs: number): void;
}

export interface RunProgress {
  readonly finished: number;
  readonly jobs: number;
  /** An estimate. NaN until a job has made progress. */
  readonly secondsLeft: number;
  readonly running: readonly string[];
}

/** Runs the jobs that are not finished in the folder. Returns the results of all jobs, in their order. */
export async function runJobs(all: readonly Job[], options: RunOptions): Promise<readonly FinishedJob[]> {
  const { folder } = options;
  const jobs = [...new Map(all.map((job) => [`${job.kind}.${job.key}`, job])).values()];
  folder.claimJobs(jobs);
  folder.files.sweep('killed');
  const unfinished = jobs.filter((job) => !folder.finished(job));
  folder.deleteStates(jobs.filter((job) => !unfinished.includes(job)));
  const outdated = unfinished.filter((job) => folder.outdated(job)).length;
  if (outdated > 0) options.outdated(outdated);
  const release = onInterrupt(() => folder.files.sweep('own'));
  try {
    // Longest first: a long job at the end would leave the other cores idle.
    await runUnfinished(
      unfinished.toSorted((a, b) => b.weight - a.weight),
      jobs.length - unfinished.length,
      options,
    );
  } finally {
    release();
  }
  return all.map((job) => folder.finished(job)!);
}

async function runUnfinished(jobs: readonly Job[], finishedBefore: number, options: RunOptions): Promise<void> {
  const start = options.now();
  const states = new Map<Job, { fraction: number; startFraction: number | null }>(
    jobs.map((job) => [job, { fraction: 0, startFraction: null }]),
  );
  const totalWeight = jobs.reduce((sum, job) => sum + job.weight, 0);
  const reportProgress = (): void => {
    const entries = [...states];
    // A resumed job starts at a fraction above 0, which took no time in this run.
    const [done, doneBefore] = entries.reduce(
      ([sum, before], [job, { fraction, startFraction }]) => [
        sum + job.weight * fraction,
        before + job.weight * (startFraction ?? 0),
      ],
      [0, 0],
    );
    const seconds = (options.now() - start) / 1000;
    options.progress({
      finished: finishedBefore + entries.filter(([, { fraction }]) => fraction === 1).length,
      jobs: finishedBefore + jobs.length,
      secondsLeft: done > doneBefore ? (seconds * (totalWeight - done)) / (done - doneBefore) : NaN,
      running: entries
        .filter(([, { fraction, startFraction }]) => startFraction !== null && fraction < 1)
        .map(([{ key }]) => key),
    });
  };
  const queue = [...jobs];
  const threads = new Set<Worker>();
  const runQueue = async (): Promise<void> => {
    for (let job = queue.shift(); job; job = queue.shift()) {
      const state = states.get(job)!;
      await runInThread(job, options, threads, (fraction) => {
        state.startFraction ??= fraction;
        state.fraction = Math.min(fraction, 0.999);
        reportProgress();
      });
      state.startFraction ??= 0;
      state.fraction = 1;
      reportProgress();
    }
  };
  reportProgress();
  try {
    await Promise.all(Array.from({ length: options.threads ?? availableParallelism() }, runQueue));
  } finally {
    queue.length = 0;
    await Promise.all([...threads].map((thread) => thread.terminate()));
  }
}

/** Runs a job in a new thread. Resolves when its result is in the folder. */
function runInThread(
  job: Job,
  { folder, module, simd }: RunOptions,
  threads: Set<Worker>,
  progress: (fraction: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const data: ThreadData = { job, folder: folder.path, module, simd };
    const thread = new Worker(new URL('./thread.js', import.meta.url), { workerData: data });
    threads.add(thread);
    thread.on('message', progress);
    thread.once('error', reject);
    thread.once('exit', (code) => {
      threads.delete(thread);
      if (code === 0) resolve();
      else reject(new Error(`the job ${job.kind} ${job.key} ended with code ${code}. --resume runs it again.`));
    });
  });
}
