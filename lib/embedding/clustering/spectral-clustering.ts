/** Which nodes of a graph belong together? k-means on its smooth eigenvectors. */

import { checkCount, checkOptions } from '../../core/check.ts';
import { Random, type Seed } from '../../core/random.ts';
import { checkGraph, type Graph } from '../../graph/graph.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type KMeans, kMeans } from './k-means.ts';
import { spectrum, type SpectrumOptions } from '../../spectral/spectrum/spectrum.ts';

/** How many clusters, and how eigenvectors and centres are found. */
export interface SpectralClusteringOptions extends Omit<SpectrumOptions, 'count' | 'laplacian'> {
  readonly clusters: number;
  /** Starts of k-means; 10 unless said. */
  readonly restarts?: number;
  readonly seed?: Seed;
}

/** The clusters of the nodes of a graph, and the eigenvectors they were found in. */
export interface SpectralClusters extends Pick<KMeans, 'labels' | 'centers' | 'inertia'> {
  /** Points in each cluster. */
  readonly sizes: Int32Array;
  /** n×clusters: the eigenvectors of D⁻¹W that were clustered, the constant among them. */
  readonly embedding: Tensor<Float64Array>;
  readonly eigenvalues: Float64Array;
  /** Whether both the eigensolver and k-means had come to an end. */
  readonly converged: boolean;
}

/** The eigenvectors of D⁻¹W with as many columns as clusters, clustered by k-means (Shi & Malik). */
export function spectralClustering(graph: Graph, options: SpectralClusteringOptions): SpectralClusters {
  checkGraph('spectralClustering', graph);
  checkOptions('spectralClustering', options);
  const { clusters, restarts = 10, seed = 0, ...rest } = options;
  checkCount('spectralClustering', 'clusters', clusters, 1);
  const random = new Random(seed);
  const found = spectrum(graph, { ...rest, count: clusters, seed: random.fork('eigenvectors').seed });
  const { labels, centers, inertia, converged } = kMeans(found.vectors, clusters, {
    restarts,
    seed: random.fork('k-means').seed,
  });
  const sizes = new Int32Array(clusters);
  for (const label of labels) sizes[label]++;
  const { vectors: embedding, values: eigenvalues } = found;
  return { labels, centers, inertia, sizes, embedding, eigenvalues, converged: converged && found.converged };
}
