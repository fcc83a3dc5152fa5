/** A graph of nearest neighbors in parts: cells if the search is approximate, the search, block by block into files, and the graph. */

import type { Seed } from '../core/random.ts';
import { badValue } from '../core/check.ts';
import { subtask, type Task } from '../core/task.ts';
import {
  type KnnGaussianOptions,
  type KnnOptions,
  resolveNeighborhood,
  type SelfTunedOptions,
} from '../graph/affinity/neighbor-affinity.ts';
import { metricOptions } from '../graph/neighbors/metric.ts';
import type { NeighborRows } from '../graph/neighbors/neighbor-rows.ts';
import { metricOfPoints } from '../graph/neighbors/source.ts';
import { mergeBucketsSteps } from './buckets/merge-buckets.ts';
import type { StoredGraphHeader } from './graph/graph-header.ts';
import { type BlockSearch, neighborsOfBlockSteps } from './neighbors/block-neighbors.ts';
import { bucketEntriesSteps, type KnownBlocks, ruleFor } from './neighbors/bucket-entries.ts';
import { checkParts, hasCells, openCells, writeCellsSteps } from './neighbors/cell-files.ts';
import { neighborsInCellsSteps } from './neighbors/cell-neighbors.ts';
import { chooseProbesSteps, measureStoredRecallSteps } from './neighbors/cell-recall.ts';
import { assignCellsSteps, type CellSpace, countCells, findCentersSteps } from './neighbors/centers.ts';
import { NeighborFiles } from './neighbors/neighbor-files.ts';
import { bucketRoom } from './memory-budget.ts';
import type { StoredPoints } from './stored-points.ts';

/** A graph of nearest neighbors. */
export type NeighborRecipe = KnnOptions | KnnGaussianOptions | SelfTunedOptions;

/** The settings of an approximate search: the recall to aim at, and the seed. */
export interface Approximation {
  readonly recall: number;
  readonly seed: Seed;
}

/** A search in a folder, for one set of points and options. */
export interface NeighborSearch {
  readonly folder: string;
  readonly files: NeighborFiles;
  readonly search: BlockSearch;
  readonly space: CellSpace;
  /** None for a search of all pairs. */
  readonly approximation: Approximation | null;
  readonly memory: number;
  readonly mostRows: number;
}

/** Blocks of points, each with a file for its neighbors. */
export interface NeighborBlocks extends KnownBlocks {
  readonly files: NeighborFiles;
  /** The number of blocks, and of rows of each of them. */
  readonly count: number;
  rowsOf(b: number): number;
  /** Finds the neighbors of a block. */
  findSteps(b: number): Task<NeighborRows>;
  /** The recall of an approximate search, once all blocks are in files; undefined for an exact one. */
  recallSteps(): Task<number | undefined>;
  close(): void;
}

export const caller = 'buildStoredGraph';
/** The fractions of the work after the search at which the recall is known, and the entries are sorted into buckets. */
const [recallPart, bucketPart] = [0.2, 0.6];

/**
 * Opens a folder that has no files of other points or options. `mostRows` bounds the rows of a block. The neighbors do not
 * depend on the blocks.
 */
export function openSearch(
  points: StoredPoints,
  folder: string,
  recipe: NeighborRecipe,
  approximation: Approximation | null,
  memory: number,
  mostRows = Infinity,
): NeighborSearch {
  const { neighbors, includeSelf } = resolveNeighborhood(recipe);
  const metric = metricOfPoints(caller, recipe);
  const options = metricOptions(metric);
  const searchRows = blockRowsFor(points, neighbors, 0, memory);
  const blockRows = Math.min(searchRows, mostRows);
  const plan = { ...options, neighbors, includeSelf, blockRows, points: points.size, cols: points.cols };
  // The blocks of sorted points depend on the memory and on the number of cells that are searched.
  const approximate = approximation && { recall: approximation.recall, seed: String(approximation.seed), memory };
  const files = new NeighborFiles(
    caller,
    folder,
    { ...plan, fingerprint: points.fingerprint(), ...approximate },
    neighbors,
  );
  const search = { caller, neighbors, includeSelf, metric: options, blockRows: searchRows };
  const space = { caller, metric, blockRows: searchRows };
  return { folder, files, search, space, approximation, memory, mostRows };
}

/** Divides the points into cells, unless that was done before or all pairs are compared. */
export function* prepareCellsSteps(points: StoredPoints, prepared: NeighborSearch): Task<void> {
  const { folder, search, space, approximation, memory } = prepared;
  if (!approximation || hasCells(folder)) return;
  const { recall, seed } = approximation;
  const count = countCells(points, search.neighbors);
  const needed = 2 * bytesPerCoordinate * count * points.cols;
  if (needed > memory) throw badValue(caller, `memory of at least ${needed} bytes for ${count} cells`, memory);
  const rows = Math.max(1, Math.floor(memory / 8 / (4 * points.cols)));
  checkParts(Math.ceil(points.size / rows)); // before any work; unequal cells may need more parts
  const centers = yield* subtask(findCentersSteps(points, count, seed, space), 0, 0.4);
  const cellOf = yield* subtask(assignCellsSteps(points, centers, space), 0.4, 0.8);
  const chosen = chooseProbesSteps(points, centers, cellOf, recall, seed, search, space);
  const probes = yield* subtask(chosen, 0.8, 0.9);
  const room = { partRows: rows, bufferRows: rows, blockRows: space.blockRows };
  yield* subtask(writeCellsSteps(points, folder, centers, cellOf, probes, room), 0.9, 1);
}

