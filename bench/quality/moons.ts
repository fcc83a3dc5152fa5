/** Errors of the paper's methods on its moons, and of methods that need no neighbors of batches. */

import { runSync } from '../../lib/core/task.ts';
import { oneMoon, oneMoonDensity, trainAndTest, twoMoons } from '../../datasets/index.ts';
import { addBias, matmul } from '../../lib/autodiff/functions.ts';
import { accuracy } from '../../lib/embedding/clustering/agreement.ts';
import type { ModelOptions } from '../../lib/embedding/model-options.ts';
import { kMeansSteps, nearestCenters } from '../../lib/embedding/clustering/k-means.ts';
import { SpectralEmbedding } from '../../lib/embedding/spectral-embedding.ts';
import { buildGraph } from '../../lib/graph/build-graph.ts';
import { eigenfunctions } from '../../lib/theory/continuum/eigenfunctions.ts';
import type { Dataset } from '../../lib/formats/dataset.ts';
import type { Graph } from '../../lib/graph/graph.ts';
import { relativeErrors } from '../../lib/linalg/subspace.ts';
import { allLayers } from '../../lib/network/bodies/body.ts';
import { Mlp } from '../../lib/network/bodies/mlp.ts';
import { methods } from '../../lib/spectral/descent/objective.ts';
import { ritzHeadSteps } from '../../lib/spectral/ritz/ritz-head.ts';
import { columns, exactSpectrum } from '../../lib/spectral/spectrum/spectrum.ts';
import type { TrainOptions } from '../../lib/spectral/train/options.ts';
import { train } from '../../lib/spectral/train/train.ts';
import { schemes } from '../../lib/spectral/descent/view.ts';
import { type Tensor, zeros } from '../../lib/tensor/tensor.ts';
import { sequentially } from '../sequentially.ts';
import { mean, type QualityOptions, type Section, show, timed } from './section.ts';

export const oneRecipe = { kind: 'gaussian', sigma: 0.2, threshold: 0.6 } as const;
export const twoRecipe = { kind: 'gaussian', sigma: 0.15, threshold: 0.08 } as const;
export const paper = { batch: 4, scale: 'plain' } as const;

export const seedsOf = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);
const pair = (errors: readonly (readonly number[])[], digits = 3): string =>
  [0, 1].map((k) => show(mean(errors.map((error) => error[k])), digits)).join(' / ');

/** The outputs after Rayleigh-Ritz, at training points and at new points. */
export function rotatedOutputs(
  graph: Graph,
  network: Mlp,
  points: Tensor,
  others: Tensor,
): [seen: Tensor, unseen: Tensor] {
  const { weights, bias } = runSync(
    ritzHeadSteps('ritzHead', graph, allLayers(network), points, { components: network.outputs }),
  );
  const rotate = (x: Tensor): Tensor => addBias(matmul(network.evaluate(x), weights), bias);
  return [rotate(points), rotate(others)];
}

