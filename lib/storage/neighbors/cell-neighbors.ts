/** The nearest neighbors of some points among those of the cells nearest to them. */

import { subtask, type Task } from '../../core/task.ts';
import { metricRows } from '../../graph/neighbors/metric.ts';
import type { NeighborRows } from '../../graph/neighbors/neighbor-rows.ts';
import { measureDistances } from '../../graph/neighbors/blocks/distances.ts';
import { squaredDistance } from '../../graph/neighbors/points.ts';
import { kernels } from '../../kernels/table.ts';
import { allocateIndices } from '../../sparse/indices.ts';
import { takePoints } from '../../sparse/points.ts';
import { copyToKernelMemory } from '../../tensor/kernel-memory.ts';
import { allocate, Tensor } from '../../tensor/tensor.ts';
import type { StoredPoints } from '../stored-points.ts';
import { type BlockSearch, compareWithAllSteps, othersOf } from './block-neighbors.ts';
import { type Cells, sortByCell } from './cell-files.ts';
import { type CellSpace, nearestCentersSteps } from './centers.ts';
import { GrowingNeighbors } from './merge-neighbors.ts';

/** The part of the work in which points find their cells. */
const probePart = 0.3;

/**
 * The neighbors of the points in rows from … to − 1 of the sorted ones, as `neighborsOfBlockSteps` has them, except for those
 * in cells that are not searched. A point whose cells have too few points is compared with all `points`.
 */
export function* neighborsInCellsSteps(
  points: StoredPoints,
  cells: Cells,
  from: number,
  to: number,
  search: BlockSearch,
  space: CellSpace,
): Task<NeighborRows> {
  const queries = cells.points.rowRange(from, to);
  const found = new GrowingNeighbors(cells.indices(from, to), search.neighbors, othersOf(search));
  const near = yield* subtask(nearestCentersSteps(cells.centers, queries, cells.probes, space), 0, probePart);
  yield* subtask(searchCellsSteps(cells, queries, near.indices, found, space), probePart, 1);
  const few = found.unfinished();
  if (few.length > 0) {
    few.forEach((row) => found.clear(row));
    yield* subtask(compareWithAllSteps(points, takePoints(queries, few) as Tensor, few, found, search), 1, 1);
  }
  if (search.includeSelf) found.insertSelves();
  return found.rows;
}

/** Compares each query with the points of its cells, cell by cell. The cells of query i are those from i·probes on. */
function* searchCellsSteps(
  cells: Cells,
  queries: Tensor,
  cellsOfQueries: Int32Array,
  found: GrowingNeighbors,
  space: CellSpace,
): Task<void> {
  const { starts, probes } = cells;
  const { starts: begins, order } = sortByCell(cellsOfQueries, starts.length - 1);
  const comparison = new CellComparison(cells, queries, found, space);
  for (let c = 0; c + 1 < starts.length; c++) {
    if (begins[c] === begins[c + 1]) continue;
    const rows = order.slice(begins[c], begins[c + 1]).map((place) => Math.floor(place / probes));
    for (let first = starts[c]; first < starts[c + 1]; first += mostMembers) {
      comparison.compare(rows, first, Math.min(starts[c + 1], first + mostMembers));
      yield begins[c] / order.length;
    }
  }
}

/** The points of a cell that are compared at a time, and the distances that are held. */
const [mostMembers, mostDistances] = [1 << 12, 1 << 16];

/**
 * Compares queries with members of cells. Distances come from the kernels in single precision. Those that may belong to a
 * neighbor are measured again in double precision, so that the result is that of an exact search among the members.
 */
class CellComparison {
  readonly #cells: Cells;
  readonly #found: GrowingNeighbors;
  readonly #space: CellSpace;
  /** The queries in the precision of the metric, and in single precision. */
  readonly #queries: Tensor;
  readonly #single: Tensor;
  readonly #members: Float32Array;
  readonly #some: Float32Array;
  readonly #chosen = allocateIndices(mostDistances);
  readonly #sums: Float64Array;
  readonly #distances = allocate(mostDistances, 'single');
  /** Bounds of the error of a distance by rounding its points, and of the relative error of its square. */
  readonly #error: number;
  readonly #rounding: number;

  constructor(cells: Cells, queries: Tensor, found: GrowingNeighbors, space: CellSpace) {
    const { cols } = queries;
    const { metric, power } = space.metric;
    this.#cells = cells;
    this.#found = found;
    this.#space = space;
    this.#queries = metricRows(space.caller, space.metric, queries) as Tensor;
    this.#single = copyToKernelMemory(this.#queries.copy('single'));
    this.#members = allocate(mostMembers * cols, 'single');
    this.#some = allocate(mostDistances, 'single');
    this.#sums = allocate(power === 2 ? 0 : mostDistances, 'double');
    // Rows of length one are rounded to single precision in every column.
    this.#error = metric === 'cosine' || metric === 'correlation' ? 2 * 2 ** -24 * Math.sqrt(cols) : 0;
    this.#rounding = (cols + 16) * 2 ** -23;
  }

  /** Compares these rows of the queries with the points in rows first … last − 1 of the sorted ones. */
  compare(rows: Int32Array, first: number, last: number): void {
    const { cols } = this.#queries;
    const count = last - first;
    const given = this.#members.subarray(0, count * cols);
    this.#cells.points.readRows(first, given);
    const { caller, metric } = this.#space;
    const members = metricRows(caller, metric, new Tensor(given, [count, cols])) as Tensor;
    const single = members.data instanceof Float32Array ? members : members.copy('single');
    const indices = this.#cells.indices(first, last);
    const step = Math.max(1, Math.min(Math.floor(mostDistances / count), Math.floor(mostDistances / cols)));
    for (let from = 0; from < rows.length; from += step) {
      const some = rows.subarray(from, from + step);
      this.#measure(some, count, single);
      for (let k = 0; k < some.length; k++) this.#offer(some[k], k * count, members, indices);
    }
  }

  /** The distances of these queries and all members, row by row. */
  #measure(rows: Int32Array, count: number, { cols, data }: Tensor): void {
    const chosen = this.#chosen.subarray(0, rows.length);
    chosen.set(rows);
    const room = cols <= mostDistances ? this.#some : allocate(cols, 'single');
    kernels.gatherRows(rows.length, cols, chosen, this.#single.data, room);
    measureDistances(this.#space.metric.power, rows.length, count, cols, room, data, this.#sums, this.#distances);
  }

  /** Offers the members to a query whose distances begin at place `at`. */
  #offer(row: number, at: number, members: Tensor, indices: Int32Array): void {
    const found = this.#found;
    const { power } = this.#space.metric;
    let limit = this.#roughLimit(row);
    for (let k = 0; k < indices.length; k++) {
      if (this.#distances[at + k] > limit) continue;
      found.offer(row, indices[k], Math.fround(squaredDistance(this.#queries, row, members, k, power)));
      limit = this.#roughLimit(row);
    }
  }

  /** A distance in single precision above this one is too far for a neighbor of the row. */
  #roughLimit(row: number): number {
    const limit = Math.sqrt(this.#found.limit(row)) + this.#error;
    return limit * limit * (1 + this.#rounding) + this.#rounding * 2 ** -126;
  }
}
