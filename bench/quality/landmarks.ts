/** Distances of the default coordinates from the exact eigenvectors for 100 to 100,000 points, and the time of new points. */

import { blobs, loadMnist, swissRoll, texts, twoMoons } from '../../datasets/index.ts';
import { laplacianEigenmap } from '../../lib/embedding/eigenmaps/eigenmap.ts';
import { nystrom, nystromExtension } from '../../lib/embedding/eigenmaps/nystrom.ts';
import { SpectralEmbedding } from '../../lib/embedding/spectral-embedding.ts';
import { buildGraph } from '../../lib/graph/build-graph.ts';
import type { MetricOptions } from '../../lib/graph/neighbors/metric.ts';
import { principalAngles, relativeErrors } from '../../lib/linalg/subspace.ts';
import { everyIndex } from '../../lib/sparse/indices.ts';
import { type Points, takePoints } from '../../lib/sparse/points.ts';
import { sequentially } from '../sequentially.ts';
import { type QualityOptions, type Section, show, timed } from './section.ts';

interface Data {
  readonly points: Points;
  readonly unseen: Points;
}

interface Source {
  readonly name: string;
  readonly components: number;
  readonly sizes: readonly number[];
  readonly metric?: MetricOptions;
  draw(n: number, unseen: number): Data | Promise<Data>;
}

const all = [100, 300, 1000, 3000, 10_000, 30_000, 100_000];
const upTo = (most: number): number[] => all.filter((n) => n <= most);
const mostUnseen = 2000;
/** Calls for new points, of which the median counts. */
const rounds = 7;

const sources: readonly Source[] = [
  {
    name: 'two moons',
    components: 3,
    sizes: all,
    draw: (n, m) => ({
      points: twoMoons({ n, noise: 0.1, seed: 1 }).points,
      unseen: twoMoons({ n: m, noise: 0.1, seed: 1, draw: 'test' }).points,
    }),
  },
  {
    name: 'Swiss roll',
    components: 3,
    sizes: all,
    draw: (n, m) => ({
      points: swissRoll({ n, seed: 1 }).points,
      unseen: swissRoll({ n: m, seed: 1, draw: 'test' }).points,
    }),
  },
  {
    name: 'five blobs',
    components: 4,
    sizes: all,
    draw(n, m) {
      const shape = { centers: 5, dimension: 5, deviation: 2.5, seed: 1 };
      return { points: blobs({ ...shape, n }).points, unseen: blobs({ ...shape, n: m, draw: 'test' }).points };
    },
  },
  {
    name: 'MNIST',
    components: 6,
    sizes: upTo(30_000),
    async draw(n, m) {
      const { train, test } = await loadMnist({ train: n, test: m, seed: 1 });
      return { points: train.points, unseen: test.points };
    },
  },
  {
    name: 'texts, cosine',
    components: 9,
    sizes: upTo(10_000),
    metric: { metric: 'cosine' },
    draw(n, m) {
      const { points } = texts({ n: n + m, seed: 1 });
      const rows = everyIndex(n + m);
      return { points: takePoints(points, rows.slice(0, n)), unseen: takePoints(points, rows.slice(n)) };
    },
  },
];

/** All data sets and sizes. */
export function landmarkQuality(options: QualityOptions): Promise<Section> {
  return measured(options, all);
}

/** Up to 3,000 points, in a minute. */
export function landmarkTime(options: QualityOptions): Promise<Section> {
  return measured(options, upTo(3000));
}

async function measured({ say }: QualityOptions, sizes: readonly number[]): Promise<Section> {
  const runs = sources.flatMap((source) => source.sizes.filter((n) => sizes.includes(n)).map((n) => ({ source, n })));
  const figures = await sequentially(runs, async ({ source: { name, components, metric = {}, draw }, n }) => {
    say(`landmarks: ${name}, ${n} points`);
    const { points, unseen } = await draw(n, Math.min(n, mostUnseen));
    const recipe = { kind: 'knn', neighbors: 16, connect: 'join', ...metric } as const;
    const graph = await timed(() => buildGraph(points, recipe));
    const exact = await timed(() => laplacianEigenmap(graph.result, { components }));
    const source = { points, recipe, graph: graph.result, ...exact.result };
    const extend = await nystromExtension(source);
    const estimator = new SpectralEmbedding({ components, ...metric });
    const fitted = await timed(() => estimator.fit(points, { graph: graph.result }));
    const { embedding, diagnostics } = fitted.result;
    // One after the other, so that all of them are compiled, and a slow moment of the machine meets all of them.
    const times = await sequentially(Array.from({ length: rounds }), async () => ({
      extended: await timed(() => nystrom(source, unseen)),
      prepared: await timed(() => extend(unseen)),
      applied: await timed(() => fitted.result.transform(unseen)),
    }));
    const [{ extended, applied }] = times;
    const median = (which: keyof (typeof times)[number]): number =>
      times.map((each) => each[which].seconds).toSorted((a, b) => a - b)[rounds >>> 1];
    const errorsOf = (rows: typeof embedding, truth: typeof embedding, weights?: Float64Array): Errors => ({
      column: Math.max(...relativeErrors(rows, truth, weights)),
      angle: (180 / Math.PI) * Math.max(...principalAngles(rows, truth, weights)),
    });
    return {
      name,
      n,
      landmarks: diagnostics.landmarks!,
      fitted: errorsOf(embedding, exact.result.embedding, graph.result.degrees),
      unseen: errorsOf(applied.result, extended.result),
      seconds: {
        graph: graph.seconds,
        eigenvectors: exact.seconds,
        fit: fitted.seconds,
        transform: median('applied'),
        nystrom: median('extended'),
        extension: median('prepared'),
      },
    };
  });
  return {
    title: `Default landmarks, ${sizes[0]} to ${sizes.at(-1)} points`,
    settings: 'knn 16; worst column and largest principal angle against the exact eigenvectors; up to 2,000 new points',
    header:
      'data|points|landmarks|reason|column|angle|column, new|angle, new|s, graph|s, fit|s, transform|nystrom|prepared'.split(
        '|',
      ),
    rows: figures.map(({ name, n, landmarks, fitted, unseen, seconds }) => [
      name,
      String(n),
      String(landmarks.count),
      landmarks.reason,
      show(fitted.column, 4),
      `${show(fitted.angle, 2)}°`,
      show(unseen.column, 4),
      `${show(unseen.angle, 2)}°`,
      show(seconds.graph, 2),
      show(seconds.fit, 2),
      show(seconds.transform, 3),
      `${show(seconds.nystrom / seconds.transform, 1)}×`,
      `${show(seconds.extension / seconds.transform, 1)}×`,
    ]),
    notes: [
      'New points are compared with the Nyström extension of the exact eigenvectors. Seconds are processor time on one thread;',
      'fit finds the eigenvectors too. The last columns: nystrom, and a prepared nystromExtension, in units of transform,',
      `medians of ${rounds} rounds.`,
    ],
    figures,
  };
}

interface Errors {
  readonly column: number;
  readonly angle: number;
}
