/** The interface of experiments: independent jobs, and a review of their numbers. It involves neither files nor threads. */

import type { Figure } from '../../charts/figure.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The options of a run. */
export interface Choices {
  /** Fewer epochs, replicas and points: seconds to a minute per experiment. */
  readonly quick: boolean;
  /** Random starts of each method. Null: the default of the experiment. */
  readonly replicas: number | null;
  /** Epochs of each training. Null: the default of the experiment. */
  readonly epochs: number | null;
  readonly seed: number;
}

/** How times are measured: CPU time of the thread, or wall-clock time. */
export type Clock = 'processor' | 'wall';

/** One replica. `task` holds everything that its numbers depend on, so that two experiments can share a job. */
export interface Job {
  /** The name of its worker in the table of workers. */
  readonly kind: string;
  /** Its name among the jobs of its kind, valid as a file name. */
  readonly key: string;
  readonly task: Json;
  /** Approximate seconds on the machine of the recorded run. Used to order jobs and to estimate the duration. */
  readonly weight: number;
}

/** What the runner provides to a worker. */
export interface JobContext {
  /** The last value that this job passed to `saveState` before it was interrupted. Undefined at the first start. */
  readonly savedState: unknown;
  /** Saves a value that `structuredClone` can copy, in case the run is killed. Called after every epoch. */
  saveState(value: unknown): void;
  progress(fraction: number): void;
  /** Seconds since an arbitrary origin. The numbers of a result do not depend on it. */
  now(): number;
  /** Bytes that several jobs need and one of them computes. A name always stands for the same bytes. */
  shared(name: string, compute: () => Promise<Uint8Array>): Promise<Uint8Array>;
}

export interface Outcome<Numbers = Json> {
  /** Depends only on the task. */
  readonly numbers: Numbers;
  /** Elapsed seconds at each entry of a trace. Only these differ from run to run. */
  readonly seconds: readonly number[];
}

/** Runs a job. The outcome depends only on the task, except for the seconds. */
export type Worker = (task: never, context: JobContext) => Promise<Outcome<unknown>>;

export type Workers = Readonly<Record<string, Worker>>;

/** A job with its outcome. */
export interface FinishedJob<Task = Json, Numbers = Json> extends Outcome<Numbers> {
  readonly kind: string;
  readonly key: string;
  readonly task: Task;
  readonly clock: Clock;
}

export interface Claim {
  /** The name of the figure that shows it. */
  readonly figure: string;
  /** What the paper says, in our words, or a claim that we add. */
  readonly claim: string;
  /** A sentence with the measured numbers. */
  readonly measured: string;
  /** Null if the claim is a remark, or if the run is too short to decide. */
  readonly agrees: boolean | null;
  readonly why: string;
}

/** Whether we added the claim, or read it from a figure of the paper. Such a claim begins with these words. */
export function isOwnClaim({ claim }: Claim): boolean {
  return claim.startsWith('Not in the paper');
}

/** A table of text. */
export interface Table {
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Review {
  readonly claims: readonly Claim[];
  readonly figures: readonly Figure[];
  readonly tables?: readonly Table[];
}

export interface Experiment {
  readonly title: string;
  /** One line for the list. */
  readonly summary: string;
  /** What the paper shows and says, in our words. */
  readonly paper: string;
  /** Differences between the paper and its authors' program, and the choice made here. */
  readonly remarks: readonly string[];
  settings(choices: Choices): Readonly<Record<string, Json>>;
  jobs(choices: Choices): readonly Job[];
  /** Claims and figures from all finished jobs, in the order of `jobs`. */
  review(finished: readonly FinishedJob[], choices: Choices): Review;
}

/** The approximate duration of an experiment that runs alone, with `threads` replicas in parallel. */
export function minutesOf({ jobs }: Experiment, choices: Choices, threads: number): number {
  const weights = jobs(choices).map(({ weight }) => weight);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return Math.max(total / threads, ...weights) / 60;
}

/** The version of result files. Increased when the numbers of the same task change their structure. */
export const fileFormat = 3;

/** The version of state files, from which a job continues. */
export const stateFormat = 4;

export type Experiments = Readonly<Record<string, Experiment>>;

/** The default number of epochs or replicas of an experiment, with and without --quick. */
export interface DefaultCounts {
  readonly quick: number;
  readonly full: number;
}

/** The seeds of the replicas: `seed`, `seed` + 1, … */
export function seedsOf({ seed, quick, replicas }: Choices, defaults: DefaultCounts): number[] {
  return Array.from({ length: replicas ?? (quick ? defaults.quick : defaults.full) }, (_, r) => seed + r);
}

export function epochsOf({ quick, epochs }: Choices, defaults: DefaultCounts): number {
  return epochs ?? (quick ? defaults.quick : defaults.full);
}

/** A verdict that a short run can confirm but not refute: the effect may appear later. */
export function shortRunCanConfirm(agrees: boolean, choices: Choices, epochs: DefaultCounts): Claim['agrees'] {
  return agrees || !isShort(choices, epochs) ? agrees : null;
}

/** A verdict that a short run can refute but not confirm, such as being as good as the end of a training. */
export function shortRunCanRefute(agrees: boolean, choices: Choices, epochs: DefaultCounts): Claim['agrees'] {
  return agrees && isShort(choices, epochs) ? null : agrees;
}

function isShort(choices: Choices, epochs: DefaultCounts): boolean {
  return choices.quick || epochsOf(choices, epochs) < epochs.full;
}

/** A job. The words form its key and must be unique among the jobs of its kind. */
export function jobOf(kind: string, task: object, words: readonly (string | number)[], weight: number): Job {
  return { kind, key: words.join('-'), task: task as Json, weight };
}

/** Whether two jobs of the same name have the same task. */
export function sameTask(one: Pick<Job, 'task'>, other: Pick<Job, 'task'>): boolean {
  return JSON.stringify(one.task) === JSON.stringify(other.task);
}
