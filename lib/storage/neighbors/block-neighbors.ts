/** The nearest neighbors of a block of points, found block by block among all points of a file. */

import { subtask, type Task } from '../../core/task.ts';
import type { MetricOptions } from '../../graph/neighbors/metric.ts';
import type { NeighborRows } from '../../graph/neighbors/neighbor-rows.ts';
import { insertSelf, makeRows, nearestAmongSteps } from '../../graph/neighbors/neighbors.ts';
import type { StoredPoints } from '../stored-points.ts';

/** Which neighbors are searched, and how many points are held at a time. */
export interface BlockSearch {
  readonly caller: string;
  readonly neighbors: number;
  readonly includeSelf: boolean;
  readonly metric: MetricOptions;
  readonly blockRows: number;
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
  const { caller, neighbors, includeSelf, metric, blockRows } = search;
  const count = includeSelf ? neighbors - 1 : neighbors;
  const rows = to - from;
  const queries = points.rowRange(from, to);
  let best = makeRows(rows, neighbors, count);
  let spare = makeRows(rows, neighbors, count);
  const found = new Int32Array(rows);
  for (let first = 0; first < points.size; first += blockRows) {
    const last = Math.min(points.size, first + blockRows);
    const block = first === from && last === to ? queries : points.rowRange(first, last);
    // The nearest count + 1 of a block include the nearest `count` other than the point itself.
    const width = Math.min(count + 1, last - first);
    const near = yield* subtask(
      nearestAmongSteps(caller, block, queries, { ...metric, neighbors: width }),
      first / points.size,
      last / points.size,
    );
    for (let i = 0; i < rows; i++) {
      found[i] = mergeRow(i, found[i], best, near.indices, near.squaredDistances, width, first, from + i, spare);
    }
    [best, spare] = [spare, best];
  }
  if (includeSelf) for (let i = 0; i < rows; i++) insertSelf(i, best, from + i);
  return best;
}

/**
 * Merges the `known` neighbors of row i in `best` with `width` others, whose indices count from `first`, without the point
 * `self`. Both lists are sorted by distance, then by index, and blocks come in ascending order, so that known ones go first
 * where distances are equal. Returns how many there are.
 */
function mergeRow(
  i: number,
  known: number,
  best: NeighborRows,
  indices: Int32Array,
  squaredDistances: Float32Array,
  width: number,
  first: number,
  self: number,
  out: NeighborRows,
): number {
  const { count, stride } = out;
  let [p, q, kept] = [i * stride, i * width, 0];
  const [knownEnd, end] = [p + known, q + width];
  for (; kept < count; kept++) {
    while (q < end && first + indices[q] === self) q++;
    const isKnown = p < knownEnd && (q >= end || best.squaredDistances[p] <= squaredDistances[q]);
    if (!isKnown && q >= end) break;
    out.indices[i * stride + kept] = isKnown ? best.indices[p] : first + indices[q];
    out.squaredDistances[i * stride + kept] = isKnown ? best.squaredDistances[p++] : squaredDistances[q++];
  }
  return kept;
}