export async function oneMoonQuality({ seeds, say }: QualityOptions): Promise<Section> {
  const epochs = [1, 10, 50, 100];
  const limit = eigenfunctions(oneMoonDensity(), { sigma: oneRecipe.sigma, count: 3 });
  const floors: number[][] = [];
  const drawn = await sequentially(seedsOf(seeds), async (seed) => {
    const { train: seen, test: unseen } = trainAndTest(oneMoon, { seed });
    const graph = await buildGraph(seen.points, oneRecipe);
    const truth = {
      seen: columns(limit.evaluate(seen.points), 1, 3),
      unseen: columns(limit.evaluate(unseen.points), 1, 3),
    };
    floors.push([
      ...relativeErrors(columns((await exactSpectrum('quality', graph, { count: 3 })).vectors, 1, 3), truth.seen),
    ]);
    return { seed, seen: seen.points, unseen: unseen.points, graph, truth };
  });
  const kinds = methods.toReversed().flatMap((method) => schemes.map((scheme) => ({ method, scheme }) as const));
  const figures = await sequentially(kinds, async ({ method, scheme }) => {
    const runs = await sequentially(drawn, async ({ seed, seen, unseen, graph, truth }) => {
      say(`one moon: ${method} ${scheme}, seed ${seed}`);
      const network = new Mlp([2, 128, 2], { seed });
      const errors: { epoch: number; seen: number[]; unseen: number[] }[] = [];
      let watching = 0;
      const onEpoch = ({ epoch }: { epoch: number }): void => {
        if (!epochs.includes(epoch)) return;
        const start = performance.now();
        const [rows, others] = rotatedOutputs(graph, network, seen, unseen);
        errors.push({
          epoch,
          seen: [...relativeErrors(rows, truth.seen)],
          unseen: [...relativeErrors(others, truth.unseen)],
        });
        watching += (performance.now() - start) / 1000;
      };
      const options = { ...paper, method, scheme, epochs: Math.max(...epochs), seed, onEpoch };
      const { seconds } = await timed(() => train(graph, network, seen, options));
      return { seed, seconds: seconds - watching, errors };
    });
    return { method, scheme, runs };
  });
  return {
    title: `One moon, 2,000 points, ${seeds} draws: errors of the first / second nontrivial eigenfunction, mean`,
    settings:
      'gaussian 0.2 above 0.6; 2-128-2, batch 4, Adam 1e-3 (SpecNet2) and 1e-4 (SpecNet1), two outputs with the trivial pair taken out',
    header: [
      'method',
      's/epoch',
      ...epochs.map((epoch) => `epoch ${epoch}`),
      ...epochs.slice(-1).map((epoch) => `unseen, ${epoch}`),
    ],
    rows: [
      ['exact eigenvectors (the floor)', '', ...epochs.map(() => pair(floors)), ''],
      ...figures.map(({ method, scheme, runs }) => [
        `${method} ${scheme}`,
        show(mean(runs.map(({ seconds }) => seconds)) / Math.max(...epochs)),
        ...epochs.map((_, e) => pair(runs.map(({ errors }) => errors[e].seen))),
        pair(runs.map(({ errors }) => errors[epochs.length - 1].unseen)),
      ]),
    ],
    notes: ['Errors are τ of the paper against the continuous eigenfunctions, on the same draws for all.'],
    figures: { floors, methods: figures },
  };
}

/** Two clusters of the first coordinate. New points are assigned to the nearest center. */
export function moonAccuracy(seen: Tensor, labels: Int32Array, unseen: Tensor, expected: Int32Array): [number, number] {
  const found = runSync(kMeansSteps(firstColumn(seen), 2, { seed: 1 }));
  return [
    accuracy(found.labels, labels),
    accuracy(nearestCenters(firstColumn(unseen), found.centers).labels, expected),
  ];
}

function firstColumn(table: Tensor): Tensor<Float32Array> {
  const result = zeros([table.rows, 1]);
  for (let i = 0; i < table.rows; i++) result.data[i] = table.data[i * table.cols];
  return result;
}

/** Trains the paper's network on two moons, and measures the accuracy of its two clusters after these epochs. */
export async function accuracyAt(
  epochs: readonly number[],
  graph: Graph,
  seen: Dataset,
  unseen: Dataset,
  options: TrainOptions & { readonly seed: number },
) {
  const network = new Mlp([2, 128, 1], { seed: options.seed });
  const trace: { epoch: number; seen: number; unseen: number }[] = [];
  const onEpoch = ({ epoch }: { epoch: number }): void => {
    if (!epochs.includes(epoch)) return;
    const [rows, others] = rotatedOutputs(graph, network, seen.points, unseen.points);
    const [onSeen, onUnseen] = moonAccuracy(rows, seen.labels!, others, unseen.labels!);
    trace.push({ epoch, seen: onSeen, unseen: onUnseen });
  };
  const all = { ...options, epochs: Math.max(...epochs), onEpoch };
  const { seconds } = await timed(() => train(graph, network, seen.points, all));
  return { seconds, trace };
}

