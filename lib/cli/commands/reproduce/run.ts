/** How are many jobs done? Side by side, each in a thread of its own that is new, so that no number depends on what ran before. */

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Done, Job } from '../../../experiments/shared/experiment.ts';
import { onInterrupt } from '../../shared/output.ts';
import type { ThreadData } from './thread.ts';
import { ResultsFolder } from './results-folder.ts';

export interface RunOptions {
  readonly folder: ResultsFolder;
  /** Jobs at once; as many as there are processors unless said. */
  readonly threads: number | undefined;
  readonly simd: boolean;
  /** The address of a module that exports the table `workers`. */
  readonly module: string;
  /** Milliseconds. */
  now(): number;
  progress(state: RunProgress): void;
  /** How many jobs have to be done again though there are files of them. */
  outdated(jobs: number): void;
}

export interface RunProgress {
  readonly finished: number;
  readonly jobs: number;
  /** NaN until something can be said. */
  readonly secondsLeft: number;
  readonly running: readonly string[];
}

/** Jobs that are in the folder already are not done again. In the order given. */
export async function runJobs(all: readonly Job[], options: RunOptions): Promise<readonly Done[]> {
  const { folder } = options;
  folder.sweep();
  const jobs = [...new Map(all.map((job) => [`${job.kind}.${job.key}`, job])).values()];
  const open = jobs.filter((job) => !folder.finished(job));
  const outdated = open.filter((job) => folder.outdated(job)).length;
  if (outdated > 0) options.outdated(outdated);
  const release = onInterrupt(() => folder.sweep());
  try {
    // The longest first: a long one that comes last would leave the other cores idle.
    await runOpen(
      open.toSorted((a, b) => b.weight - a.weight),
      jobs.length - open.length,
      options,
    );
  } finally {
    release();
  }
  return all.map((job) => folder.finished(job)!);
}

async function runOpen(open: readonly Job[], before: number, options: RunOptions): Promise<void> {
  const start = options.now();
  const shares = new Map<Job, { share: number; begun: number | null }>(
    open.map((job) => [job, { share: 0, begun: null }]),
  );
  const weight = open.reduce((sum, job) => sum + job.weight, 0);
  const tell = (): void => {
    const states = [...shares];
    // What was there when a killed job went on took no time of this run.
    const [done, found] = states.reduce(
      ([sum, old], [job, { share, begun }]) => [sum + job.weight * share, old + job.weight * (begun ?? 0)],
      [0, 0],
    );
    const seconds = (options.now() - start) / 1000;
    options.progress({
      finished: before + states.filter(([, { share }]) => share === 1).length,
      jobs: before + open.length,
      secondsLeft: done > found ? (seconds * (weight - done)) / (done - found) : NaN,
      running: states.filter(([, { share, begun }]) => begun !== null && share < 1).map(([{ key }]) => key),
    });
  };
  const waiting = [...open];
  const threads = new Set<Worker>();
  const serve = async (): Promise<void> => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      const state = shares.get(job)!;
      await inThread(job, options, threads, (fraction) => {
        state.begun ??= fraction;
        state.share = Math.min(fraction, 0.999);
        tell();
      });
      state.begun ??= 0;
      state.share = 1;
      tell();
    }
  };
  tell();
  try {
    await Promise.all(Array.from({ length: options.threads ?? availableParallelism() }, serve));
  } finally {
    waiting.length = 0;
    await Promise.all([...threads].map((thread) => thread.terminate()));
  }
}

/** Resolves when the job's file is there. */
function inThread(
  job: Job,
  { folder, module, simd }: RunOptions,
  threads: Set<Worker>,
  progress: (fraction: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const data: ThreadData = { job, folder: folder.path, module, simd };
    const thread = startThread(data);
    threads.add(thread);
    thread.on('message', progress);
    thread.once('error', reject);
    thread.once('exit', (code) => {
      threads.delete(thread);
      if (code === 0) resolve();
      else reject(new Error(`The job ${job.kind} ${job.key} ended with code ${code}.`));
    });
  });
}

/** From source, as specs run it, a thread has to be told again how to read TypeScript. */
function startThread(workerData: ThreadData): Worker {
  const source = import.meta.url.endsWith('.ts');
  const entry = new URL(`./thread.${source ? 'ts' : 'js'}`, import.meta.url);
  if (!source) return new Worker(entry, { workerData });
  const reader = 'tsx/esm/api';
  const text = `import(${JSON.stringify(reader)}).then(({ register }) => { register(); return import(${JSON.stringify(entry.href)}); })`;
  return new Worker(text, { eval: true, workerData });
}
