/** Which trainings on one moon do several experiments share, and how are they read? */

import { formatNumber } from '../../../core/readable.ts';
import { courseOf } from '../../shared/course.ts';
import { directMethods, type DirectTask } from '../direct.ts';
import {
  type Choices,
  type FinishedJob,
  epochsOf,
  type Job,
  jobOf,
  type Json,
  seedsOf,
} from '../../shared/experiment.ts';
import type { Course } from '../../../charts/figure.ts';
import { moonPoints, moonRecipes } from '../../shared/moon-data.ts';
import type { NetworkNumbers, NetworkTask } from './jobs.ts';
import { nameOf, type Pair, pairs } from '../../shared/schemes.ts';
import { mean, tail } from '../../shared/statistics.ts';

export type FinishedMoonJob = FinishedJob<NetworkTask, NetworkNumbers>;
export type FinishedDirectJob = FinishedJob<DirectTask, NetworkNumbers>;

const rates = { specnet1: 1e-4, specnet2: 1e-3 } as const;
export const moonBatch = 4;
const shared = { batch: moonBatch, hidden: [128] } as const;
export const usualEpochs = { quick: 30, full: 300 };
const usual = { quick: 2, full: 5 };

/** Seconds an epoch of each takes, with the look at it. */
const pace = {
  specnet1: { full: 0.6, local: 0.04, neighbor: 0.06 },
  specnet2: { full: 0.06, local: 0.03, neighbor: 0.04 },
} as const;

export const trainingSettings = (choices: Choices): Record<string, Json> => ({
  points: moonPoints,
  graph: { ...moonRecipes.oneMoon },
  network: '2-128-2 for SpecNet2, 2-128-3 for SpecNet1, ReLU',
  optimizer: 'Adam',
  rates,
  batch: shared.batch,
  epochs: epochsOf(choices, usualEpochs),
  'seed of the points': choices.seed,
  'seeds of networks and batches': seedsOf(choices, usual),
});

/** One training for each start. */
export function trainingJobs(
  choices: Choices,
  { method, scheme }: Pair,
  pencil: NetworkTask['pencil'] = 'random-walk',
): Job[] {
  const epochs = epochsOf(choices, usualEpochs);
  return seedsOf(choices, usual).map((start, replica) => {
    const task: NetworkTask = {
      data: choices.seed,
      method,
      scheme,
      ...shared,
      rate: rates[method],
      epochs,
      start,
      pencil,
      // Rows of the symmetric pencil belong to training points alone.
      shown: replica === 0 && pencil === 'random-walk',
    };
    const words = pencil === 'symmetric' ? [method, scheme, pencil, start] : [method, scheme, start];
    return jobOf('network', task, words, epochs * pace[method][scheme]);
  });
}

/** Exact eigenvectors and the Ritz heads, once each. */
function directJobs(choices: Choices): Job[] {
  return directMethods.map((method) => {
    const shown = method === 'eigen' || method === 'landmarks';
    return jobOf(
      'direct',
      { data: choices.seed, method, start: choices.seed, shown } satisfies DirectTask,
      [method],
      2,
    );
  });
}

export function allTrainings(choices: Choices): Job[] {
  return [...pairs.flatMap((pair) => trainingJobs(choices, pair)), ...directJobs(choices)];
}

export function networksOf(
  done: readonly FinishedJob[],
  pair?: Pair,
  pencil: NetworkTask['pencil'] = 'random-walk',
): FinishedMoonJob[] {
  const all = done.filter(({ kind }) => kind === 'network') as unknown as FinishedMoonJob[];
  return all.filter(
    ({ task }) => task.pencil === pencil && (!pair || (task.method === pair.method && task.scheme === pair.scheme)),
  );
}

export function directOf(done: readonly FinishedJob[], method: DirectTask['method']): FinishedDirectJob {
  const all = done.filter(({ kind }) => kind === 'direct') as unknown as FinishedDirectJob[];
  return all.find(({ task }) => task.method === method)!;
}

/** Where errors stand in a row of numbers. */
export const places = { train: [0, 1], test: [2, 3] } as const;

/** Over epochs unless x is given. */
export function curveOf(jobs: readonly FinishedMoonJob[], place: number, x?: readonly number[]): Course {
  return courseOf(
    jobs.map(({ numbers }) => numbers.rows.map((row) => row[place])),
    'range',
    x,
  );
}

/** A level for all epochs: a method that has none. */
export function levelOf({ numbers }: FinishedDirectJob, place: number, x: readonly [number, number]): Course {
  return { x, y: [numbers.rows[0][place], numbers.rows[0][place]] };
}

/** Mean error over starts and the last third of the epochs. */
export function settled(jobs: readonly FinishedMoonJob[], place: number): number {
  return mean(jobs.map(({ numbers }) => mean(lastThird(numbers.rows.map((row) => row[place])))));
}

export function lastThird(values: readonly number[]): readonly number[] {
  return tail(values, Math.ceil(values.length / 3));
}

export const ordinal = ['first', 'second'] as const;
export const parts = { train: 'training points', test: 'testing points' } as const;

/** Those that the paper finds good. */
export const good: readonly Pair[] = [
  { method: 'specnet1', scheme: 'full' },
  { method: 'specnet2', scheme: 'full' },
  { method: 'specnet2', scheme: 'neighbor' },
];
export const poor = pairs.filter((pair) => !good.some((one) => nameOf(one) === nameOf(pair)));

/** `0.1 / 0.2`. */
export const bothErrors = (first: number, second: number): string => `${formatNumber(first)} / ${formatNumber(second)}`;
