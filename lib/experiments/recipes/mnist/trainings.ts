/** Which trainings on MNIST do several experiments share, and how are they found among the jobs that are done? */

import { directMethods } from '../direct.ts';
import { type Choices, type FinishedJob, epochsOf, type Job, jobOf, seedsOf } from '../../shared/experiment.ts';
import {
  mnistComponents,
  type MnistData,
  type MnistDirectTask,
  mnistHidden,
  type MnistNumbers,
  type MnistTask,
} from './jobs.ts';

export type FinishedMnistJob = FinishedJob<MnistTask, MnistNumbers>;
type FinishedDirectJob = FinishedJob<MnistDirectTask, MnistNumbers>;

/** Neighbours of a point, itself counted, and what the paper says of batches. */
export interface Variant {
  readonly neighbors: number;
  /** Of SpecNet1-local, as many as batches of 2, 4 and 8 have neighbours. */
  readonly localBatches: readonly [number, number, number];
  /** Whether there is a picture of it. */
  readonly shown: boolean;
  /** Seconds that 1,000 images take in an epoch, with the look at it, for batches of 2, 4 and 8. */
  readonly paces: readonly [number, number, number];
}

export const sixteen: Variant = { neighbors: 16, localBatches: [45, 90, 180], shown: true, paces: [0.46, 0.39, 0.33] };
export const ten: Variant = { neighbors: 10, localBatches: [28, 56, 112], shown: false, paces: [0.35, 0.3, 0.24] };
export const neighborBatches = [2, 4, 8] as const;
const rate = 1e-4;
const usual = { quick: 2, full: 10 };
export const usualEpochs = { quick: 20, full: 50 };
const sizesOf = ({ quick }: Choices): { train: number; test: number } =>
  quick ? { train: 2000, test: 1000 } : { train: 20_000, test: 10_000 };
/** The same for SpecNet1-local. */
const localPace = 0.06;

export const settingsOf = (choices: Choices, { neighbors, localBatches }: Variant) => ({
  images: sizesOf(choices),
  graph: { kind: 'knn', neighbors, 'the point itself': 'counted', weights: '(A + Aᵀ)/2' },
  network: `784-256-256-${mnistComponents} for SpecNet2, 784-256-256-${mnistComponents + 1} for SpecNet1, ReLU`,
  optimizer: `Adam, rate ${rate}`,
  'batches of SpecNet1-local': [...localBatches],
  'batches of SpecNet2-neighbor': [...neighborBatches],
  epochs: epochsOf(choices, usualEpochs),
  'seed of the images': choices.seed,
  'seeds of networks and batches': seedsOf(choices, usual),
});

export function trainingsOf(choices: Choices, variant: Variant): Job[] {
  const data: MnistData = { data: choices.seed, ...sizesOf(choices), neighbors: variant.neighbors };
  const epochs = epochsOf(choices, usualEpochs);
  const shared = { ...data, rate, hidden: mnistHidden, epochs, pencil: 'random-walk' } as const;
  const thousands = data.train / 1000;
  return seedsOf(choices, usual).flatMap((start, replica) => {
    const job = (
      method: MnistTask['method'],
      scheme: MnistTask['scheme'],
      batch: number,
      first: number,
      pace: number,
    ): Job => {
      const shown = variant.shown && replica === 0 && batch === first;
      const task: MnistTask = { ...shared, method, scheme, batch, start, shown };
      return jobOf('mnist', task, [`k${variant.neighbors}`, method, scheme, batch, start], epochs * thousands * pace);
    };
    const local = variant.localBatches.map((batch) =>
      job('specnet1', 'local', batch, variant.localBatches[0], localPace),
    );
    return local.concat(
      neighborBatches.map((batch, i) => job('specnet2', 'neighbor', batch, neighborBatches[0], variant.paces[i])),
    );
  });
}

export function directsOf(choices: Choices, variant: Variant): Job[] {
  const { neighbors } = variant;
  return directMethods.map((method) => {
    const shown = variant.shown && (method === 'eigen' || method === 'regression');
    const whose = { data: choices.seed, start: choices.seed, ...sizesOf(choices) };
    const task: MnistDirectTask = { ...whose, neighbors, method, shown };
    return jobOf('mnist-direct', task, [`k${neighbors}`, method], task.train / 1000);
  });
}

export const trained = (done: readonly FinishedJob[]): FinishedMnistJob[] =>
  done.filter(({ kind }) => kind === 'mnist') as unknown as FinishedMnistJob[];

export const direct = (done: readonly FinishedJob[], method: MnistDirectTask['method']): FinishedDirectJob =>
  (done.filter(({ kind }) => kind === 'mnist-direct') as unknown as FinishedDirectJob[]).find(
    ({ task }) => task.method === method,
  )!;
