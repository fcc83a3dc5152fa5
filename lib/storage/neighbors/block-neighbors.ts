/** The nearest neighbors of some points, found block by block among all points of a file. */

import { subtask, type Task } from '../../core/task.ts';
import type { MetricOptions } from '../../graph/neighbors/metric.ts';
import type { NeighborRows } from '../../graph/neighbors/neighbor-rows.ts';
import { nearestAmongSteps } from '../../graph/neighbors/neighbors.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { StoredPoints } from '../stored-points.ts';
import { GrowingNeighbors } from './merge-neighbors.ts';

/** Which neighbors are searched, and how many points are held at a time. */
export interface BlockSearch {
  readonly caller: string;
  readonly neighbors: number;
  readonly includeSelf: boolean;
  readonly metric: MetricOptions;
  readonly blockRows: number;
}

/** The number of neighbors other than the point itself. */
export function othersOf({ neighbors, includeSelf }: BlockSearch): number {
  return includeSelf ? neighbors - 1 : neighbors;
}

/**
 * The neighbors of points from … to − 1, as `nearestNeighbors` finds them by an exact method: sorted by distance, then by
 * index, with the point itself if it counts. Indices are those of the file, and rows of `squaredDistances` follow each other.
 */
export function* neighborsOfBlockSteps(
  points: StoredPoints,
  from: number,
  to: number,
  search: BlockSearch,
): Task<NeighborRows> {
  const selves = Int32Array.from({ length: to - from }, (_, i) => from + i);
  const found = new GrowingNeighbors(selves, search.neighbors, othersOf(search));
  yield* compareWithAllSteps(points, points.rowRange(from, to), Int32Array.from(selves.keys()), found, search);
  if (search.includeSelf) found.insertSelves();
  return found.rows;
}

/** Compares each query with all points, and merges what is found into row rows[i] of `found`, which has nothing yet. */
export function* compareWithAllSteps(
  points: StoredPoints,
  queries: Tensor,
  rows: Int32Array,
  found: GrowingNeighbors,
  { caller, metric, blockRows }: BlockSearch,
): Task<void> {
  for (let first = 0; first < points.size; first += blockRows) {
    const last = Math.min(points.size, first + blockRows);
    // The nearest count + 1 of a block include the nearest `count` other than the point itself.
    const width = Math.min(found.rows.count + 1, last - first);
    const near = yield* subtask(
      nearestAmongSteps(caller, points.rowRange(first, last), queries, { ...metric, neighbors: width }),
      first / points.size,
      last / points.size,
    );
    const { indices, squaredDistances } = near;
    for (let e = 0; e < indices.length; e++) indices[e] += first;
    for (let i = 0; i < rows.length; i++) found.merge(rows[i], width, i * width, indices, squaredDistances);
  }
}
