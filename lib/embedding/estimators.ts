/** Estimators on top of an embedding: diffusion maps and spectral clustering, both for new points as well. */

import { badValue } from '../core/check.ts';
import { checkOptions, type Rules } from '../core/options.ts';
import { runAsync, subtask, type WaitingTask } from '../core/task.ts';
import { Random } from '../core/random.ts';
import { type BandwidthOptions, bandwidthRules } from '../graph/affinity/variable-bandwidth.ts';
import { type DensityOptions, densityRules } from '../graph/affinity/weights.ts';
import type { GraphRecipe } from '../graph/build-graph.ts';
import { checkAlpha, withAlpha } from '../graph/density.ts';
import { checkGraph } from '../graph/graph.ts';
import { spectrumSteps } from '../spectral/spectrum/spectrum.ts';
import type { Tensor } from '../tensor/tensor.ts';
import { chooseClusterCountSteps, type ClusterChoice, eigenpairsForChoice } from './clustering/cluster-count.ts';
import {
  checkClusteringOptions,
  type ClusteringOptions,
  type ClusterReport,
  clusteringRules,
  clusterRowsSteps,
} from './clustering/cluster-rows.ts';
import { type Labeled, type Labeling, labelRows } from './clustering/labeling.ts';
import type { ClusterQuality } from './clustering/quality.ts';
import type { ClusterStability } from './clustering/stability.ts';
import { checkModelOptions } from './model-options.ts';
import { pointsFrom, type PointSource } from './model/point-table.ts';
import { fitPreprocessingSteps } from './preprocessing/fit-preprocessing.ts';
import {
  embeddingRules,
  fitEmbeddingSteps,
  type FitOptions,
  fitRules,
  type FittedEmbedding,
  graphOfFitSteps,
  type SpectralEmbeddingOptions,
} from './spectral-embedding.ts';

/** The options of an embedding, the length of the random walk, its density normalization and its bandwidth. */
export interface DiffusionMapOptions extends SpectralEmbeddingOptions, DensityOptions, BandwidthOptions {
  /** The number of steps of the random walk. Default: 1. */
  readonly time?: number;
  /**
   * How the graph is built. Default: the 16 nearest neighbors. With `alpha`, which needs weights that fall with the distance:
   * 'gaussian' with sigma 'auto', or 'knn-gaussian' with 128 neighbors and sigma 'auto' for more than 10,000 points and under a
   * variable bandwidth.
   */
  readonly graph?: GraphRecipe;
}

const diffusionRules: Rules<DiffusionMapOptions> = {
  ...embeddingRules,
  ...densityRules,
  ...bandwidthRules,
  time: 'number',
};

/** An embedding in which distances are those between random walks that start at the points, after `time` steps. */
export class DiffusionMap {
  readonly options: DiffusionMapOptions;

  constructor(options: DiffusionMapOptions = {}) {
    checkModelOptions('DiffusionMap', options, diffusionRules);
    const { time = 1 } = options;
    if (!(time >= 0 && Number.isFinite(time))) throw badValue('DiffusionMap', 'a time of at least 0', time);
    const { alpha, graph } = options;
    if (alpha !== undefined) checkAlpha('DiffusionMap', alpha);
    if (alpha !== undefined && graph?.alpha !== undefined && graph.alpha !== alpha) {
      throw badValue('DiffusionMap', `one alpha, ${alpha} as the estimator has`, `${graph.alpha} in the recipe`);
    }
    checkOneBandwidth(options);
    this.options = options;
  }

  /** Learns the coordinates of the points, as a function of the point. */
  async fit(points: PointSource, options: FitOptions = {}): Promise<FittedDiffusionMap> {
    const caller = 'DiffusionMap.fit';
    checkOptions(caller, options, fitRules);
    const { time = 1, alpha, bandwidth, ...rest } = this.options;
    const task =
      alpha === undefined && bandwidth !== 'variable'
        ? fitEmbeddingSteps(caller, points, rest, options)
        : fitDiffusionSteps(caller, points, rest, options, { alpha, bandwidth });
    return new FittedDiffusionMap(await runAsync(task, options), time);
  }
}

