/** Estimators on top of an embedding: diffusion maps and spectral clustering, both for new points as well. */

import { badValue, checkCount } from '../core/check.ts';
import { checkOptions, type Rules } from '../core/options.ts';
import { runAsync, subtask, type Task } from '../core/task.ts';
import { Random } from '../core/random.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { checkModelOptions } from './fit-model.ts';
import { type KMeans, kMeansSteps, nearestCenters } from './clustering/k-means.ts';
import type { PointSource } from './model/point-table.ts';
import {
  embeddingRules,
  fitEmbeddingSteps,
  type FitOptions,
  fitRules,
  type FittedEmbedding,
  type SpectralEmbeddingOptions,
} from './spectral-embedding.ts';

/** The options of an embedding, and the length of the random walk. */
export interface DiffusionMapOptions extends SpectralEmbeddingOptions {
  /** The number of steps of the random walk. Default: 1. */
  readonly time?: number;
}

const diffusionRules: Rules<DiffusionMapOptions> = { ...embeddingRules, time: 'number' };

/** An embedding in which distances are those between random walks that start at the points, after `time` steps. */
export class DiffusionMap {
  readonly options: DiffusionMapOptions;

  constructor(options: DiffusionMapOptions = {}) {
    checkModelOptions('DiffusionMap', options, diffusionRules);
    const { time = 1 } = options;
    if (!(time >= 0 && Number.isFinite(time))) throw badValue('DiffusionMap', 'a time of at least 0', time);
    this.options = options;
  }

  /** Learns the coordinates of the points, as a function of the point. */
  async fit(points: PointSource, options: FitOptions = {}): Promise<FittedDiffusionMap> {
    checkOptions('DiffusionMap.fit', options, fitRules);
    const fitted = await runAsync(fitEmbeddingSteps('DiffusionMap.fit', points, this.options, options), options);
    return new FittedDiffusionMap(fitted, this.options.time ?? 1);
  }
}

/** The result of `DiffusionMap.fit`: coordinates of the points, and `transform` for new points. */
export class FittedDiffusionMap {
  /** The embedding before its columns are scaled by λᵗ. */
  readonly base: FittedEmbedding;
  readonly time: number;
  readonly embedding: Tensor;
  readonly eigenvalues: Float64Array;

  constructor(base: FittedEmbedding, time: number) {
    this.base = base;
    this.time = time;
    this.eigenvalues = base.eigenvalues;
    this.embedding = this.#scaleColumns(base.embedding.copy());
  }

  /** The coordinates of any points, one row each, in a new tensor. */
  transform(points: PointSource): Tensor {
    return this.#scaleColumns(this.base.transform(points));
  }

  /** Multiplies the columns by λᵗ, in place. A negative Rayleigh quotient is noise and counts as 0. */
  #scaleColumns(rows: Tensor): Tensor {
    const factors = this.eigenvalues.map((value) => Math.max(0, value) ** this.time);
    for (let i = 0; i < rows.size; i++) rows.data[i] *= factors[i % rows.cols];
    return rows;
  }
}

/** The options of an embedding, and the number of clusters. */
export interface SpectralClusteringOptions extends Omit<SpectralEmbeddingOptions, 'components'> {
  readonly clusters: number;
  /** The number of coordinates that are clustered. Default: one fewer than clusters, at least one. */
  readonly components?: number;
  /** Starts of k-means. Default: 10. */
  readonly restarts?: number;
}

const clusteringRules: Rules<SpectralClusteringOptions> = { ...embeddingRules, clusters: 'number', restarts: 'number' };

/** k-means on an embedding. A new point belongs to the cluster of the nearest center. */
export class SpectralClustering {
  readonly options: SpectralClusteringOptions;

  constructor(options: SpectralClusteringOptions) {
    checkModelOptions('SpectralClustering', options, clusteringRules);
    checkCount('SpectralClustering', 'clusters', options.clusters, 1);
    checkCount('SpectralClustering', 'restarts', options.restarts ?? 10, 1);
    this.options = options;
  }

  /** Learns the coordinates of the points and clusters them. */
  async fit(points: PointSource, options: FitOptions = {}): Promise<FittedClustering> {
    checkOptions('SpectralClustering.fit', options, fitRules);
    return runAsync(fitClusteringSteps(points, this.options, options), options);
  }
}

/** The result of `SpectralClustering.fit`: clusters of the points, and `predict` for new points. */
export class FittedClustering {
  readonly base: FittedEmbedding;
  /** k×components. */
  readonly centers: Tensor<Float32Array>;
  readonly labels: Int32Array;
  /** Whether both the embedding and k-means converged. */
  readonly converged: boolean;

  constructor(base: FittedEmbedding, { centers, labels, converged }: KMeans) {
    this.base = base;
    this.centers = centers;
    this.labels = labels;
    this.converged = converged && base.converged;
  }

  /** The number of points in each cluster. */
  get sizes(): Int32Array {
    const sizes = new Int32Array(this.centers.rows);
    for (const label of this.labels) sizes[label]++;
    return sizes;
  }

  /** The clusters of any points: those of the nearest centers. */
  predict(points: PointSource): Int32Array {
    return nearestCenters(this.base.transform(points), this.centers).labels;
  }
}

/** `SpectralClustering.fit` as a task. */
function* fitClusteringSteps(
  points: PointSource,
  { clusters, components, restarts = 10, ...rest }: SpectralClusteringOptions,
  given: FitOptions,
): Task<FittedClustering> {
  const settings = { ...rest, components: components ?? Math.max(1, clusters - 1) };
  const base = yield* subtask(fitEmbeddingSteps('SpectralClustering.fit', points, settings, given), 0, 0.8);
  const seed = new Random(rest.seed ?? 0).fork('k-means').seed;
  const found = yield* subtask(kMeansSteps(base.embedding, clusters, { restarts, seed }), 0.8, 1);
  return new FittedClustering(base, found);
}
