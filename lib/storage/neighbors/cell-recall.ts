/** How many cells to search for a given recall, and the recall of a search, both by exact neighbors of a sample of points. */

import { Random, type Seed } from '../../core/random.ts';
import { subtask, type Task } from '../../core/task.ts';
import type { NeighborRows } from '../../graph/neighbors/neighbor-rows.ts';
import { fractionFound, recallSample } from '../../graph/neighbors/recall.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { StoredPoints } from '../stored-points.ts';
import { type BlockSearch, compareWithAllSteps, othersOf } from './block-neighbors.ts';
import type { Cells } from './cell-files.ts';
import { type CellSpace, nearestCentersSteps } from './centers.ts';
import { GrowingNeighbors } from './merge-neighbors.ts';

/** The largest part of all cells that a search visits. Comparing all pairs is hardly slower. */
const mostCells = 1 / 4;

/** The least number of nearest cells that contain this fraction of the neighbors of a sample, or the largest part of all. */
export function* chooseProbesSteps(
  points: StoredPoints,
  centers: Tensor,
  cellOf: Int32Array,
  wanted: number,
  seed: Seed,
  search: BlockSearch,
  space: CellSpace,
): Task<number> {
  const sample = drawSample(points.size, new Random(seed).fork('probes'));
  const queries = points.rows(sample);
  const truth = yield* subtask(trueNeighborsSteps(points, queries, sample, search), 0, 0.9);
  const most = Math.max(1, Math.ceil(mostCells * centers.rows));
  const { indices: nearest } = yield* subtask(nearestCentersSteps(centers, queries, most, space), 0.9, 1);
  const hits = new Int32Array(most);
  for (let i = 0; i < sample.length; i++) {
    const cells = nearest.subarray(i * most, (i + 1) * most);
    for (let e = i * truth.stride; e < i * truth.stride + truth.count; e++) {
      const rank = cells.indexOf(cellOf[truth.indices[e]]);
      if (rank >= 0) hits[rank]++;
    }
  }
  let [probes, seen] = [0, 0];
  while (probes < most && seen < wanted * sample.length * truth.count) seen += hits[probes++];
  return probes;
}

/** The fraction of the neighbors of a random sample of points that `read` has. Of neighbors that tie, any counts. */
export function* measureStoredRecallSteps(
  points: StoredPoints,
  cells: Cells,
  seed: Seed,
  search: BlockSearch,
  read: (row: number) => { readonly squaredDistances: Float32Array },
): Task<number> {
  const rows = drawSample(points.size, new Random(seed).fork('recall')).toSorted();
  const selves = rows.map((row) => cells.indices(row, row + 1)[0]);
  const truth = yield* trueNeighborsSteps(points, points.rows(selves), selves, search);
  const { count } = truth;
  const squaredDistances = new Float32Array(rows.length * count);
  // If the point itself counts, the first distance is 0, and the others are those to the other points.
  rows.forEach((row, k) => squaredDistances.set(read(row).squaredDistances.slice(-count), k * count));
  return fractionFound({ stride: count, squaredDistances }, Int32Array.from(rows.keys()), truth);
}

/** Different points, without a list of all. */
function drawSample(size: number, random: Random): Int32Array {
  if (size <= 2 * recallSample) return random.permutation(size).slice(0, recallSample);
  const drawn = new Set<number>();
  while (drawn.size < recallSample) drawn.add(random.integer(size));
  return Int32Array.from(drawn);
}

/** The exact neighbors of some points, without these themselves. */
function* trueNeighborsSteps(
  points: StoredPoints,
  queries: Tensor,
  selves: Int32Array,
  search: BlockSearch,
): Task<NeighborRows> {
  const count = othersOf(search);
  const found = new GrowingNeighbors(selves, count, count);
  yield* compareWithAllSteps(points, queries, Int32Array.from(selves.keys()), found, search);
  return found.rows;
}
