/** Cells of points: each point belongs to the nearest of some centers, which a few steps of k-means distribute. */

import { Random, type Seed } from '../../core/random.ts';
import { subtask, type Task } from '../../core/task.ts';
import { projectionGroups } from '../../graph/neighbors/descent/projection-tree.ts';
import { metricRows, type ResolvedMetric } from '../../graph/neighbors/metric.ts';
import { nearestAmongCheckedSteps, type Neighbors } from '../../graph/neighbors/neighbors.ts';
import { takePoints } from '../../sparse/points.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';
import type { StoredPoints } from '../stored-points.ts';

/** How points and centers are compared: the metric, the rows held at a time, and the name in errors. */
export interface CellSpace {
  readonly caller: string;
  readonly metric: ResolvedMetric;
  readonly blockRows: number;
}

/**
 * The number of cells is this multiple of √n. Comparing a point with all centers then takes about as long as comparing it with
 * the points of the 16 nearest cells. With factor 4 instead of 2, 100,000 points need half as many comparisons.
 */
const cellFactor = 4;
/** The least average number of points in a cell, as a multiple of the number of neighbors. */
const leastPoints = 2;
/** All centers together have at most this many coordinates (16 MiB). */
const mostCoordinates = 2 ** 22;
/** Points for each center, and rounds, of k-means. Five rounds reduce the comparisons for the same recall by a third. */
const [pointsPerCenter, rounds] = [16, 5];

/** The number of cells for a search of `neighbors`. It does not depend on the memory. */
export function countCells({ size, cols }: StoredPoints, neighbors: number): number {
  const wanted = Math.min(cellFactor * Math.sqrt(size), size / (leastPoints * neighbors), mostCoordinates / cols);
  return Math.max(1, Math.floor(wanted));
}

/** Centers of cells: random points that k-means moves. Under angles, means could vanish, and centers stay where they are. */
export function* findCentersSteps(points: StoredPoints, count: number, seed: Seed, space: CellSpace): Task<Tensor> {
  const random = new Random(seed).fork('cells');
  const chosen = new Int32Array(Math.min(points.size, pointsPerCenter * count));
  for (let k = 0; k < chosen.length; k++) chosen[k] = random.integer(points.size);
  const centers = points.rows(chosen.subarray(0, count));
  // Rows are read in the order of the file.
  chosen.sort();
  for (let round = 0; round < rounds && !isAngle(space); round++) {
    yield* subtask(moveCentersSteps(points, chosen, centers, space), round / rounds, (round + 1) / rounds);
  }
  return inTreeOrder(centers, random.fork('order'));
}

/** The centers in an order in which near ones follow each other, so that the points of a block search in few cells. */
function inTreeOrder(centers: Tensor, random: Random): Tensor {
  const order = Array.from(projectionGroups(centers, groupSize, random), (group) => [...group]).flat();
  return takePoints(centers, Int32Array.from(order)) as Tensor;
}

/** Within a group of centers the order does not matter. */
const groupSize = 4;

function isAngle({ metric: { metric } }: CellSpace): boolean {
  return metric === 'cosine' || metric === 'correlation';
}

/** Moves each center to the mean of the rows nearest to it, if there are any. */
function* moveCentersSteps(points: StoredPoints, chosen: Int32Array, centers: Tensor, space: CellSpace): Task<void> {
  const { cols } = points;
  const sums = zeros([centers.rows, cols], 'double');
  const counts = new Int32Array(centers.rows);
  for (let from = 0; from < chosen.length; from += space.blockRows) {
    const rows = points.rows(chosen.subarray(from, from + space.blockRows));
    const share = [from, from + rows.rows].map((row) => row / chosen.length);
    const { indices } = yield* subtask(nearestCentersSteps(centers, rows, 1, space), share[0], share[1]);
    for (let i = 0, at = 0; i < rows.rows; i++) {
      counts[indices[i]]++;
      for (let j = 0, to = indices[i] * cols; j < cols; j++) sums.data[to++] += rows.data[at++];
    }
  }
  for (let c = 0, at = 0; c < centers.rows; c++) {
    for (let j = 0; j < cols; j++, at++) if (counts[c] > 0) centers.data[at] = sums.data[at] / counts[c];
  }
}

/** The `count` nearest centers of each row, nearest first. */
export function* nearestCentersSteps(
  centers: Tensor,
  rows: Tensor,
  count: number,
  { caller, metric }: CellSpace,
): Task<Neighbors> {
  const [there, here] = [centers, rows].map((each) => metricRows(caller, metric, each));
  return yield* nearestAmongCheckedSteps(there, here, count, metric.power);
}

/** The cell of each point. */
export function* assignCellsSteps(points: StoredPoints, centers: Tensor, space: CellSpace): Task<Int32Array> {
  const cellOf = new Int32Array(points.size);
  for (let from = 0; from < points.size; from += space.blockRows) {
    const to = Math.min(points.size, from + space.blockRows);
    const found = nearestCentersSteps(centers, points.rowRange(from, to), 1, space);
    cellOf.set((yield* subtask(found, from / points.size, to / points.size)).indices, from);
  }
  return cellOf;
}
