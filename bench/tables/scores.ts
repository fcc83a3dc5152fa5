/** Scores: the agreement of clusters with labels, and the accuracy of labels of new rows by a vote of their ten nearest rows. */

import { runSync } from '../../lib/core/task.ts';
import { adjustedRandIndex, normalizedMutualInformation } from '../../lib/embedding/clustering/agreement.ts';
import { nearestAmongSteps } from '../../lib/graph/neighbors/neighbors.ts';
import type { Tensor } from '../../lib/tensor/tensor.ts';
import type { Split } from './split.ts';

export interface Scores {
  readonly ari: number;
  readonly nmi: number;
  /** Null for methods without a function of the point. */
  readonly accuracy: number | null;
}

/** Coordinates of the rows that were fitted and of those held out. */
export interface Coordinates {
  readonly train: Tensor;
  readonly test: Tensor;
}

const votes = 10;

export function scoresOf(split: Split, clusters: ArrayLike<number>, coordinates: Coordinates | null): Scores {
  const { labels } = split.train;
  const counted = Array.from(labels.keys()).filter((i) => labels[i] !== split.outlier);
  const [found, truth] = [counted.map((i) => clusters[i]), counted.map((i) => labels[i])];
  return {
    ari: adjustedRandIndex(found, truth),
    nmi: normalizedMutualInformation(found, truth),
    accuracy: coordinates && voteAccuracy(split, coordinates),
  };
}

function voteAccuracy({ train, test, outlier }: Split, coordinates: Coordinates): number {
  const [among, queries] = [coordinates.train.copy('single'), coordinates.test.copy('single')];
  const { indices } = runSync(nearestAmongSteps('bench', among, queries, { neighbors: votes }));
  let [right, counted] = [0, 0];
  for (let i = 0; i < queries.rows; i++) {
    if (test.labels[i] === outlier) continue;
    const tally = new Map<number, number>();
    for (const near of indices.subarray(i * votes, (i + 1) * votes)) {
      tally.set(train.labels[near], (tally.get(train.labels[near]) ?? 0) + 1);
    }
    const [[winner]] = [...tally].toSorted(([, a], [, b]) => b - a);
    right += Number(winner === test.labels[i]);
    counted++;
  }
  return right / counted;
}