/** A coordinate of a center is held in a few copies. */
const bytesPerCoordinate = 12;

/** The blocks of a search: of the points, or of those that are sorted by cells. */
export function openBlocks(points: StoredPoints, opened: NeighborSearch): NeighborBlocks {
  return opened.approximation ? cellBlocks(points, opened, opened.approximation) : exactBlocks(points, opened);
}

function exactBlocks(points: StoredPoints, { files, search, mostRows }: NeighborSearch): NeighborBlocks {
  const layout = layOut(points.size, Math.min(search.blockRows, mostRows));
  return {
    ...layout,
    files,
    read: (b) => ({
      ...files.read(b, layout.rowsOf(b)),
      points: Int32Array.from({ length: layout.rowsOf(b) }, (_, i) => b * layout.blockRows + i),
    }),
    findSteps: (b) => neighborsOfBlockSteps(points, b * layout.blockRows, layout.endOf(b), search),
    recallSteps: nothingMissedSteps,
    close() {},
  };
}

// oxlint-disable-next-line require-yield -- there is nothing to measure
function* nothingMissedSteps(): Task<undefined> {}

/** The part of the memory for pages of the sorted points. Cells bypass the cache. */
const cachePart = 1 / 64;

function cellBlocks(points: StoredPoints, opened: NeighborSearch, { seed }: Approximation): NeighborBlocks {
  const { folder, files, search, space, memory, mostRows } = opened;
  const cells = openCells(caller, folder, memory * cachePart);
  const layout = layOut(points.size, Math.min(blockRowsFor(points, search.neighbors, cells.probes, memory), mostRows));
  let [held, last] = [-1, files.none];
  const rowOf = (row: number): { squaredDistances: Float32Array } => {
    const b = Math.floor(row / layout.blockRows);
    if (b !== held) [held, last] = [b, files.read(b, layout.rowsOf(b))];
    const at = (row - b * layout.blockRows) * search.neighbors;
    return { squaredDistances: last.squaredDistances.subarray(at, at + search.neighbors) };
  };
  return {
    ...layout,
    files,
    read: (b) => ({
      ...files.read(b, layout.rowsOf(b)),
      points: cells.indices(b * layout.blockRows, layout.endOf(b)),
    }),
    findSteps: (b) => neighborsInCellsSteps(points, cells, b * layout.blockRows, layout.endOf(b), search, space),
    recallSteps: () => measureStoredRecallSteps(points, cells, seed, search, rowOf),
    close: () => cells.close(),
  };
}

function layOut(size: number, blockRows: number) {
  const count = Math.ceil(size / blockRows);
  const endOf = (b: number): number => Math.min(size, (b + 1) * blockRows);
  return { size, blockRows, count, blocks: count, endOf, rowsOf: (b: number): number => endOf(b) - b * blockRows };
}

/** Finds the neighbors of blocks from … to − 1, except those that are in files. */
export function* searchSteps({ files, rowsOf, findSteps }: NeighborBlocks, from: number, to: number): Task<void> {
  for (let b = from; b < to; b++) {
    if (files.has(b, rowsOf(b))) continue;
    const [begun, end] = [b, b + 1].map((block) => (block - from) / (to - from));
    files.write(b, yield* subtask(findSteps(b), begun, end));
  }
}

/** Writes the graph to a folder, once the neighbors of all blocks are in files. */
export function* assembleSteps(
  blocks: NeighborBlocks,
  folder: string,
  recipe: NeighborRecipe,
  memory: number,
): Task<StoredGraphHeader> {
  const neighborhood = resolveNeighborhood(recipe);
  const recall = yield* subtask(blocks.recallSteps(), 0, recallPart);
  const rule = ruleFor(recipe, neighborhood, blocks);
  const sorted = bucketEntriesSteps(folder, blocks, neighborhood.neighbors, rule, bucketRoom(memory));
  const buckets = yield* subtask(sorted, recallPart, bucketPart);
  try {
    const symmetric = neighborhood.symmetric === 'mutual' ? 'min' : neighborhood.symmetric;
    const { size } = blocks;
    const merge = { caller, size, symmetric, isMirrored: false, precision: 'single', scaled: false, recall } as const;
    return yield* subtask(mergeBucketsSteps(buckets, folder, merge), bucketPart, 1);
  } finally {
    buckets.remove();
  }
}

/** The number of points in a block. With what a search holds for them and for their cells, they take an eighth of the memory. */
function blockRowsFor({ cols, size }: StoredPoints, neighbors: number, probes: number, memory: number): number {
  const bytesPerRow = 16 * cols + 40 * (neighbors + 8) + 16 * probes;
  return Math.min(size, Math.max(1024, Math.floor(memory / 8 / bytesPerRow)));
}
