/** Distances of learned models of MNIST from the eigenvectors of its graph, on training points and on new points. */

import { loadMnist } from '../../datasets/index.ts';
import { runSync } from '../../lib/core/task.ts';
import { laplacianEigenmap } from '../../lib/embedding/eigenmaps/eigenmap.ts';
import type { ModelOptions } from '../../lib/embedding/model-options.ts';
import { nystrom } from '../../lib/embedding/eigenmaps/nystrom.ts';
import { SpectralEmbedding } from '../../lib/embedding/spectral-embedding.ts';
import { buildGraph } from '../../lib/graph/build-graph.ts';
import type { Graph } from '../../lib/graph/graph.ts';
import { nearestAmongSteps } from '../../lib/graph/neighbors/neighbors.ts';
import { principalAngles } from '../../lib/linalg/subspace.ts';
import { toKernelFormat } from '../../lib/network/layers/inputs.ts';
import { Mlp } from '../../lib/network/bodies/mlp.ts';
import { rayleighRitz } from '../../lib/spectral/ritz/rayleigh-ritz.ts';
import { trainSteps } from '../../lib/spectral/train/train.ts';
import type { Tensor } from '../../lib/tensor/tensor.ts';
import { sequentially } from '../sequentially.ts';
import { processorTime, type QualityOptions, type Section, show, timed, type TimeFigures } from './section.ts';

const components = 6;
const recipe = { kind: 'knn', neighbors: 16 } as const;
const hidden = [256, 256];
const votes = 10;
const plain = { method: 'specnet2', scheme: 'neighbor', batch: 2, rate: 1e-4, scale: 'plain' } as const;
/** The number of steps of plain training, and the number of steps between two measurements. */
interface Steps {
  readonly most: number;
  readonly between: number;
}

type Model = readonly [name: string, options: ModelOptions];

/** Takes minutes: enough to compare the quality of the methods over time. */
const fewModels: readonly Model[] = [
  ...[256, 1024].map((landmarks) => [`Ritz head, ${landmarks} landmarks`, { method: 'ritz', landmarks }] as const),
  ['regression, 1024 landmarks', { landmarks: 1024 }],
  ['regression, 256-256, 5 epochs', { hidden, training: { epochs: 5 } }],
];

const models: readonly Model[] = [
  ['Ritz head, untrained 256-256', { method: 'ritz', hidden }],
  ...[256, 1024, 2048].map(
    (landmarks) => [`Ritz head, ${landmarks} landmarks`, { method: 'ritz', landmarks }] as const,
  ),
  ...[1024, 2048, 4096].map((landmarks) => [`regression, ${landmarks} landmarks`, { landmarks }] as const),
  ['regression, 256-256, 5 epochs', { hidden, training: { epochs: 5 } }],
  ['regression, 256-256, 20 epochs', { hidden }],
  ['Ritz head alternating, 256-256, 10 epochs', { method: 'ritz', hidden, training: { epochs: 10 } }],
  ['Ritz head alternating, 256-256, 20 epochs', { method: 'ritz', hidden, training: {} }],
];

interface Line {
  readonly name: string;
  readonly seconds: number;
  readonly gap: number;
  readonly error: { readonly seen: number; readonly unseen: number };
  readonly labels: number;
}

export function mnistQuality(options: QualityOptions): Promise<Section> {
  return measured(options, models, { most: 160_000, between: 1000 });
}

export function mnistTime(options: QualityOptions): Promise<Section> {
  return measured(options, fewModels, { most: 20_000, between: 1000 });
}

