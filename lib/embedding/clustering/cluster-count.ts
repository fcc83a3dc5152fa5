/** The number of clusters from the spectrum of a graph: by the eigengap, and by how separate the clusters are. */

import { badKind, badValue, checkCount } from '../../core/check.ts';
import { subtask, type Task } from '../../core/task.ts';
import { Random, type Seed } from '../../core/random.ts';
import type { Graph } from '../../graph/graph.ts';
import { columns, type Spectrum } from '../../spectral/spectrum/spectrum.ts';
import { labelingSteps } from './labeling.ts';
import { silhouetteSteps } from './quality.ts';

/** The number of clusters, or 'auto' to choose it by eigengap and silhouette. */
export type ClusterCount = number | 'auto';

/** A number of clusters with the gap after its eigenvalue. */
export interface ClusterCandidate {
  readonly clusters: number;
  /** λ_k − λ_k+1, where k is the number of clusters and λ_1 = 1. */
  readonly gap: number;
  /** The silhouette of k clusters of the first k eigenvectors, found by cluster-QR; 0 if it is negative or not defined. */
  readonly silhouette: number;
  /** gap / √(1 − λ_k+1) · silhouette². It counts double if the clusters are separate: if their silhouette is at least 0.75. */
  readonly score: number;
}

/** Why `clusters: 'auto'` chose a number. */
export interface ClusterChoice {
  readonly chosen: ClusterCandidate;
  /** The largest score among the others, separate or not; null if there is one candidate only. */
  readonly runnerUp: ClusterCandidate | null;
  /** What decided. 'relative gap', which is gap / (1 − λ_k+1) · silhouette, if no number has separate clusters. */
  readonly rule: 'score' | 'relative gap';
  /** The eigenvalues of D⁻¹W that were compared, from 1 down: one more than the largest number of clusters. */
  readonly eigenvalues: Float64Array;
  /** Whether the clusters are separate, with a silhouette of at least 0.75, and the score of the runner-up is below 60 % of theirs. */
  readonly isClear: boolean;
}

/** The runner-up of a clear choice has a smaller part of its score. */
const clearRatio = 0.6;
/** Pieces of clusters that are curves raise the score by less, and separate clusters outweigh them. */
const separateWeight = 2;
/** Clusters are separate from this silhouette on. Pieces of a curve, a ring, a roll or a blob reach 0.73 at most. */
const separateFrom = 0.75;
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
 * A number of clusters between 2 and one less than there are eigenpairs. k clusters that hardly any edge joins give k
 * eigenvalues near 1, and a gap follows. The plain gap misleads, since it is often larger further down, between groups of slow
 * modes within clusters: two round clusters have a gap after 2 eigenvalues and a larger one after 6. The relative gap
 * gap / (1 − λ_k+1) misleads where some clusters are nearer to each other than others: it prefers the coarsest groups. The score is
 * between the two. Two curves with 1 − λ of ε, a, a, 4a, 4a, 9a, 9a, … still have a larger score for their 2j pieces, by a factor (2j − 1)/j < 2 at
 * equal silhouettes. Pieces are not separate, and the scores of separate clusters count double. Where no number has separate
 * clusters, the graph separates nothing clearly, and the relative gap decides, which then prefers few clusters.
 */
export function* chooseClusterCountSteps(graph: Graph, spectrum: Spectrum, seed: Seed): Task<ClusterChoice> {
  const { values: eigenvalues } = spectrum;
  const candidates = yield* clusterCandidatesSteps(graph, spectrum, seed);
  const rule = candidates.some(isSeparate) ? 'score' : 'relative gap';
  const chosen = largest(candidates, (candidate) => {
    if (rule === 'score') return candidate.score * (isSeparate(candidate) ? separateWeight : 1);
    return relativeTo(eigenvalues[candidate.clusters], candidate.gap, 1) * candidate.silhouette;
  });
  const others = candidates.filter((candidate) => candidate !== chosen);
  const runnerUp = others.length > 0 ? largest(others, ({ score }) => score) : null;
  const isAhead = runnerUp === null || runnerUp.score < clearRatio * chosen.score;
  return { chosen, runnerUp, rule, eigenvalues, isClear: isAhead && isSeparate(chosen) };
}

/** All numbers that are compared, from 2 on. For this folder and benches. */
export function* clusterCandidatesSteps(
  graph: Graph,
  { values: eigenvalues, vectors }: Spectrum,
  seed: Seed,
): Task<ClusterCandidate[]> {
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
  return candidates;
}

function isSeparate({ silhouette }: ClusterCandidate): boolean {
  return silhouette >= separateFrom;
}

/** The first of those with the largest value. */
function largest<T>(list: readonly T[], valueOf: (item: T) => number): T {
  return list.reduce((best, item) => (valueOf(item) > valueOf(best) ? item : best));
}

/** A sentence that states the choice, for people. */
export function describeChoice({ chosen, runnerUp, rule }: Omit<ClusterChoice, 'eigenvalues' | 'isClear'>): string {
  const show = (candidate: ClusterCandidate): string => {
    const { clusters: k, gap, silhouette, score } = candidate;
    const verdict = isSeparate(candidate) ? 'separate' : 'not separate';
    return `eigengap λ${k} − λ${k + 1} = ${gap.toPrecision(3)}, silhouette ${silhouette.toFixed(2)}, ${verdict}, score ${score.toPrecision(2)}`;
  };
  const reason =
    rule === 'score'
      ? 'the largest score, where separate clusters count double'
      : `the largest relative gap, since no silhouette reaches ${separateFrom}`;
  const next = runnerUp ? `; next: ${runnerUp.clusters} (${show(runnerUp)})` : '';
  return `${chosen.clusters} clusters chosen (${show(chosen)}): ${reason}${next}.`;
}

function candidateOf(eigenvalues: Float64Array, clusters: number, silhouette: number): ClusterCandidate {
  const gap = Math.max(0, eigenvalues[clusters - 1] - eigenvalues[clusters]);
  return { clusters, gap, silhouette, score: relativeTo(eigenvalues[clusters], gap, 0.5) * silhouette ** 2 };
}

/** gap / (1 − λ)^power; 0 for λ that differs from 1 so little that it belongs to a component. */
function relativeTo(eigenvalue: number, gap: number, power: number): number {
  const rest = 1 - eigenvalue;
  return rest < 1e-9 ? 0 : gap / rest ** power;
}
