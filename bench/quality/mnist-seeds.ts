/** SpecNet2 with corrected moments on MNIST, over several seeds, beside the other ways to train the same network. */

import { loadMnist } from '../../datasets/index.ts';
import { laplacianEigenmap } from '../../lib/embedding/eigenmaps/eigenmap.ts';
import { composeHead, guardsOf } from '../../lib/embedding/fit-network.ts';
import { runSync } from '../../lib/core/task.ts';
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
/** The number of measurements of the gap in an epoch. Their time is not counted. */
const looks = 2;

interface Way {
  readonly name: string;
  readonly options: TrainOptions & { readonly epochs: number };
  /** The batch, which the name of an epoch depends on. */
  readonly batch: number;
  readonly guarded?: boolean;
}

/** Corrected moments with the defaults of `SpectralEmbedding`. */
export const corrected: Way = {
  name: 'SpecNet2, corrected moments',
  options: { method: 'specnet2', moments: 'corrected', epochs: 20 },
  batch: 32,
  guarded: true,
};

export const others: readonly Way[] = [
  {
    name: 'SpecNet2, tracked moments (the paper)',
    options: { method: 'specnet2', batch: 2, rate: 1e-4, scale: 'plain', epochs: 8 },
    batch: 2,
  },
  { name: 'SpecNet2, edges', options: { method: 'specnet2', scheme: 'edges', epochs: 40 }, batch: 128 },
  { name: 'Ritz head alternating', options: { method: 'ritz', epochs: 10 }, batch: 64 },
  { name: 'regression', options: { method: 'regression', epochs: 20 }, batch: 64 },
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
  readonly gap: number;
  readonly error: number;
  readonly labels: number;
}

export function mnistSeedsQuality(options: QualityOptions): Promise<Section> {
  return measured(options, [corrected], options.seeds);
}

export function mnistWaysQuality(options: QualityOptions): Promise<Section> {
  return measured(options, others, options.seeds);
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
  const all = await sequentially(ways, async (way) =>
    sequentially(
      Array.from({ length: seeds }, (_, i) => i + 1),
      async (seed) => {
        say(`MNIST: ${way.name}, seed ${seed}`);
        const run = await runOf(sets, way, seed);
        say(JSON.stringify(run));
        return run;
      },
    ),
  );
  return sectionOf(all);
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
    header: ['method', ...limits.map((limit) => `s to ${limit}`), 's in all', 'gap', 'error', 'labels', 'worst'],
    rows: all.map((runs) => {
      const middle = (of: (run: Run) => number, digits = 3): string => show(median(runs.map(of)), digits);
      return [
        runs[0].name,
        ...limits.map((_, at) => seconds(runs, at)),
        middle((run) => run.seconds, 1),
        middle((run) => run.gap),
        middle((run) => run.error),
        middle((run) => run.labels, 4),
        show(Math.min(...runs.map((run) => run.labels)), 4),
      ];
    }),
    notes: [
      `The gap f2 − f2* after Rayleigh-Ritz is measured ${looks} times an epoch. Error: rms of the sines between the spans, at fitted images.`,
      'Labels: unseen images whose ten nearest fitted images in the embedding vote for their digit.',
    ],
    figures: all,
  };
}

/** Trains one network and measures it on the way. */
export async function runOf({ graph, input, unseen, labels, exact }: Sets, way: Way, seed: number): Promise<Run> {
  const guards = way.guarded ? guardsOf(graph, hidden[hidden.length - 1], components) : 0;
  const network = new Mlp([input.cols, ...hidden, components + guards], { seed });
  const between = Math.ceil(images / way.batch / looks);
  const below: (number | null)[] = limits.map(() => null);
  let watching = 0;
  let steps = 0;
  const start = processorTime();
  const work = trainSteps(graph, network, input, { ...way.options, seed });
  for (let next = work.next(); !next.done; next = work.next()) {
    if (next.value instanceof Promise) await next.value;
    if (++steps % between !== 0) continue;
    const now = processorTime();
    const gap = gapOf(graph, exact.eigenvalues, network.evaluate(input));
    for (const [at, limit] of limits.entries()) if (gap < limit) below[at] ??= now - start - watching;
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
    gap: gapOf(graph, exact.eigenvalues, rows),
    error: distance(exact.embedding, rows),
    labels: labelAgreement(rows, labels.seen, outside, labels.unseen),
  };
}