export async function twoMoonsQuality({ seeds, say }: QualityOptions): Promise<Section> {
  const epochs = [10, 50, 100, 150, 200, 250];
  const runs = await sequentially(seedsOf(seeds), async (seed) => {
    say(`two moons: specnet2 neighbor, seed ${seed}`);
    const { train: seen, test: unseen } = trainAndTest(twoMoons, { seed });
    const graph = await buildGraph(seen.points, twoRecipe);
    const exact = columns((await exactSpectrum('quality', graph, { count: 2 })).vectors, 1, 2);
    const [floor] = moonAccuracy(exact, seen.labels!, exact, seen.labels!);
    return { seed, floor, ...(await accuracyAt(epochs, graph, seen, unseen, { ...paper, seed })) };
  });
  const row = (name: string, part: 'seen' | 'unseen', pick: (values: number[]) => number): string[] => [
    name,
    ...epochs.map((_, e) => show(pick(runs.map(({ trace }) => trace[e][part])), 4)),
  ];
  return {
    title: `Two moons, 2,000 points, ${seeds} draws: accuracy of SpecNet2 neighbor`,
    settings: 'gaussian 0.15 above 0.08; 2-128-1, batch 4, Adam 1e-3, 500 steps an epoch',
    header: ['', ...epochs.map((epoch) => `epoch ${epoch}`)],
    rows: [
      row('seen, mean', 'seen', mean),
      row('seen, worst', 'seen', (values) => Math.min(...values)),
      row('unseen, mean', 'unseen', mean),
      row('unseen, worst', 'unseen', (values) => Math.min(...values)),
    ],
    notes: [
      `The exact eigenvector on the same draws: ${show(mean(runs.map(({ floor }) => floor)), 4)}, ${show(Math.min(...runs.map(({ floor }) => floor)), 4)} at worst.`,
      `${show(mean(runs.map(({ seconds }) => seconds)), 1)} s of processor time for each of the trainings.`,
    ],
    figures: runs,
  };
}

export const quick: readonly (readonly [name: string, options: ModelOptions])[] = [
  ['Ritz head on landmarks', { method: 'ritz' }],
  ['Ritz head, 128 untrained', { method: 'ritz', hidden: [128] }],
  ['regression on landmarks', {}],
  ['regression, 64-64', { hidden: [64, 64] }],
];

export async function untrainedQuality({ seeds, say }: QualityOptions): Promise<Section> {
  const figures = await sequentially(quick, async ([name, options]) => {
    const runs = await sequentially(seedsOf(seeds), async (seed) => {
      say(`moons: ${name}, seed ${seed}`);
      const one = trainAndTest(oneMoon, { seed });
      const first = await timed(() =>
        new SpectralEmbedding({ components: 2, seed, graph: oneRecipe, ...options }).fit(one.train.points),
      );
      const truth = columns((await exactSpectrum('quality', first.result.graph, { count: 3 })).vectors, 1, 3);
      const two = trainAndTest(twoMoons, { seed });
      const second = await timed(() =>
        new SpectralEmbedding({ components: 2, seed, graph: twoRecipe, ...options }).fit(two.train.points),
      );
      const unseen = second.result.transform(two.test.points);
      const [onSeen, onUnseen] = moonAccuracy(second.result.embedding, two.train.labels!, unseen, two.test.labels!);
      return {
        seed,
        errors: [...relativeErrors(first.result.embedding, truth)],
        accuracy: { seen: onSeen, unseen: onUnseen },
        seconds: [first.seconds, second.seconds] as const,
      };
    });
    return { name, runs };
  });
  return {
    title: `Moons without neighbors of batches, 2,000 points, ${seeds} draws: worst of all`,
    settings: 'graphs as above; errors of one moon against the exact eigenvectors of its graph; accuracy of two moons',
    header: ['method', 'errors, worst', 'mean', 'accuracy seen', 'unseen', 's, one moon', 's, two moons'],
    rows: figures.map(({ name, runs }) => [
      name,
      [0, 1].map((k) => show(Math.max(...runs.map(({ errors }) => errors[k])), 4)).join(' / '),
      pair(
        runs.map(({ errors }) => errors),
        4,
      ),
      show(Math.min(...runs.map((run) => run.accuracy.seen)), 4),
      show(Math.min(...runs.map((run) => run.accuracy.unseen)), 4),
      ...[0, 1].map((k) => show(Math.max(...runs.map(({ seconds }) => seconds[k])), 2)),
    ]),
    notes: ['Seconds are processor time from points to model, the graph with it; of the first draw with warming up.'],
    figures,
  };
}
