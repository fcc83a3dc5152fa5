/** Spectral clustering of the nodes of a graph: k-means on the leading eigenvectors of D⁻¹W. */

import { checkCount } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { runAsync, subtask, type Task } from '../../core/task.ts';
import { Random, type Seed } from '../../core/random.ts';
import { checkGraph, type Graph } from '../../graph/graph.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type KMeans, kMeansSteps } from './k-means.ts';
import { eigensolverRules, type SpectrumOptions, spectrumSteps } from '../../spectral/spectrum/spectrum.ts';

/** The number of clusters, and options of the eigensolver and of k-means. */
export interface GraphClusteringOptions extends Omit<SpectrumOptions, 'count' | 'laplacian'> {
  readonly clusters: number;
  /** Starts of k-means. Default: 10. */
  readonly restarts?: number;
  /** Default: 0. */
  readonly seed?: Seed;
}

const rules: Rules<GraphClusteringOptions> = { ...eigensolverRules, clusters: 'number', restarts: 'number' };

/** The clusters of the nodes of a graph, and the eigenvectors that were clustered. */
export interface SpectralClusters extends Pick<KMeans, 'labels' | 'centers' | 'inertia'> {
  /** The number of nodes in each cluster. */
  readonly sizes: Int32Array;
  /** n×clusters: the eigenvectors of D⁻¹W that were clustered, including the constant one. */
  readonly embedding: Tensor<Float64Array>;
  readonly eigenvalues: Float64Array;
  /** Whether both the eigensolver and k-means converged. */
  readonly converged: boolean;
}

/** Clusters the rows of the leading eigenvectors of D⁻¹W, as many as there are clusters, by k-means (Shi & Malik). */
export async function spectralClustering(graph: Graph, options: GraphClusteringOptions): Promise<SpectralClusters> {
  checkOptions('spectralClustering', options, rules);
  return runAsync(spectralClusteringSteps(graph, options), options);
}

/** `spectralClustering` as a task. */
function* spectralClusteringSteps(graph: Graph, options: GraphClusteringOptions): Task<SpectralClusters> {
  checkGraph('spectralClustering', graph);
  const { clusters, restarts = 10, seed = 0, ...rest } = options;
  checkCount('spectralClustering', 'clusters', clusters, 1);
  const random = new Random(seed);
  const settings = { ...rest, count: clusters, seed: random.fork('eigenvectors').seed };
  const found = yield* subtask(spectrumSteps(graph, settings), 0, 0.8);
  const { labels, centers, inertia, converged } = yield* subtask(
    kMeansSteps(found.vectors, clusters, { restarts, seed: random.fork('k-means').seed }),
    0.8,
    1,
  );
  const sizes = new Int32Array(clusters);
  for (const label of labels) sizes[label]++;
  const { vectors: embedding, values: eigenvalues } = found;
  return { labels, centers, inertia, sizes, embedding, eigenvalues, converged: converged && found.converged };
}
