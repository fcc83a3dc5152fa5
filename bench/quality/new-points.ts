/** The time of `nystrom` for new points in units of `transform`, over columns, sizes, affinities and kinds of points. */

import { blobs, loadMnist, swissRoll, texts, twoMoons } from '../../datasets/index.ts';
import { laplacianEigenmap } from '../../lib/embedding/eigenmaps/eigenmap.ts';
import { nystrom, nystromExtension } from '../../lib/embedding/eigenmaps/nystrom.ts';
import { SpectralEmbedding } from '../../lib/embedding/spectral-embedding.ts';
import { buildGraph, type GraphRecipe } from '../../lib/graph/build-graph.ts';
import { everyIndex } from '../../lib/sparse/indices.ts';
import { type Points, takePoints } from '../../lib/sparse/points.ts';
import { sequentially } from '../sequentially.ts';
import { type QualityOptions, type Section, show, timed } from './section.ts';

interface Drawn {
  readonly points: Points;
  readonly unseen: Points;
}

interface Case {
  readonly name: string;
  readonly n: number;
  readonly recipe?: Partial<GraphRecipe>;
  draw(n: number): Drawn | Promise<Drawn>;
}

const unseenCount = 2000;
/** Of as many calls the median counts. Some before them are not timed: the engine compiles the first ones. */
const rounds = 7;
const warmUps = 20;

const moons = (n: number): Drawn => ({
  points: twoMoons({ n, noise: 0.1, seed: 1 }).points,
  unseen: twoMoons({ n: unseenCount, noise: 0.1, seed: 1, draw: 'test' }).points,
});

const roll = (n: number): Drawn => ({
  points: swissRoll({ n, seed: 1 }).points,
  unseen: swissRoll({ n: unseenCount, seed: 1, draw: 'test' }).points,
});

function blobsOf(dimension: number) {
  return (n: number): Drawn => {
    const shape = { centers: 5, dimension, deviation: 2.5, seed: 1 };
    return { points: blobs({ ...shape, n }).points, unseen: blobs({ ...shape, n: unseenCount, draw: 'test' }).points };
  };
}

async function mnist(n: number): Promise<Drawn> {
  const { train, test } = await loadMnist({ train: n, test: unseenCount, seed: 1 });
  return { points: train.points, unseen: test.points };
}

function documents(n: number): Drawn {
  const { points } = texts({ n: n + unseenCount, seed: 1 });
  const rows = everyIndex(n + unseenCount);
  return { points: takePoints(points, rows.slice(0, n)), unseen: takePoints(points, rows.slice(n)) };
}

const cosine = { metric: 'cosine' } as const;
const gaussian = { kind: 'gaussian', sigma: 0.05 } as const;
const selfTuned = { kind: 'self-tuned' } as const;

const cases: readonly Case[] = [
  { name: 'two moons', n: 10_000, draw: moons },
  { name: 'two moons, Gaussian', n: 10_000, draw: moons, recipe: gaussian },
  { name: 'two moons, self-tuned', n: 10_000, draw: moons, recipe: selfTuned },
  { name: 'Swiss roll', n: 3000, draw: roll },
  { name: 'Swiss roll', n: 30_000, draw: roll },
  ...[4, 5, 6, 8, 10, 20, 50].map((d) => ({ name: `five blobs, ${d} columns`, n: 10_000, draw: blobsOf(d) })),
  { name: 'five blobs, 5 columns', n: 30_000, draw: blobsOf(5) },
  { name: 'five blobs, 5 columns, self-tuned', n: 10_000, draw: blobsOf(5), recipe: selfTuned },
  { name: 'MNIST, 784 columns', n: 3000, draw: mnist },
  { name: 'MNIST, 784 columns', n: 10_000, draw: mnist },
  { name: 'texts, cosine', n: 3000, draw: documents, recipe: cosine },
  { name: 'texts, cosine', n: 10_000, draw: documents, recipe: cosine },
];

export async function newPointsTime({ say }: QualityOptions): Promise<Section> {
  const figures = await sequentially(cases, async ({ name, n, recipe: chosen, draw }) => {
    say(`new points: ${name}, ${n} points`);
    const { points, unseen } = await draw(n);
    const usual = { kind: 'knn', neighbors: 16, connect: 'join' } as const;
    const recipe = { ...(chosen?.kind ? {} : usual), ...chosen } as GraphRecipe;
    const graph = await buildGraph(points, recipe);
    const exact = await laplacianEigenmap(graph, { components: 4 });
    const source = { points, recipe, graph, ...exact };
    const extend = await nystromExtension(source);
    const metric = chosen === cosine ? cosine : {};
    const fitted = await new SpectralEmbedding({ components: 4, ...metric }).fit(points, { graph });
    const landmarks = fitted.diagnostics.landmarks!.count;
    // One after the other, so that a slow moment of the machine meets all of them.
    const times = await sequentially(Array.from({ length: warmUps + rounds }), async () => ({
      nystrom: (await timed(() => nystrom(source, unseen))).seconds,
      prepared: (await timed(() => extend(unseen))).seconds,
      transform: (await timed(() => fitted.transform(unseen))).seconds,
    }));
    const counted = times.slice(warmUps);
    const median = (which: keyof (typeof times)[number]): number =>
      counted.map((each) => each[which]).toSorted((a, b) => a - b)[rounds >>> 1];
    const seconds = { nystrom: median('nystrom'), prepared: median('prepared'), transform: median('transform') };
    return { name, n, landmarks, seconds };
  });
  return {
    title: `New points: nystrom in units of transform`,
    settings: `knn 16 if not stated, ${unseenCount} new points, one thread, medians of ${rounds} rounds after ${warmUps} that are not timed`,
    header: 'data|points|landmarks|ms, transform|ms, nystrom|nystrom|prepared'.split('|'),
    rows: figures.map(({ name, n, landmarks, seconds }) => [
      name,
      String(n),
      String(landmarks),
      show(1000 * seconds.transform, 1),
      show(1000 * seconds.nystrom, 1),
      `${show(seconds.nystrom / seconds.transform, 2)}×`,
      `${show(seconds.prepared / seconds.transform, 2)}×`,
    ]),
    notes: ['Milliseconds are processor time. nystrom searches all points, transform the landmarks.'],
    figures,
  };
}
