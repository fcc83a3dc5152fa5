/** The points to learn from: generated ones, a sample of MNIST, or those of the user's file. */

import { circles } from '../../../datasets/curves.ts';
import type { Dataset } from '../../../lib/formats/dataset.ts';
import { oneMoon, twoMoons } from '../../../datasets/moons.ts';
import { swissRoll } from '../../../datasets/surfaces.ts';
import type { GraphRecipe } from '../../../lib/graph/build-graph.ts';
import { zeros } from '../../../lib/tensor/tensor.ts';
import type { DataName, Settings } from '../settings.ts';
import type { UserFile } from '../user-file.ts';
import { type FileData, readUserFile } from './user-file.ts';

type Drawn = Exclude<DataName, 'mnist' | 'csv'>;

const draws: Record<Drawn, (options: { n: number; seed: number }) => Dataset> = {
  'one-moon': oneMoon,
  'two-moons': twoMoons,
  circles: (options) => circles({ ...options, factor: 0.5, noise: 0.05 }),
  'swiss-roll': (options) => smaller(swissRoll({ ...options, noise: 0.1 }), 10),
};

/** Divides the coordinates, because a network learns faster from values of order one. */
function smaller(data: Dataset, divisor: number): Dataset {
  const points = data.points.copy();
  for (let i = 0; i < points.size; i++) points.data[i] /= divisor;
  return { ...data, points };
}

/** The default graphs of up to `largestGaussian` points: the paper's kernels for the moons, and one of them for circles. */
const usualGraphs: Partial<Record<DataName, GraphRecipe>> = {
  'one-moon': { kind: 'gaussian', sigma: 0.2, threshold: 0.6 },
  'two-moons': { kind: 'gaussian', sigma: 0.15, threshold: 0.08 },
  circles: { kind: 'gaussian', sigma: 0.15, threshold: 0.08 },
};
const largestGaussian = 4000;

export async function loadData(
  settings: Settings,
  file: UserFile | null,
  mnist: () => Promise<Dataset>,
): Promise<Dataset | FileData> {
  const { data, points: n, seed } = settings;
  if (data === 'csv') {
    if (!file) throw new Error('Drop a file on the page, or choose one: a row for each point, numbers in columns.');
    return readUserFile(file, seed);
  }
  return data === 'mnist' ? firstOf(await mnist(), n) : draws[data]({ n, seed });
}

/** The graph that the settings choose. The default without an entry in `usualGraphs`: 16 nearest neighbors. */
export function recipeOf({ graph, sigma, neighbors, data }: Settings, n: number): GraphRecipe {
  const nearest = Math.min(neighbors, n - 1);
  if (graph === 'gaussian') return { kind: 'gaussian', sigma };
  if (graph === 'knn') return { kind: 'knn', neighbors: nearest };
  if (graph === 'self-tuned') return { kind: 'self-tuned', neighbors: nearest };
  return (n <= largestGaussian ? usualGraphs[data] : undefined) ?? { kind: 'knn', neighbors: Math.min(16, n - 1) };
}

/** Reads the gzipped file that the build writes: a count, as many labels, and as many images of 28×28 bytes. */
export async function unpackImages(packed: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Dataset> {
  const stream = packed.pipeThrough(new DecompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const count = new DataView(bytes.buffer).getUint32(0, true);
  const points = zeros([count, 784]);
  for (let i = 0; i < points.size; i++) points.data[i] = bytes[4 + count + i] / 255;
  return {
    name: 'MNIST',
    points,
    labels: Int32Array.from(bytes.subarray(4, 4 + count)),
    labelNames: [...'0123456789'],
    imageShape: [28, 28],
  };
}

function firstOf({ points, labels, ...rest }: Dataset, n: number): Dataset {
  const rows = Math.min(n, points.rows);
  const kept = zeros([rows, points.cols]);
  kept.data.set(points.data.subarray(0, kept.size));
  return { ...rest, points: kept, ...(labels && { labels: labels.slice(0, rows) }) };
}
