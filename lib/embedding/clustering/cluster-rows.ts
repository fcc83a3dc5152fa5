/** Clusters of spectral coordinates, with their stability, their quality and warnings. */

import { badValue, checkCount } from '../../core/check.ts';
import type { Rules } from '../../core/options.ts';
import { subtask, type WaitingTask } from '../../core/task.ts';
import { Random, type Seed } from '../../core/random.ts';
import type { Graph } from '../../graph/graph.ts';
import {
  checkClusterCount,
  type ClusterChoice,
  type ClusterCount,
  countRule,
  describeChoice,
} from './cluster-count.ts';
import {
  type Assignment,
  assignments,
  clusterSizes,
  type Labeled,
  labelingSteps,
  type SpectralRows,
} from './labeling.ts';
import { type ClusterQuality, qualitySteps } from './quality.ts';
import { type ClusterStability, defaultStabilityRuns, stabilitySteps } from './stability.ts';

/** The number of clusters, and how coordinates are assigned to them. */
export interface ClusteringOptions {
  /** The number of clusters, or 'auto' to choose it by eigengap and silhouette. */
  readonly clusters: ClusterCount;
  /** The largest number that 'auto' considers. The smallest is 2. Default: 10, or one less than nodes. */
  readonly mostClusters?: number | undefined;
  /**
   * 'k-means' takes the nearest of k centers. 'cluster-qr' (Damle, Minden & Ying) and 'discretize' (Yu & Shi) rotate the
   * coordinates toward indicators of clusters; the first needs no random start. Default: 'k-means'.
   */
  readonly assign?: Assignment | undefined;
  /** Starts of k-means. Default: 10. */
  readonly restarts?: number | undefined;
  /**
   * With how many other seeds the clusters are compared, on exact eigenvectors that are computed for this purpose. 0 skips
   * the comparison. Default: 3.
   */
  readonly stabilityRuns?: number | undefined;
}

export const clusteringRules = {
  clusters: countRule,
  mostClusters: 'number',
  assign: assignments,
  restarts: 'number',
  stabilityRuns: 'number',
} as const satisfies Rules<ClusteringOptions>;

/** Clusters, and what there is to know about them. */
export interface ClusterReport {
  readonly labels: Int32Array;
  /** The number of members of each cluster. */
  readonly sizes: Int32Array;
  /** Why 'auto' chose this number of clusters; null if the number was given. */
  readonly choice: ClusterChoice | null;
  /** The agreement with the clusters of other seeds; null if `stabilityRuns` is 0. */
  readonly stability: ClusterStability | null;
  readonly quality: ClusterQuality;
  /** Sentences for the user, each with a way out. Empty if nothing is unusual. */
  readonly warnings: readonly string[];
}

/** Refuses options that do not fit each other. */
export function checkClusteringOptions(caller: string, options: ClusteringOptions): void {
  const { clusters, mostClusters, assign = 'k-means', restarts, stabilityRuns } = options;
  checkClusterCount(caller, clusters, mostClusters);
  if (restarts !== undefined) {
    checkCount(caller, 'restarts', restarts, 1);
    if (assign !== 'k-means') throw badValue(caller, "restarts together with assign 'k-means'", `assign '${assign}'`);
  }
  if (stabilityRuns !== undefined) checkCount(caller, 'stabilityRuns', stabilityRuns, 0);
}

/** Clusters rows of coordinates of the nodes of a graph. */
export function* clusterRowsSteps(
  graph: Graph,
  source: SpectralRows,
  options: Omit<ClusteringOptions, 'mostClusters' | 'clusters'> & ResolvedCount,
): WaitingTask<ClusterReport & Labeled> {
  const { clusters, choice, assign = 'k-means', restarts = 10, stabilityRuns = defaultStabilityRuns, seed } = options;
  const random = new Random(seed);
  const settings = { assign, restarts, seed: random.fork(assign).seed };
  const labeled = yield* subtask(labelingSteps(source, clusters, settings), 0, 0.4);
  const { labels } = labeled;
  const eigenvectors = source.rows.cols + (source.hasConstant ? 0 : 1);
  const comparison = stabilitySteps(graph, labels, { ...settings, clusters, eigenvectors, runs: stabilityRuns, seed });
  const stability = yield* subtask(comparison, 0.4, 0.9);
  const sampleSeed = random.fork('silhouette').seed;
  const quality = yield* subtask(qualitySteps(graph, source.rows, labels, clusters, sampleSeed), 0.9, 1);
  const sizes = clusterSizes(labels, clusters);
  const warnings = warningsOf(graph, sizes, choice, stability);
  return { ...labeled, sizes, choice, stability, quality, warnings };
}

interface ResolvedCount {
  readonly clusters: number;
  readonly choice: ClusterChoice | null;
  readonly seed: Seed;
}

function warningsOf(
  { components }: Graph,
  sizes: Int32Array,
  choice: ClusterChoice | null,
  stability: ClusterStability | null,
): string[] {
  const warnings: string[] = [];
  const clusters = sizes.length;
  if (components.count > clusters) {
    const rule = `The graph has ${components.count} components, more than the ${clusters} clusters`;
    warnings.push(`${rule}: which of them share a cluster is arbitrary. Build the graph with more neighbors.`);
  }
  if (choice && !choice.isClear) {
    warnings.push(`The number of clusters is not clear: ${describeChoice(choice)} State the number if you know it.`);
  }
  if (stability && !stability.isStable) {
    const agreement = `an adjusted Rand index of ${stability.agreement.toFixed(2)}, where 0.9 counts as stable`;
    const remedy = 'Try another number of clusters or another graph.';
    warnings.push(`The clusters depend on the seed: those of other seeds agree with them to ${agreement}. ${remedy}`);
  }
  const empty = sizes.filter((size) => size === 0).length;
  if (empty > 0) {
    const rule = `${empty} of ${clusters} clusters ${empty === 1 ? 'has' : 'have'} no members`;
    warnings.push(`${rule}. Request fewer clusters, or assign 'k-means'.`);
  }
  return warnings;
}