/** Refuses a variable bandwidth with a recipe that has none. */
function checkOneBandwidth({ bandwidth, graph }: DiffusionMapOptions): void {
  if (bandwidth === undefined || graph === undefined) return;
  const stated = graph.kind === 'knn-gaussian' ? (graph.bandwidth ?? bandwidth) : 'fixed';
  if (stated === bandwidth) return;
  const remedy = "A recipe of kind 'knn-gaussian' has a variable bandwidth.";
  const got = `a recipe of kind '${graph.kind}' with bandwidth '${stated}'`;
  throw badValue('DiffusionMap', `a recipe with bandwidth '${bandwidth}', as the estimator has`, got, remedy);
}

/** Fits an embedding of a graph with density normalization or a variable bandwidth: the given graph, or one of a recipe. */
function* fitDiffusionSteps(
  caller: string,
  source: PointSource,
  options: SpectralEmbeddingOptions,
  given: FitOptions,
  wanted: DensityOptions & BandwidthOptions,
): WaitingTask<FittedEmbedding> {
  const { alpha, bandwidth } = wanted;
  if (given.graph) {
    checkGraph(caller, given.graph);
    const built = given.graph.origin.variable ? 'variable' : 'fixed';
    if ((bandwidth ?? built) !== built) throw badValue(caller, `a graph with bandwidth '${bandwidth}'`, `'${built}'`);
    const graph = alpha === undefined ? given.graph : withAlpha(caller, given.graph, alpha);
    return yield* fitEmbeddingSteps(caller, source, options, { graph });
  }
  const recipe = options.graph ?? diffusionRecipe(pointsFrom(caller, source).rows, given, wanted);
  const whole = { ...recipe, ...(alpha !== undefined && { alpha }), ...(bandwidth === 'variable' && { bandwidth }) };
  return yield* fitEmbeddingSteps(caller, source, { ...options, graph: whole as GraphRecipe }, given);
}

/** For more points, a graph of all pairs that are near on the scale of the automatic bandwidth takes much memory. */
const mostInGaussian = 10_000;
const neighborsBeyond = 128;

function diffusionRecipe(points: number, { neighbors }: FitOptions, { bandwidth }: BandwidthOptions): GraphRecipe {
  if (neighbors || bandwidth === 'variable') return { kind: 'knn-gaussian', sigma: 'auto' };
  if (points <= mostInGaussian) return { kind: 'gaussian', sigma: 'auto' };
  return { kind: 'knn-gaussian', sigma: 'auto', neighbors: neighborsBeyond };
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
    this.embedding = scaleByTime(base.embedding.copy(), base.eigenvalues, time);
  }

  /** The coordinates of any points, one row each, in a new tensor. */
  transform(points: PointSource): Tensor {
    return scaleByTime(this.base.transform(points), this.eigenvalues, this.time);
  }
}

/** Multiplies the columns of an embedding by λᵗ, in place: eq:diffusion-map. A negative Rayleigh quotient is noise and counts as 0. */
export function scaleByTime(rows: Tensor, eigenvalues: Float64Array, time: number): Tensor {
  const factors = eigenvalues.map((value) => Math.max(0, value) ** time);
  for (let i = 0; i < rows.size; i++) rows.data[i] *= factors[i % rows.cols];
  return rows;
}

/** The options of an embedding, the number of clusters, and how points are assigned to them. */
export interface SpectralClusteringOptions extends Omit<SpectralEmbeddingOptions, 'components'>, ClusteringOptions {
  /** The number of coordinates that are clustered. Default: one fewer than clusters, at least one. Only for 'k-means'. */
  readonly components?: number;
}

const estimatorRules: Rules<SpectralClusteringOptions> = { ...embeddingRules, ...clusteringRules };

/** Clusters of the points of an embedding. New points are assigned by the same rule. */
export class SpectralClustering {
  readonly options: SpectralClusteringOptions;