async function measured({ say }: QualityOptions, chosen: readonly Model[], steps: Steps): Promise<Section> {
  say('MNIST: graph and eigenvectors');
  const { train: seen, test: unseen } = await loadMnist({ train: 20_000, test: 10_000, seed: 1 });
  const graph = await buildGraph(seen.points, recipe);
  const exact = await timed(async () => await laplacianEigenmap(graph, { components }));
  const source = { points: seen.points, recipe, graph, ...exact.result };
  const extended = await timed(() => nystrom(source, unseen.points));
  const truth = { seen: exact.result.embedding, unseen: extended.result };

  const review = (name: string, seconds: number, rows: Tensor, others: Tensor): Line => ({
    name,
    seconds,
    gap: gapOf(graph, exact.result.eigenvalues, rows),
    error: { seen: distance(truth.seen, rows), unseen: distance(truth.unseen, others) },
    labels: labelAgreement(rows, seen.labels!, others, unseen.labels!),
  });
  const lines = await sequentially(chosen, async ([name, options]) => {
    say(`MNIST: ${name}`);
    const estimator = new SpectralEmbedding({ components, ...options });
    const { result: fitted, seconds } = await timed(() => estimator.fit(seen.points, { graph }));
    return review(name, seconds, fitted.embedding, fitted.transform(unseen.points));
  });

  say('MNIST: plain SpecNet2');
  const network = new Mlp([784, ...hidden, components], { seed: 1 });
  const input = toKernelFormat(seen.points);
  const trace: { steps: number; seconds: number; gap: number }[] = [];
  let seconds = 0;
  let start = processorTime();
  let done = 0;
  for (const fraction of trainSteps(graph, network, input, { ...plain, epochs: 1000 })) {
    void fraction;
    if (++done % steps.between !== 0) continue;
    seconds += processorTime() - start;
    trace.push({ steps: done, seconds, gap: gapOf(graph, exact.result.eigenvalues, network.evaluate(input)) });
    if (done === steps.most) break;
    start = processorTime();
  }
  const below = trace.find(({ gap }) => gap < 1);
  const plainName = `SpecNet2 neighbor, 256-256, ${steps.most / 10_000} epochs`;
  const all: Line[] = [
    ...lines,
    review(plainName, seconds, network.evaluate(input), network.evaluate(toKernelFormat(unseen.points))),
    review('true eigenvectors, Nyström', exact.seconds, truth.seen, truth.unseen),
  ];
  const when = below
    ? `Plain SpecNet2 is below a gap of 1.0 after ${below.steps} steps, ${show(below.seconds, 1)} s, for the first time.`
    : 'Plain SpecNet2 was never below a gap of 1.0.';
  return {
    title: 'MNIST, 20,000 images to fit and 10,000 never seen, six components',
    settings:
      'knn 16 with the point itself; SpecNet2: batch 2, Adam 1e-4, plain scale; one seed; processor time without the graph',
    header: ['method', 'f2 − f2*', 'seconds', 'error seen', 'unseen', 'labels'],
    rows: all.map(({ name, gap, seconds: time, error, labels }) => [
      name,
      show(gap),
      show(time, 1),
      show(error.seen),
      show(error.unseen),
      show(labels, 4),
    ]),
    notes: [
      'f2 is that of the outputs after Rayleigh-Ritz. Error: rms of the sines between the spans, of unseen points against the',
      'Nyström extension of the eigenvectors. Labels: unseen images whose ten nearest in the embedding vote for their digit.',
      when,
    ],
    figures: { lines: all, trace } satisfies TimeFigures,
  };
}

/** f2 of the rows after Rayleigh-Ritz, minus its minimum. */
export function gapOf(graph: Graph, truth: Float64Array, rows: Tensor): number {
  const { eigenvalues } = rayleighRitz(graph, rows);
  return truth.reduce((sum, value, k) => sum + value ** 2 - Math.max(0, eigenvalues[k]) ** 2, 0);
}

/** The root mean square of the sines between the spans. */
export function distance(truth: Tensor, rows: Tensor): number {
  const angles = principalAngles(centered(rows), centered(truth));
  return Math.sqrt(angles.reduce((sum, angle) => sum + Math.sin(angle) ** 2, 0) / angles.length);
}

function centered(table: Tensor): Tensor {
  const result = table.copy('double');
  const means = new Float64Array(table.cols);
  for (let i = 0; i < table.size; i++) means[i % table.cols] += table.data[i] / table.rows;
  for (let i = 0; i < table.size; i++) result.data[i] -= means[i % table.cols];
  return result;
}

/** The fraction of the other rows whose nearest rows vote for the expected label. */
export function labelAgreement(rows: Tensor, labels: Int32Array, others: Tensor, expected: Int32Array): number {
  const among = nearestAmongSteps('quality', rows.copy('single'), others.copy('single'), { neighbors: votes });
  const { indices } = runSync(among);
  let right = 0;
  for (let i = 0; i < others.rows; i++) {
    const counts = new Int32Array(10);
    for (const index of indices.subarray(i * votes, (i + 1) * votes)) counts[labels[index]]++;
    right += Number(counts.indexOf(Math.max(...counts)) === expected[i]);
  }
  return right / others.rows;
}
