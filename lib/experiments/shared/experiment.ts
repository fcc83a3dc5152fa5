/** What is an experiment? Jobs that know nothing of each other, and what their numbers say about the paper. No files and no threads here. */

import type { Figure } from '../../charts/figure.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What a user may choose about a run. */
export interface Choices {
  /** Seconds to a minute: fewer epochs, replicas and points. */
  readonly quick: boolean;
  /** Starts of each method; what the experiment holds for right unless said. */
  readonly replicas: number | null;
  /** Of each training; what the experiment holds for right unless said. */
  readonly epochs: number | null;
  readonly seed: number;
}

/** Whose seconds are told: those in which a processor did this work, or all that went by meanwhile. */
export type Clock = 'processor' | 'wall';

/** One replica: a value that says all its numbers depend on, so that two experiments that share one compute it once. */
export interface Job {
  /** Which worker does it, a name in the table of workers. */
  readonly kind: string;
  /** Its name among the jobs of its kind, fit for a file. */
  readonly key: string;
  readonly task: Json;
  /** About how many seconds it took on the machine of the recorded run: for the order of jobs, and to tell how long all of them take. */
  readonly weight: number;
}

/** What a worker may ask of the world. */
export interface JobContext {
  /** What `keep` was last given in an earlier life of this job; undefined at the first start. */
  readonly savedState: unknown;
  /** Keeps a value that `structuredClone` copies, for when the run is killed. After every epoch. */
  saveState(value: unknown): void;
  progress(fraction: number): void;
  /** In seconds, by whichever clock; no number of a result depends on it. */
  now(): number;
  /** Bytes that many jobs need and one of them makes: the same bytes for the same name in every life. */
  shared(name: string, compute: () => Promise<Uint8Array>): Promise<Uint8Array>;
}

export interface Outcome<Numbers = Json> {
  /** The same for the same task, always. */
  readonly numbers: Numbers;
  /** What was measured with a clock, the one thing that differs from run to run: seconds so far at each entry of a trace. */
  readonly seconds: readonly number[];
}

/** A function of the task alone, but for its seconds. */
export type Worker = (task: never, context: JobContext) => Promise<Outcome<unknown>>;

export type Workers = Readonly<Record<string, Worker>>;

/** A job that is done. */
export interface FinishedJob<Task = Json, Numbers = Json> extends Outcome<Numbers> {
  readonly kind: string;
  readonly key: string;
  readonly task: Task;
  readonly clock: Clock;
}

export interface Claim {
  /** Which figure of this report shows it. */
  readonly figure: string;
  /** What the paper says, or what we add to it; in our own words. */
  readonly claim: string;
  /** What came out, made of the numbers. */
  readonly measured: string;
  /** Null where it is a remark, or where this run is too short to tell. */
  readonly agrees: boolean | null;
  readonly why: string;
}

/** What we add to the paper, or read from its figures: such a claim says so in its first words. */
export function isOurs({ claim }: Claim): boolean {
  return claim.startsWith('Not in the paper');
}

/** Columns of text and rows under them. */
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
  /** What the paper shows and says, in our own words. */
  readonly paper: string;
  /** Where the text and its authors' program differ, and what is done here. */
  readonly remarks: readonly string[];
  settings(choices: Choices): Readonly<Record<string, Json>>;
  jobs(choices: Choices): readonly Job[];
  /** Of all jobs, in their order. */
  review(done: readonly FinishedJob[], choices: Choices): Review;
}

/** About how many it takes alone, with so many replicas at once. */
export function minutesOf({ jobs }: Experiment, choices: Choices, threads: number): number {
  const weights = jobs(choices).map(({ weight }) => weight);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return Math.max(total / threads, ...weights) / 60;
}

/** Of the numbers and kept states in files: counts up when those of the same task get another shape. */
export const fileFormat = 2;

export type Experiments = Readonly<Record<string, Experiment>>;

/** What an experiment holds for right. */
export interface Usual {
  readonly quick: number;
  readonly full: number;
}

/** Seeds of the replicas: `seed`, `seed` + 1, … */
export function seedsOf({ seed, quick, replicas }: Choices, usual: Usual): number[] {
  return Array.from({ length: replicas ?? (quick ? usual.quick : usual.full) }, (_, r) => seed + r);
}

export function epochsOf({ quick, epochs }: Choices, usual: Usual): number {
  return epochs ?? (quick ? usual.quick : usual.full);
}

/** A run that ends before what the paper shows has happened can confirm it, and cannot refute it. */
export function unlessShort(agrees: boolean, choices: Choices, epochs: Usual): Claim['agrees'] {
  return agrees || !isShort(choices, epochs) ? agrees : null;
}

/** Where something is said to be as good as a training is in the end: a run that ends before can refute it, and cannot confirm it. */
export function onlyInFull(agrees: boolean, choices: Choices, epochs: Usual): Claim['agrees'] {
  return agrees && isShort(choices, epochs) ? null : agrees;
}

function isShort(choices: Choices, epochs: Usual): boolean {
  return choices.quick || epochsOf(choices, epochs) < epochs.full;
}

/** Named by words that tell it from the others of its kind. */
export function jobOf(kind: string, task: object, words: readonly (string | number)[], weight: number): Job {
  return { kind, key: words.join('-'), task: task as Json, weight };
}

/** Jobs of one name are the same job if all that their numbers depend on is the same. */
export function sameTask(one: Pick<Job, 'task'>, other: Pick<Job, 'task'>): boolean {
  return JSON.stringify(one.task) === JSON.stringify(other.task);
}
