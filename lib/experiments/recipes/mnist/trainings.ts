/** The jobs on MNIST that several experiments share, and their lookup among finished jobs. */

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

/** A graph of MNIST, and the batch sizes that the paper uses with it. */
export interface Variant {
  /** Neighbors of a point, including itself. */
  readonly neighbors: number;
  /** Batch sizes of SpecNet1-local: the numbers of neighbors of batches of 2, 4 and 8. */
  readonly localBatches: readonly [number, number, number];
  /** Whether figures show its embeddings. */
  readonly shown: boolean;
  /** Seconds per epoch and 1,000 images, including measurements, for batches of 2, 4 and 8. */
  readonly epochSeconds: readonly [number, number, number];
}

export const sixteenNeighbors: Variant = {
  neighbors: 16,
  localBatches: [45, 90, 180],
  shown: true,
  epochSeconds: [0.46, 0.39, 0.33],
};
export const tenNeighbors: Variant = {
  neighbors: 10,
  localBatches: [28, 56, 112],
  shown: false,
  epochSeconds: [0.35, 0.3, 0.24],
};
export const neighborBatches = [2, 4, 8] as const;
const rate = 1e-4;
const defaultReplicas = { quick: 2, full: 10 };
export const defaultEpochs = { quick: 20, full: 50 };
const sizesOf = ({ quick }: Choices): { train: number; test: number } =>
  quick ? { train: 2000, test: 1000 } : { train: 20_000, test: 10_000 };
/** Seconds per epoch and 1,000 images of SpecNet1-local. */
const localEpochSeconds = 0.06;

export const settingsOf = (choices: Choices, { neighbors, localBatches }: Variant) => ({
  images: sizesOf(choices),
  graph: { kind: 'knn', neighbors, 'the point itself': 'counted', weights: '(A + Aᵀ)/2' },
  network: `784-256-256-${mnistComponents} for SpecNet2, 784-256-256-${mnistComponents + 1} for SpecNet1, ReLU`,
  optimizer: `Adam, rate ${rate}`,
  'batches of SpecNet1-local': [...localBatches],
  'batches of SpecNet2-neighbor': [...neighborBatches],
  epochs: epochsOf(choices, defaultEpochs),
  'seed of the images': choices.seed,
  'seeds of networks and batches': seedsOf(choices, defaultReplicas),
});

export function trainingsOf(choices: Choices, variant: Variant): Job[] {
  const data: MnistData = { data: choices.seed, ...sizesOf(choices), neighbors: variant.neighbors };
  const epochs = epochsOf(choices, defaultEpochs);
  const shared = { ...data, rate, hidden: mnistHidden, epochs, pencil: 'random-walk' } as const;
  const thousands = data.train / 1000;
  return seedsOf(choices, defaultReplicas).flatMap((start, replica) => {
    const job = (
      method: MnistTask['method'],
      scheme: MnistTask['scheme'],
      batch: number,
      shownBatch: number,
      secondsPerThousand: number,
    ): Job => {
      const shown = variant.shown && replica === 0 && batch === shownBatch;
      const task: MnistTask = { ...shared, method, scheme, batch, start, shown };
      return jobOf(
        'mnist',
        task,
        [`k${variant.neighbors}`, method, scheme, batch, start],
        epochs * thousands * secondsPerThousand,
      );
    };
    const local = variant.localBatches.map((batch) =>
      job('specnet1', 'local', batch, variant.localBatches[0], localEpochSeconds),
    );
    return local.concat(
      neighborBatches.map((batch, i) =>
        job('specnet2', 'neighbor', batch, neighborBatches[0], variant.epochSeconds[i]),
      ),
    );
  });
}

export function directsOf(choices: Choices, variant: Variant): Job[] {
  const { neighbors } = variant;
  return directMethods.map((method) => {
    const shown = variant.shown && (method === 'eigen' || method === 'regression');
    const data = { data: choices.seed, start: choices.seed, ...sizesOf(choices) };
    const task: MnistDirectTask = { ...data, neighbors, method, shown };
    return jobOf('mnist-direct', task, [`k${neighbors}`, method], task.train / 1000);
  });
}

export const trained = (finished: readonly FinishedJob[]): FinishedMnistJob[] =>
  finished.filter(({ kind }) => kind === 'mnist') as unknown as FinishedMnistJob[];

export const direct = (finished: readonly FinishedJob[], method: MnistDirectTask['method']): FinishedDirectJob =>
  (finished.filter(({ kind }) => kind === 'mnist-direct') as unknown as FinishedDirectJob[]).find(
    ({ task }) => task.method === method,
  )!;
