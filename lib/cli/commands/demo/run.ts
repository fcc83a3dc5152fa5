/** The computations of the demo: two moons by regression on landmarks and by SpecNet2, compared with exact eigenvectors. */

import { runSync } from '../../../core/task.ts';
import { trainAndTest } from '../../../formats/dataset.ts';
import { twoMoons } from '../../../../datasets/moons.ts';
import { addBias, matmul } from '../../../autodiff/functions.ts';
import { accuracy } from '../../../embedding/clustering/agreement.ts';
import { type KMeans, kMeansSteps, nearestCenters } from '../../../embedding/clustering/k-means.ts';
import { type FittedEmbedding, SpectralEmbedding } from '../../../embedding/spectral-embedding.ts';
import type { ModelOptions } from '../../../embedding/model-options.ts';
import { buildGraph } from '../../../graph/build-graph.ts';
import type { Graph } from '../../../graph/graph.ts';
import { relativeErrors } from '../../../linalg/subspace.ts';
import { allLayers } from '../../../network/bodies/body.ts';
import { Network } from '../../../network/bodies/network.ts';
import { ritzHeadSteps } from '../../../spectral/ritz/ritz-head.ts';
import { columns, exactSpectrum, type Spectrum } from '../../../spectral/spectrum/spectrum.ts';
import type { EpochState } from '../../../spectral/train/options.ts';
import { type Tensor, zeros } from '../../../tensor/tensor.ts';

export interface DemoOptions {
  readonly points: number;
  readonly epochs: number;
  readonly seed: number;
  /** Milliseconds since an arbitrary origin. */
  readonly now: () => number;
  readonly progress: (text: string) => void;
}

/** Points, the moon of each, and their learned coordinates. */
export interface Scene {
  readonly points: Tensor;
  readonly labels: Int32Array;
  readonly embedding: Tensor;
}

export interface Learned {
  readonly name: string;
  readonly eigenvalues: readonly number[];
  /** Relative errors of the coordinates against the exact eigenvectors. */
  readonly errors: readonly number[];
  /** Agreement of two clusters of the first coordinate with the moons, on training points and on test points. */
  readonly accuracy: { readonly seen: number; readonly unseen: number };
  readonly seconds: number;
  readonly train: Scene;
  readonly test: Scene;
}

export interface Demo {
  /** The exact nontrivial eigenvalues of the graph. */
  readonly eigenvalues: readonly number[];
  readonly seconds: { readonly graph: number; readonly eigenvectors: number };
  readonly learned: readonly Learned[];
  /** The accuracy of SpecNet2 on training points after each epoch. */
  readonly curve: readonly { readonly epoch: number; readonly accuracy: number }[];
}

const components = 2;
const hidden = [64, 64];

export async function runDemo({ points: n, epochs, seed, now, progress }: DemoOptions): Promise<Demo> {
  const data = trainAndTest(twoMoons, { n, seed });
  const timed = async <T>(work: () => T | Promise<T>): Promise<[result: T, seconds: number]> => {
    const start = now();
    const result = await work();
    return [result, (now() - start) / 1000];
  };
  progress('building the graph of two moons');
  const [graph, graphSeconds] = await timed(() =>
    buildGraph(data.train.points, { kind: 'gaussian', sigma: 0.15, threshold: 0.08 }),
  );
  progress('computing exact eigenvectors');
  const [exact, exactSeconds] = await timed(() => exactSpectrum('demo', graph, { count: components + 1, seed }));

  const fit = (options: ModelOptions, title: string): Promise<FittedEmbedding> =>
    new SpectralEmbedding({ components, seed, ...options }).fit(data.train.points, {
      graph,
      progress: (fraction) => progress(`${title} … ${Math.round(100 * fraction)} %`),
    });
  const [regression, regressionSeconds] = await timed(() => fit({}, 'regression on landmarks'));
  const curve: { epoch: number; accuracy: number }[] = [];
  let curveSeconds = 0; // not counted as training time
  const onEpoch = ({ epoch, state }: EpochState): void => {
    const start = now();
    const network = new Network('relu', state().parameters);
    const { weights, bias } = runSync(
      ritzHeadSteps('ritzHead', graph, allLayers(network), data.train.points, { components, seed }),
    );
    const embedding = addBias(matmul(network.evaluate(data.train.points), weights), bias);
    curve.push({ epoch, accuracy: accuracy(split(embedding, seed).labels, data.train.labels!) });
    curveSeconds += (now() - start) / 1000;
  };
  const training = { batch: 8, rate: 3e-3, epochs, onEpoch };
  const [trained, trainedSeconds] = await timed(() =>
    fit({ method: 'specnet2', hidden, training }, 'SpecNet2 with the neighbor scheme'),
  );

  const review = (name: string, fitted: FittedEmbedding, seconds: number): Learned => {
    const clusters = split(fitted.embedding, seed);
    const onTest = fitted.transform(data.test.points);
    const predicted = nearestCenters(firstColumn(onTest), clusters.centers).labels;
    return {
      name,
      eigenvalues: [...fitted.eigenvalues],
      errors: errorsOf(graph, exact, fitted.embedding),
      accuracy: {
        seen: accuracy(clusters.labels, data.train.labels!),
        unseen: accuracy(predicted, data.test.labels!),
      },
      seconds,
      train: { points: data.train.points, labels: data.train.labels!, embedding: fitted.embedding },
      test: { points: data.test.points, labels: data.test.labels!, embedding: onTest },
    };
  };
  return {
    eigenvalues: [...exact.values.subarray(1)],
    seconds: { graph: graphSeconds, eigenvectors: exactSeconds },
    learned: [
      review('regression on landmarks', regression, regressionSeconds),
      review(`SpecNet2 neighbor, ${epochs} epochs`, trained, trainedSeconds - curveSeconds),
    ],
    curve,
  };
}

function errorsOf(graph: Graph, exact: Spectrum, embedding: Tensor): number[] {
  return [...relativeErrors(embedding, columns(exact.vectors, 1, components + 1), graph.degrees)];
}

/** Splits the first coordinate into two clusters. */
function split(embedding: Tensor, seed: number): KMeans {
  return runSync(kMeansSteps(firstColumn(embedding), 2, { seed }));
}

function firstColumn(table: Tensor): Tensor<Float32Array> {
  const result = zeros([table.rows, 1]);
  for (let i = 0; i < table.rows; i++) result.data[i] = table.data[i * table.cols];
  return result;
}
