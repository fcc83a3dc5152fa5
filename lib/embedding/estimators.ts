/** What else is made of an embedding that takes new points? Diffusion maps, and clusters that can be predicted. */

import { badValue, checkCount, checkOptions } from '../core/check.ts';
import { runAsync, subtask, type Task } from '../core/task.ts';
import { Random } from '../core/random.ts';
import type { Graph } from '../graph/graph.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { checkModelOptions } from './fit-model.ts';
import { type KMeans, kMeans, nearestCenters } from './clustering/k-means.ts';
import type { PointSource } from './model/point-table.ts';
import {
  fitEmbeddingSteps,
  type FitOptions,
  type FittedEmbedding,
  type SpectralEmbeddingOptions,
} from './spectral-embedding.ts';

/** The options of an embedding, and how long the random walk is. */
export interface DiffusionOptions extends SpectralEmbeddingOptions {
  /** Steps of the random walk; 1 unless said. */
  readonly time?: number;
}

/** Distances between coordinates are those between random walks that began at the points, after `time` steps. */
export class DiffusionMap {
  readonly options: DiffusionOptions;

  constructor(options: DiffusionOptions = {}) {
    checkModelOptions('DiffusionMap', options);
    const { time = 1 } = options;
    if (!(time >= 0 && Number.isFinite(time))) throw badValue('DiffusionMap', 'a time of at least 0', time);
    this.options = options;
  }

  /** Learns the coordinates of the points, and the function that gives them to others. */
  async fit(points: PointSource, options: FitOptions = {}): Promise<FittedDiffusionMap> {
    checkOptions('DiffusionMap.fit', options);
    const fitted = await runAsync(fitEmbeddingSteps('DiffusionMap.fit', points, this.options, options.graph), options);
    return new FittedDiffusionMap(fitted, this.options.time ?? 1);
  }
}

/** What `DiffusionMap.fit` returns: coordinates after the walk, and `transform` for points never seen. */
export class FittedDiffusionMap {
  /** The coordinates before the walk. */
  readonly base: FittedEmbedding;
  readonly time: number;
  readonly embedding: Tensor;
  readonly eigenvalues: Float64Array;

  constructor(base: FittedEmbedding, time: number) {
    this.base = base;
    this.time = time;
    this.eigenvalues = base.eigenvalues;
    this.embedding = this.#walk(base.embedding.copy());
  }

  /** The coordinates of any points, one row each, new. */
  transform(points: PointSource): Tensor {
    return this.#walk(this.base.transform(points));
  }

  /** Columns times λᵗ, in place; a quotient below 0 is one of noise, and a walk forgets it. */
  #walk(rows: Tensor): Tensor {
    const factors = this.eigenvalues.map((value) => Math.max(0, value) ** this.time);
    for (let i = 0; i < rows.size; i++) rows.data[i] *= factors[i % rows.cols];
    return rows;
  }
}

/** The options of an embedding, and how many clusters are looked for in it. */
export interface ClusteringOptions extends Omit<SpectralEmbeddingOptions, 'components'> {
  readonly clusters: number;
  /** Coordinates that are clustered; one less than clusters, at least one, unless said. */
  readonly components?: number;
  /** Starts of k-means; 10 unless said. */
  readonly restarts?: number;
}

/** k-means on an embedding; new points belong to the nearest of the centres that were found. */
export class SpectralClustering {
  readonly options: ClusteringOptions;

  constructor(options: ClusteringOptions) {
    checkModelOptions('SpectralClustering', options);
    checkCount('SpectralClustering', 'clusters', options.clusters, 1);
    checkCount('SpectralClustering', 'restarts', options.restarts ?? 10, 1);
    this.options = options;
  }

  /** Learns the coordinates of the points, then finds their clusters. */
  async fit(points: PointSource, options: FitOptions = {}): Promise<FittedClustering> {
    checkOptions('SpectralClustering.fit', options);
    return runAsync(fitClusteringSteps(points, this.options, options.graph), options);
  }
}

/** What `SpectralClustering.fit` returns: clusters, and `predict` for points never seen. */
export class FittedClustering {
  readonly base: FittedEmbedding;
  /** k×components. */
  readonly centers: Tensor<Float32Array>;
  readonly labels: Int32Array;
  /** Whether k-means had come to an end. */
  readonly converged: boolean;

  constructor(base: FittedEmbedding, { centers, labels, converged }: KMeans) {
    this.base = base;
    this.centers = centers;
    this.labels = labels;
    this.converged = converged && base.converged;
  }

  /** Points in each cluster. */
  get sizes(): Int32Array {
    const sizes = new Int32Array(this.centers.rows);
    for (const label of this.labels) sizes[label]++;
    return sizes;
  }

  /** The cluster of any points: that of the nearest centre. */
  predict(points: PointSource): Int32Array {
    return nearestCenters(this.base.transform(points), this.centers).labels;
  }
}

/** `SpectralClustering.fit` as a task. */
function* fitClusteringSteps(
  points: PointSource,
  { clusters, components, restarts = 10, ...rest }: ClusteringOptions,
  graph: Graph | undefined,
): Task<FittedClustering> {
  const settings = { ...rest, components: components ?? Math.max(1, clusters - 1) };
  const base = yield* subtask(fitEmbeddingSteps('SpectralClustering.fit', points, settings, graph), 0, 0.8);
  const seed = new Random(rest.seed ?? 0).fork('k-means').seed;
  return new FittedClustering(base, kMeans(base.embedding, clusters, { restarts, seed }));
}
