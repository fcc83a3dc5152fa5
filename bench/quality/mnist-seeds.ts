/** SpecNet2 with corrected moments on MNIST, over several seeds, beside the other ways to train the same network. */

import { setImmediate as turn } from 'node:timers/promises';
import { loadMnist } from '../../datasets/index.ts';
import { laplacianEigenmap } from '../../lib/embedding/eigenmaps/eigenmap.ts';
import { composeHead, guardsOf } from '../../lib/embedding/fit-network.ts';
import { runSync } from '../../lib/core/task.ts';
import { batchNeighbors } from '../../lib/graph/batch-neighbors.ts';
import { buildGraph } from '../../lib/graph/build-graph.ts';
import type { Graph } from '../../lib/graph/graph.ts';
import { allLayers } from '../../lib/network/bodies/body.ts';
import { Mlp } from '../../lib/network/bodies/mlp.ts';
import { type Points, toKernelFormat } from '../../lib/network/layers/inputs.ts';
import { ritzHeadSteps } from '../../lib/spectral/ritz/ritz-head.ts';
import type { TrainOptions } from '../../lib/spectral/train/options.ts';
import { trainSteps } from '../../lib/spectral/train/train.ts';
import type { Tensor } from '../../lib/tensor/tensor.ts';
import { sequentially } from '../sequentially.ts';
import { distance, gapOf, labelAgreement } from './mnist.ts';
import { median, processorTime, type QualityOptions, type Section, show } from './section.ts';

const components = 6;
const hidden = [256, 256];
const images = 20_000;
/** The gaps whose times are measured. */
const limits = [1, 0.1, 0.05];

interface Way {
  readonly name: string;
  readonly options: TrainOptions & { readonly epochs: number };
  readonly batch: number;
  /** The number of measurements of the gap in an epoch. Their time is not counted. */
  readonly looks: number;
  /** The number of rows that a step evaluates. It moves those of its batch, or the ends of its edges. */
  evaluated(graph: Graph, batch: number): number;
  /** The number of times that each epoch evaluates all rows, outside its steps. */
  readonly passes?: number;
  readonly guarded?: boolean;
}

const neighborhood = (graph: Graph, batch: number): number => batchNeighbors(graph, [batch])[0];
const batchAlone = (_: Graph, batch: number): number => batch;

/** Corrected moments with the defaults of `SpectralEmbedding`. */
function correctedFor(epochs: number): Way {
  return {
    name: `SpecNet2, corrected moments, ${epochs} epochs`,
    options: { method: 'specnet2', moments: 'corrected', epochs },
    batch: 32,
    looks: 2,
    evaluated: neighborhood,
    guarded: true,
  };
}

export const corrected = correctedFor(20);

export const others: readonly Way[] = [
  // As many epochs as take about as long as alternating.
  correctedFor(9),
  {
    name: 'SpecNet2, tracked moments (the paper), 8 epochs',
    options: { method: 'specnet2', batch: 2, rate: 1e-4, scale: 'plain', epochs: 8 },
    batch: 2,
    looks: 2,
    evaluated: neighborhood,
  },
  {
    name: 'SpecNet2, edges, 40 epochs',
    options: { method: 'specnet2', scheme: 'edges', epochs: 40 },
    batch: 128,
    looks: 1,
    evaluated: (_, batch) => 2 * batch,
  },
  {
    name: 'Ritz head alternating, 10 epochs',
    options: { method: 'ritz', epochs: 10 },
    batch: 64,
    looks: 2,
    evaluated: batchAlone,
    // The features of the head, and the outputs to be smoothed, every two epochs.
    passes: 1,
  },
  {
    name: 'regression, 20 epochs',
    options: { method: 'regression', epochs: 20 },
    batch: 64,
    looks: 2,
    evaluated: batchAlone,
  },
];

interface Sets {
  readonly graph: Graph;
  readonly input: Points;
  readonly unseen: Points;
  readonly labels: { readonly seen: Int32Array; readonly unseen: Int32Array };
  readonly exact: { readonly eigenvalues: Float64Array; readonly embedding: Tensor };
}

export interface Run {
  readonly name: string;
  readonly seed: number;
  readonly seconds: number;
  /** The processor seconds after which the gap was first below each limit; null if never. */
  readonly below: readonly (number | null)[];
  /** The gap in the course of the training. */
  readonly course: readonly { readonly seconds: number; readonly ticks: number; readonly gap: number }[];
  /** Rows evaluated in the whole training. */
  readonly evaluated: number;
  readonly gap: number;
  readonly error: number;
  readonly labels: number;
}

export function mnistSeedsQuality(options: QualityOptions): Promise<Section> {
  return measured(options, [corrected], options.seeds);
}

/** All ways in one run: one seed after the other, and all ways for each. */
export function mnistWaysQuality(options: QualityOptions): Promise<Section> {
  return measured(options, [corrected, ...others], options.seeds);
}

