/** The methods of the table that run in Node: each fits some rows, clusters them, and places the rows held out. */

import { createRequire } from 'node:module';
import { kMeans } from '../../lib/embedding/clustering/k-means.ts';
import { spectralClustering } from '../../lib/embedding/clustering/spectral-clustering.ts';
import { nystrom } from '../../lib/embedding/eigenmaps/nystrom.ts';
import { SpectralClustering, type SpectralClusteringOptions } from '../../lib/embedding/estimators.ts';
import { buildGraph } from '../../lib/graph/build-graph.ts';
import { isSparse } from '../../lib/sparse/points.ts';
import { toDense } from '../../lib/sparse/inspect.ts';
import { columns } from '../../lib/spectral/spectrum/spectrum.ts';
import { tensor } from '../../lib/tensor/convert.ts';
import type { Tensor } from '../../lib/tensor/tensor.ts';
import type { Coordinates } from './scores.ts';
import type { Split } from './split.ts';

/** What a method found. */
export interface Found {
  readonly clusters: ArrayLike<number>;
  readonly coordinates: Coordinates | null;
  /** With clusters 'auto'. */
  readonly chosen?: number;
  readonly warnings?: readonly string[];
}

type Method = (split: Split) => Promise<Found>;

export const neighbors = 16;

function ours(options: Partial<SpectralClusteringOptions>): Method {
  return async ({ train, test, clusters, metric }) => {
    const estimator = new SpectralClustering({ clusters, ...(metric && { metric }), ...options });
    const fitted = await estimator.fit(train.points);
    const { base, labels, choice } = fitted;
    return {
      clusters: labels,
      coordinates: { train: base.embedding, test: base.transform(test.points) },
      ...(choice && { chosen: choice.chosen.clusters }),
      warnings: [...base.diagnostics.warnings, ...fitted.warnings],
    };
  };
}

/** Exact eigenvectors of the graph of `ours`, and their Nyström extension. */
const exact: Method = async ({ train, test, clusters, metric }) => {
  const recipe = { kind: 'knn', neighbors, connect: 'join', ...(metric && { metric }) } as const;
  const graph = await buildGraph(train.points, recipe);
  const { labels, embedding, eigenvalues } = await spectralClustering(graph, { clusters });
  const found = { embedding: columns(embedding, 1, clusters), eigenvalues: eigenvalues.slice(1) };
  const extended = await nystrom({ points: train.points, recipe, graph, ...found }, test.points);
  return { clusters: labels, coordinates: { train: found.embedding, test: extended } };
};

interface UmapClass {
  new (options: object): { fit(rows: number[][]): number[][]; transform(rows: number[][]): number[][] };
}

/** umap-js with its defaults and 16 neighbors, then k-means in the plane. */
const umap: Method = async ({ train, test, clusters, metric }) => {
  const { UMAP } = createRequire(new URL('../peers/package.json', import.meta.url))('umap-js') as { UMAP: UmapClass };
  const rowsOf = ({ points }: Split['train']): number[][] =>
    (isSparse(points) ? toDense(points) : points).toArray() as number[][];
  let state = 1;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const map = new UMAP({ nNeighbors: neighbors, random, ...(metric && { distanceFn: cosineDistance }) });
  const embedding: Tensor = tensor(map.fit(rowsOf(train)), 'single');
  const { labels } = await kMeans(embedding, clusters);
  return { clusters: labels, coordinates: { train: embedding, test: tensor(map.transform(rowsOf(test)), 'single') } };
};

function cosineDistance(a: readonly number[], b: readonly number[]): number {
  let [product, left, right] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    product += a[i] * b[i];
    left += a[i] * a[i];
    right += b[i] * b[i];
  }
  return left === 0 || right === 0 ? 1 : 1 - product / Math.sqrt(left * right);
}

export const methods = {
  ours: ours({}),
  scaled: ours({ scale: 'standard' }),
  auto: ours({ clusters: 'auto' }),
  exact,
  umap,
} as const satisfies Record<string, Method>;

export type MethodName = keyof typeof methods;
