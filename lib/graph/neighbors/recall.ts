/** The recall of an approximate neighbor search, measured on a sample. */

import { Random, type Seed } from '../../core/random.ts';
import { takePoints } from '../../sparse/points.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { NeighborRows } from './neighbor-rows.ts';
import { nearestOfQueriesSteps } from './blocks/brute.ts';
import type { Task } from '../../core/task.ts';

/** The largest sample. The error of its recall is about 0.01, since the neighbors of one point are often missed together. */
export const recallSample = 400;

/**
 * The fraction of the `found` neighbors of a random sample of points that are no farther than the last of their true ones.
 * Of neighbors that tie, any counts.
 */
export function* measureRecallSteps(points: Tensor, power: number, found: NeighborRows, seed: Seed): Task<number> {
  const { count } = found;
  const random = new Random(seed).fork('recall');
  const sample = random.permutation(points.rows).slice(0, recallSample);
  const queries = takePoints(points, sample);
  const truth: NeighborRows = {
    count,
    stride: count,
    indices: new Int32Array(sample.length * count),
    squaredDistances: new Float32Array(sample.length * count),
  };
  yield* nearestOfQueriesSteps(points, queries, sample, power, truth);
  return fractionFound(found, sample, truth);
}

/** The fraction of the neighbors in these rows of `found` that are no farther than the last in rows 0, 1, … of `truth`. */
export function fractionFound(
  found: Pick<NeighborRows, 'stride' | 'squaredDistances'>,
  rows: Int32Array,
  truth: Pick<NeighborRows, 'count' | 'stride' | 'squaredDistances'>,
): number {
  const { count } = truth;
  let hits = 0;
  rows.forEach((row, k) => {
    const last = truth.squaredDistances[k * truth.stride + count - 1];
    for (let e = row * found.stride; e < row * found.stride + count; e++) if (found.squaredDistances[e] <= last) hits++;
  });
  return hits / (rows.length * count);
}