export async function mnistSets(): Promise<Sets> {
  const { train: seen, test: unseen } = await loadMnist({ train: images, test: 10_000, seed: 1 });
  const graph = await buildGraph(seen.points, { kind: 'knn', neighbors: 16 });
  return {
    graph,
    input: toKernelFormat(seen.points),
    unseen: toKernelFormat(unseen.points),
    labels: { seen: seen.labels!, unseen: unseen.labels! },
    exact: await laplacianEigenmap(graph, { components }),
  };
}

async function measured({ say }: QualityOptions, ways: readonly Way[], seeds: number): Promise<Section> {
  say('MNIST: graph and eigenvectors');
  const sets = await mnistSets();
  const ofSeeds = await sequentially(
    Array.from({ length: seeds }, (_, i) => i + 1),
    (seed) =>
      sequentially(ways, async (way) => {
        say(`MNIST: ${way.name}, seed ${seed}`);
        const run = await runOf(sets, way, seed);
        say(JSON.stringify(run));
        return run;
      }),
  );
  return sectionOf(ways.map((_, at) => ofSeeds.map((runs) => runs[at])));
}

export function sectionOf(all: readonly (readonly Run[])[]): Section {
  const seconds = (runs: readonly Run[], at: number): string => {
    const times = runs.map(({ below }) => below[at] ?? Infinity);
    const middle = median(times);
    return Number.isFinite(middle) ? show(middle, 1) : 'never';
  };
  return {
    title: `MNIST, 20,000 images, 784-256-256-6: medians over ${all[0].length} seeds of network and batches`,
    settings: 'knn 16 with the point itself; one thread; processor time without the graph and the measurements',
    header: [
      'method',
      ...limits.map((limit) => `s to ${limit}`),
      's in all',
      'rows/s',
      'gap',
      'error',
      'labels',
      'worst',
    ],
    rows: all.map((runs) => {
      const middle = (of: (run: Run) => number, digits = 3): string => show(median(runs.map(of)), digits);
      return [
        runs[0].name,
        ...limits.map((_, at) => seconds(runs, at)),
        middle((run) => run.seconds, 1),
        middle((run) => run.evaluated / run.seconds, 0),
        middle((run) => run.gap),
        middle((run) => run.error),
        middle((run) => run.labels, 4),
        show(Math.min(...runs.map((run) => run.labels)), 4),
      ];
    }),
    notes: [
      'The gap f2 − f2* after Rayleigh-Ritz is measured once or twice an epoch. Error: rms of the sines between the spans, at fitted images.',
      'rows/s: rows evaluated in a second, those of the batches, of their neighbors, and of the Ritz head.',
      'Labels: unseen images whose ten nearest fitted images in the embedding vote for their digit.',
    ],
    figures: all,
  };
}

/** Trains one network and measures it on the way. */
export async function runOf({ graph, input, unseen, labels, exact }: Sets, way: Way, seed: number): Promise<Run> {
  const guards = way.guarded ? guardsOf(graph, hidden[hidden.length - 1], components) : 0;
  const network = new Mlp([input.cols, ...hidden, components + guards], { seed });
  const inEpoch = Math.ceil(images / way.batch);
  const between = Math.ceil(inEpoch / way.looks);
  const perEpoch = inEpoch * way.evaluated(graph, way.batch) + (way.passes ?? 0) * images;
  const course: { seconds: number; ticks: number; gap: number }[] = [];
  const below: (number | null)[] = limits.map(() => null);
  let watching = 0;
  let ticks = 0;
  const start = processorTime();
  const work = trainSteps(graph, network, input, { ...way.options, seed });
  for (let next = work.next(); !next.done; next = work.next()) {
    if (next.value instanceof Promise) await next.value;
    if (++ticks % between !== 0) continue;
    const now = processorTime();
    const gap = gapOf(graph, exact.eigenvalues, network.evaluate(input));
    course.push({ seconds: now - start - watching, ticks, gap });
    for (const [at, limit] of limits.entries()) if (gap < limit) below[at] ??= now - start - watching;
    // Arrays that nobody uses any more are freed between turns of the event loop, as `train` has them.
    await turn();
    watching += processorTime() - now;
  }
  const head = runSync(ritzHeadSteps('quality', graph, allLayers(network), input, { components }));
  const seconds = processorTime() - start - watching;
  const model = composeHead(network, head);
  const [rows, outside] = [model.evaluate(input), model.evaluate(unseen)];
  return {
    name: way.name,
    seed,
    seconds,
    below,
    course,
    evaluated: way.options.epochs * perEpoch,
    gap: gapOf(graph, exact.eigenvalues, rows),
    error: distance(exact.embedding, rows),
    labels: labelAgreement(rows, labels.seen, outside, labels.unseen),
  };
}
