/** The trainings on one moon that several experiments share, and the evaluation of their errors. */

import { formatNumber } from '../../../core/readable.ts';
import { replicaCurve } from '../../shared/replica-curve.ts';
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
import type { Curve } from '../../../charts/figure.ts';
import { moonPoints, moonRecipes } from '../../shared/moon-data.ts';
import type { NetworkNumbers, NetworkTask } from './jobs.ts';
import { nameOf, type Pair, pairs } from '../../shared/schemes.ts';
import { mean, tail } from '../../shared/statistics.ts';

export type FinishedMoonJob = FinishedJob<NetworkTask, NetworkNumbers>;
export type FinishedDirectJob = FinishedJob<DirectTask, NetworkNumbers>;

const rates = { specnet1: 1e-4, specnet2: 1e-3 } as const;
export const moonBatch = 4;
const shared = { batch: moonBatch, hidden: [128] } as const;
export const defaultEpochs = { quick: 30, full: 300 };
const defaultReplicas = { quick: 2, full: 5 };

/** Seconds per epoch, including measurements. */
const epochSeconds = {
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
  epochs: epochsOf(choices, defaultEpochs),
  'seed of the points': choices.seed,
  'seeds of networks and batches': seedsOf(choices, defaultReplicas),
});

/** One training per random start. */
export function trainingJobs(
  choices: Choices,
  { method, scheme }: Pair,
  pencil: NetworkTask['pencil'] = 'random-walk',
): Job[] {
  const epochs = epochsOf(choices, defaultEpochs);
  return seedsOf(choices, defaultReplicas).map((start, replica) => {
    const task: NetworkTask = {
      data: choices.seed,
      method,
      scheme,
      ...shared,
      rate: rates[method],
      epochs,
      start,
      pencil,
      // The rows of the symmetric pencil are defined only at training points.
      shown: replica === 0 && pencil === 'random-walk',
    };
    const words = pencil === 'symmetric' ? [method, scheme, pencil, start] : [method, scheme, start];
    return jobOf('network', task, words, epochs * epochSeconds[method][scheme]);
  });
}

/** The methods without training, once each. */
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
  finished: readonly FinishedJob[],
  pair?: Pair,
  pencil: NetworkTask['pencil'] = 'random-walk',
): FinishedMoonJob[] {
  const all = finished.filter(({ kind }) => kind === 'network') as unknown as FinishedMoonJob[];
  return all.filter(
    ({ task }) => task.pencil === pencil && (!pair || (task.method === pair.method && task.scheme === pair.scheme)),
  );
}

export function directOf(finished: readonly FinishedJob[], method: DirectTask['method']): FinishedDirectJob {
  const all = finished.filter(({ kind }) => kind === 'direct') as unknown as FinishedDirectJob[];
  return all.find(({ task }) => task.method === method)!;
}

/** The columns of the errors in a row of numbers. */
export const errorColumns = { train: [0, 1], test: [2, 3] } as const;

/** The curve of an error. Default of x: the epochs. */
export function curveOf(jobs: readonly FinishedMoonJob[], column: number, x?: readonly number[]): Curve {
  return replicaCurve(
    jobs.map(({ numbers }) => numbers.rows.map((row) => row[column])),
    'range',
    x,
  );
}

/** A horizontal line, for a method without epochs. */
export function levelOf({ numbers }: FinishedDirectJob, column: number, x: readonly [number, number]): Curve {
  return { x, y: [numbers.rows[0][column], numbers.rows[0][column]] };
}

/** The mean error over starts and the last third of the epochs. */
export function finalError(jobs: readonly FinishedMoonJob[], column: number): number {
  return mean(jobs.map(({ numbers }) => mean(lastThird(numbers.rows.map((row) => row[column])))));
}

export function lastThird(values: readonly number[]): readonly number[] {
  return tail(values, Math.ceil(values.length / 3));
}

export const ordinal = ['first', 'second'] as const;
export const parts = { train: 'training points', test: 'test points' } as const;

/** The variants that approximate the eigenfunctions well according to the paper. */
export const goodPairs: readonly Pair[] = [
  { method: 'specnet1', scheme: 'full' },
  { method: 'specnet2', scheme: 'full' },
  { method: 'specnet2', scheme: 'neighbor' },
];
export const poorPairs = pairs.filter((pair) => !goodPairs.some((one) => nameOf(one) === nameOf(pair)));

/** Two errors as `0.1 / 0.2`. */
export const bothErrors = (first: number, second: number): string => `${formatNumber(first)} / ${formatNumber(second)}`;
