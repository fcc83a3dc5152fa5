/** Spectral clustering of the nodes of a graph by the leading eigenvectors of D⁻¹W. */

import { badValue } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { runAsync, subtask, type WaitingTask } from '../../core/task.ts';
import { Random, type Seed } from '../../core/random.ts';
import { checkGraph, type Graph } from '../../graph/graph.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { columns, eigensolverRules, type SpectrumOptions, spectrumSteps } from '../../spectral/spectrum/spectrum.ts';
import { chooseClusterCountSteps, eigenpairsForChoice } from './cluster-count.ts';
import {
  checkClusteringOptions,
  type ClusteringOptions,
  type ClusterReport,
  clusterRowsSteps,
  clusteringRules,
} from './cluster-rows.ts';
import type { Labeled } from './labeling.ts';

/** The number of clusters, how nodes are assigned to them, and options of the eigensolver. */
export interface GraphClusteringOptions extends Omit<SpectrumOptions, 'count' | 'laplacian'>, ClusteringOptions {
  /** Default: 0. */
  readonly seed?: Seed;
}

const rules: Rules<GraphClusteringOptions> = { ...eigensolverRules, ...clusteringRules };

/** The clusters of the nodes of a graph, and the eigenvectors that were clustered. */
export interface SpectralClusters extends ClusterReport, Pick<Labeled, 'centers' | 'inertia' | 'assign'> {
  /** n×clusters: the eigenvectors of D⁻¹W that were clustered, including the constant one. */
  readonly embedding: Tensor<Float64Array>;
  readonly eigenvalues: Float64Array;
  /** Whether both the eigensolver and the assignment converged. */
  readonly converged: boolean;
}

/**
 * Clusters the rows of the leading eigenvectors of D⁻¹W, as many as there are clusters (Shi & Malik), by k-means, cluster-QR
 * or discretization.
 */
export async function spectralClustering(graph: Graph, options: GraphClusteringOptions): Promise<SpectralClusters> {
  checkOptions('spectralClustering', options, rules);
  return runAsync(spectralClusteringSteps(graph, options), options);
}

/** `spectralClustering` as a task. */
function* spectralClusteringSteps(graph: Graph, options: GraphClusteringOptions): WaitingTask<SpectralClusters> {
  const caller = 'spectralClustering';
  checkGraph(caller, graph);
  checkClusteringOptions(caller, options);
  const { clusters: wanted, mostClusters, assign, restarts, stabilityRuns, seed = 0, ...rest } = options;
  const isAuto = wanted === 'auto';
  const count = isAuto ? eigenpairsForChoice(caller, graph.size, mostClusters) : wanted;
  if (count > graph.size) throw badValue(caller, `at most ${graph.size} clusters, the number of nodes`, count);
  const settings = { ...rest, count, seed: new Random(seed).fork('eigenvectors').seed };
  const found = yield* subtask(spectrumSteps(graph, settings), 0, isAuto ? 0.4 : 0.6);
  const choice = isAuto ? yield* subtask(chooseClusterCountSteps(graph, found, seed), 0.4, 0.6) : null;
  const clusters = choice ? choice.chosen.clusters : count;
  const embedding = clusters === count ? found.vectors : columns(found.vectors, 0, clusters);
  const { rotation: _, ...clustered } = yield* subtask(
    clusterRowsSteps(
      graph,
      { rows: embedding, hasConstant: true, degrees: graph.degrees },
      { clusters, choice, assign, restarts, stabilityRuns, seed },
    ),
    0.6,
    1,
  );
  return {
    ...clustered,
    embedding,
    eigenvalues: found.values.slice(0, clusters),
    converged: clustered.converged && found.converged,
  };
}
