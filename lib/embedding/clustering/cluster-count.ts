/** The number of clusters from the spectrum of a graph: the eigengap, weighed by how well clusters are separated. */

import { badKind, badValue, checkCount } from '../../core/check.ts';
import { subtask, type Task } from '../../core/task.ts';
import { Random, type Seed } from '../../core/random.ts';
import type { Graph } from '../../graph/graph.ts';
import { columns, type Spectrum } from '../../spectral/spectrum/spectrum.ts';
import { labelingSteps } from './labeling.ts';
import { silhouetteSteps } from './quality.ts';

/** The number of clusters, or 'auto' to choose it by the eigengap. */
export type ClusterCount = number | 'auto';

/** A number of clusters with the gap after its eigenvalue. */
export interface ClusterCandidate {
  readonly clusters: number;
  /** λ_k − λ_k+1, where k is the number of clusters and λ_1 = 1. */
  readonly gap: number;
  /** The silhouette of k clusters of the first k eigenvectors, found by cluster-QR; 0 if it is negative or not defined. */
  readonly silhouette: number;
  /** gap / √(1 − λ_k+1) · silhouette², by which candidates are compared. */
  readonly score: number;
}

/** Why `clusters: 'auto'` chose a number. */
export interface ClusterChoice {
  readonly chosen: ClusterCandidate;
  /** The second largest score; null if there is one candidate only. */
  readonly runnerUp: ClusterCandidate | null;
  /** The eigenvalues of D⁻¹W that were compared, from 1 down: one more than the largest number of clusters. */
  readonly eigenvalues: Float64Array;
  /** Whether the score of the runner-up is below 60 % of the largest, and the silhouette at least 0.7. */
  readonly isClear: boolean;
}

const clear = { scoreRatio: 0.6, silhouette: 0.7 };
const defaultMostClusters = 10;

/** Refuses anything but a number or 'auto'. */
export function countRule(caller: string, name: string, value: unknown): void {
  if (value !== 'auto' && typeof value !== 'number') throw badKind(caller, `${name} to be a number or 'auto'`, value);
}

/** Refuses numbers of clusters below 1, and a largest number without 'auto'. */
export function checkClusterCount(caller: string, clusters: ClusterCount, most: number | undefined): void {
  if (most !== undefined) checkCount(caller, 'mostClusters', most, 2);
  if (clusters === 'auto') return;
  checkCount(caller, 'clusters', clusters, 1);
  if (most !== undefined) throw badValue(caller, "mostClusters together with clusters 'auto'", `clusters ${clusters}`);
}

/** How many eigenpairs the choice among 2 … `most` clusters needs. */
export function eigenpairsForChoice(caller: string, nodes: number, most = defaultMostClusters): number {
  if (nodes < 3) throw badValue(caller, "at least three nodes for clusters 'auto'", nodes, 'State the number.');
  return Math.min(nodes, most + 1);
}

/**
 * The number of clusters with the largest score, among 2 and one less than there are eigenpairs. k clusters that hardly any
 * edge joins give k eigenvalues near 1. The plain gap misleads, since it is often larger further down, between groups of slow
 * modes within clusters: two round clusters have a gap after 2 eigenvalues and a larger one after 6. The square root
 * compensates for most of this, and the silhouette for the rest.
 */
export function* chooseClusterCountSteps(graph: Graph, spectrum: Spectrum, seed: Seed): Task<ClusterChoice> {
  const { values: eigenvalues, vectors } = spectrum;
  const random = new Random(seed);
  const most = eigenvalues.length - 1;
  const candidates: ClusterCandidate[] = [];
  for (let clusters = 2; clusters <= most; clusters++) {
    const rows = columns(vectors, 0, clusters);
    const source = { rows, hasConstant: true, degrees: graph.degrees };
    const settings = { assign: 'cluster-qr', restarts: 1, seed: 0 } as const;
    const { labels } = yield* labelingSteps(source, clusters, settings);
    const measure = silhouetteSteps(rows, labels, random.fork('silhouette').seed);
    const { silhouette } = yield* subtask(measure, (clusters - 2) / most, (clusters - 1) / most);
    candidates.push(candidateOf(eigenvalues, clusters, Math.max(0, silhouette ?? 0)));
  }
  const [chosen, runnerUp = null] = candidates.toSorted((a, b) => b.score - a.score || a.clusters - b.clusters);
  const isAhead = runnerUp === null || runnerUp.score < clear.scoreRatio * chosen.score;
  return { chosen, runnerUp, eigenvalues, isClear: isAhead && chosen.silhouette >= clear.silhouette };
}

/** A sentence that states the choice, for people. */
export function describeChoice({ chosen, runnerUp }: Pick<ClusterChoice, 'chosen' | 'runnerUp'>): string {
  const show = ({ clusters: k, gap, silhouette, score }: ClusterCandidate): string =>
    `eigengap λ${k} − λ${k + 1} = ${gap.toPrecision(3)}, silhouette ${silhouette.toFixed(2)}, score ${score.toPrecision(2)}`;
  const next = runnerUp ? `; next: ${runnerUp.clusters} (${show(runnerUp)})` : '';
  return `${chosen.clusters} clusters chosen (${show(chosen)})${next}.`;
}

function candidateOf(eigenvalues: Float64Array, clusters: number, silhouette: number): ClusterCandidate {
  const gap = Math.max(0, eigenvalues[clusters - 1] - eigenvalues[clusters]);
  const rest = 1 - eigenvalues[clusters];
  // Eigenvalues that differ from 1 by less are those of components.
  return { clusters, gap, silhouette, score: rest < 1e-9 ? 0 : (gap / Math.sqrt(rest)) * silhouette ** 2 };
}