  constructor(options: SpectralClusteringOptions) {
    const caller = 'SpectralClustering';
    checkModelOptions(caller, options, estimatorRules);
    checkClusteringOptions(caller, options);
    const { assign = 'k-means', components } = options;
    if (assign !== 'k-means' && components !== undefined) {
      const remedy = 'The others cluster one coordinate fewer than there are clusters.';
      throw badValue(caller, "components together with assign 'k-means'", `assign '${assign}'`, remedy);
    }
    this.options = options;
  }

  /** Learns the coordinates of the points and clusters them. */
  async fit(points: PointSource, options: FitOptions = {}): Promise<FittedClustering> {
    checkOptions('SpectralClustering.fit', options, fitRules);
    return runAsync(fitClusteringSteps(points, this.options, options), options);
  }
}

/** The result of `SpectralClustering.fit`: clusters of the points, and `predict` for new points. */
export class FittedClustering implements ClusterReport {
  readonly base: FittedEmbedding;
  /** The rule by which points are assigned to clusters. */
  readonly labeling: Labeling;
  /** k×components: the centers of k-means, or the means of the clusters. */
  readonly centers: Tensor<Float32Array>;
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  readonly choice: ClusterChoice | null;
  readonly stability: ClusterStability | null;
  readonly quality: ClusterQuality;
  readonly warnings: readonly string[];
  /** Whether both the embedding and the assignment converged. */
  readonly converged: boolean;

  constructor(base: FittedEmbedding, found: ClusterReport & Labeled) {
    const { assign, centers, rotation, labels, sizes, choice, stability, quality, warnings, converged } = found;
    this.base = base;
    this.labeling = { assign, centers, rotation };
    this.centers = centers;
    this.labels = labels;
    this.sizes = sizes;
    this.choice = choice;
    this.stability = stability;
    this.quality = quality;
    this.warnings = warnings;
    this.converged = converged && base.converged;
  }

  /** The clusters of any points, by the rule that assigned the points of `fit`. */
  predict(points: PointSource): Int32Array {
    return labelRows(this.labeling, this.base.transform(points), false);
  }
}

/** `SpectralClustering.fit` as a task. */
function* fitClusteringSteps(
  source: PointSource,
  { clusters: wanted, mostClusters, components, assign, restarts, stabilityRuns, ...rest }: SpectralClusteringOptions,
  given: FitOptions,
): WaitingTask<FittedClustering> {
  const caller = 'SpectralClustering.fit';
  const { seed = 0 } = rest;
  let from = given;
  let choice: ClusterChoice | null = null;
  if (wanted === 'auto') {
    const { points } = yield* subtask(fitPreprocessingSteps(caller, pointsFrom(caller, source), rest), 0, 0.1);
    const graph = yield* subtask(graphOfFitSteps(caller, points, rest, given), 0.1, 0.3);
    checkGraph(caller, graph);
    from = { graph };
    const count = eigenpairsForChoice(caller, graph.size, mostClusters);
    const search = spectrumSteps(graph, { count, seed: new Random(seed).fork('eigenvalues').seed });
    const found = yield* subtask(search, 0.3, 0.4);
    choice = yield* subtask(chooseClusterCountSteps(graph, found, seed), 0.4, 0.5);
  }
  const clusters = wanted === 'auto' ? choice!.chosen.clusters : wanted;
  const settings = { ...rest, components: components ?? Math.max(1, clusters - 1) };
  const base = yield* subtask(fitEmbeddingSteps(caller, source, settings, from), choice ? 0.5 : 0, 0.8);
  const coordinates = { rows: base.embedding, hasConstant: false, degrees: base.graph.degrees };
  const clustering = clusterRowsSteps(base.graph, coordinates, {
    clusters,
    choice,
    assign,
    restarts,
    stabilityRuns,
    seed,
  });
  return new FittedClustering(base, yield* subtask(clustering, 0.8, 1));
}
