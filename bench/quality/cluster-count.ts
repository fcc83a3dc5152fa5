/** The fraction of data sets on which `clusters: 'auto'` finds the number of clusters, by its rule and by simpler ones. */

import { blobs, circles, twoMoons } from '../../datasets/index.ts';
import { runSync } from '../../lib/core/task.ts';
import { adjustedRandIndex } from '../../lib/embedding/clustering/agreement.ts';
import {
  chooseClusterCountSteps,
  type ClusterCandidate,
  clusterCandidatesSteps,
} from '../../lib/embedding/clustering/cluster-count.ts';
import { labelingSteps } from '../../lib/embedding/clustering/labeling.ts';
import type { Dataset } from '../../lib/formats/dataset.ts';
import { buildGraph } from '../../lib/graph/build-graph.ts';
import { columns, spectrum } from '../../lib/spectral/spectrum/spectrum.ts';
import { Tensor } from '../../lib/tensor/tensor.ts';
import { sequentially } from '../sequentially.ts';
import type { QualityOptions, Section } from './section.ts';

interface Draw {
  readonly clusters: number;
  readonly data: Dataset;
}

/** The first seed of the bench. The rule was chosen on seeds below it. */
const firstSeed = 101;
const most = 10;

const every = <T>(list: readonly T[], draw: (item: T) => Draw): Draw[] => list.map(draw);
const densities = new Tensor(Float64Array.of(0, 0, 3, 0, 1.5, 4), [3, 2]);

function blobsOf(dimension: number, deviation: number, perBlob = 120) {
  return (seed: number): Draw[] =>
    every([2, 3, 4, 5, 6, 7, 8], (clusters) => ({
      clusters,
      data: blobs({ n: perBlob * clusters, centers: clusters, dimension, deviation, seed: 100 * seed + clusters }),
    }));
}

function moonsOf(noise: number) {
  return (seed: number): Draw[] =>
    every([200, 500, 1000, 3000], (n) => ({ clusters: 2, data: twoMoons({ n, noise, seed }) }));
}

function circlesOf(factor: number, noise: number) {
  return (seed: number): Draw[] =>
    every([300, 1000, 3000], (n) => ({ clusters: 2, data: circles({ n, factor, noise, seed }) }));
}

const families: Readonly<Record<string, (seed: number) => Draw[]>> = {
  'two moons, noise 0.03': moonsOf(0.03),
  'two moons, noise 0.05': moonsOf(0.05),
  'two moons, noise 0.07': moonsOf(0.07),
  'two moons, noise 0.1': moonsOf(0.1),
  'two rings, noise 0.05': circlesOf(0.5, 0.05),
  'two rings, noise 0.1': circlesOf(0.5, 0.1),
  'blobs in the plane, deviation 0.5': blobsOf(2, 0.5),
  'blobs in the plane, deviation 1': blobsOf(2, 1),
  'blobs of 10 columns, deviation 1.5': blobsOf(10, 1.5),
  'blobs of 10 columns, deviation 3': blobsOf(10, 3),
  'blobs of 5 columns, 500 points each': blobsOf(5, 2, 500),
  'three densities': (seed) =>
    every([450, 1500], (n) => ({
      clusters: 3,
      data: blobs({ n, centers: densities, deviation: [0.15, 0.6, 1.2], seed }),
    })),
};

/** Numbers that other rules choose, from the same candidates. `rest` is 1 − λ of the eigenvalue after the last one. */
const rules: Readonly<Record<string, (candidate: ClusterCandidate, rest: number) => number>> = {
  gap: ({ gap }) => gap,
  'relative gap': ({ gap }, rest) => gap / rest,
  'score alone': ({ score }) => score,
};

async function measure({ clusters, data: { points, labels } }: Draw): Promise<Outcome> {
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 16, connect: 'join' });
  const found = await spectrum(graph, { count: most + 1 });
  const candidates = runSync(clusterCandidatesSteps(graph, found, 0));
  const chosenBy = (value: (candidate: ClusterCandidate) => number): number =>
    candidates.reduce((best, next) => (value(next) > value(best) ? next : best)).clusters;
  const choice = runSync(chooseClusterCountSteps(graph, found, 0));
  const source = { rows: columns(found.vectors, 0, clusters), hasConstant: true, degrees: graph.degrees };
  const labeled = runSync(labelingSteps(source, clusters, { assign: 'cluster-qr', restarts: 1, seed: 0 }));
  return {
    isApart: adjustedRandIndex(labeled.labels, labels!) > 0.8,
    isClear: choice.isClear,
    right: Object.fromEntries([
      ...Object.entries(rules).map(([name, rule]) => [
        name,
        chosenBy((candidate) => rule(candidate, 1 - found.values[candidate.clusters])) === clusters,
      ]),
      ['auto', choice.chosen.clusters === clusters],
    ]) as Record<string, boolean>,
  };
}

interface Outcome {
  /** Whether the eigenvectors tell the clusters apart, if their number is known: an ARI above 0.8. */
  readonly isApart: boolean;
  readonly isClear: boolean;
  readonly right: Readonly<Record<string, boolean>>;
}

export async function clusterCountQuality({ seeds, say }: QualityOptions): Promise<Section> {
  const draws = Array.from({ length: seeds }, (_, k) => firstSeed + k);
  const figures = await sequentially(Object.entries(families), async ([name, family]) => {
    say(`number of clusters: ${name}`);
    return { name, outcomes: await sequentially(draws.flatMap(family), measure) };
  });
  const all = { name: 'all', outcomes: figures.flatMap(({ outcomes }) => outcomes) };
  const names = [...Object.keys(rules), 'auto'];
  return {
    title: `The number of clusters: how often rules find it, ${seeds} draws of each size`,
    settings: 'knn 16, parts joined, from 2 to 10 clusters; exact eigenvectors',
    header: ['data', 'graphs', 'apart', ...names, 'clear', 'clear and wrong'],
    rows: [...figures, all].map(({ name, outcomes }) => rowOf(name, outcomes, names)),
    notes: [
      'apart: with the true number, clusters of the eigenvectors agree with the labels to an ARI above 0.8.',
      `score alone: gap / √(1 − λ) · silhouette², the rule until this comparison. Seeds from ${firstSeed} on; the rule was chosen on others.`,
    ],
    figures,
  };
}

function rowOf(name: string, outcomes: readonly Outcome[], names: readonly string[]): string[] {
  const count = (test: (outcome: Outcome) => boolean): string => String(outcomes.filter(test).length);
  const right = names.map((rule) => count((outcome) => outcome.right[rule]));
  const clear = [count(({ isClear }) => isClear), count((outcome) => outcome.isClear && !outcome.right.auto)];
  return [name, String(outcomes.length), count(({ isApart }) => isApart)].concat(right, clear);
}
