/** A graph of nearest neighbors in two parts: the search, block by block into files, and the graph of what was found. */

import { subtask, type Task } from '../core/task.ts';
import {
  type KnnGaussianOptions,
  type KnnOptions,
  resolveNeighborhood,
  type SelfTunedOptions,
} from '../graph/affinity/neighbor-affinity.ts';
import { metricOptions } from '../graph/neighbors/metric.ts';
import { metricOfPoints } from '../graph/neighbors/source.ts';
import { mergeBucketsSteps } from './buckets/merge-buckets.ts';
import type { StoredGraphHeader } from './graph-header.ts';
import { type BlockSearch, neighborsOfBlockSteps } from './neighbors/block-neighbors.ts';
import { bucketEntriesSteps, type KnownBlocks, ruleFor } from './neighbors/bucket-entries.ts';
import { NeighborFiles } from './neighbors/neighbor-files.ts';
import { bufferPart, bytesPerRecord } from './store-graph.ts';
import type { StoredPoints } from './stored-points.ts';

/** A graph of nearest neighbors. */
export type NeighborRecipe = KnnOptions | KnnGaussianOptions | SelfTunedOptions;

/** Blocks of points, each with a file for its neighbors. */
export interface NeighborBlocks extends KnownBlocks {
  readonly files: NeighborFiles;
  readonly search: BlockSearch;
  /** The number of blocks, and of rows of each of them. */
  readonly count: number;
  rowsOf(b: number): number;
}

export const caller = 'buildStoredGraph';
/** The fraction of the work after the search at which the entries are sorted into buckets. */
const bucketPart = 0.5;

/**
 * Divides points into blocks whose neighbors are files in the folder, which has no files of other points or options. A block
 * has as many rows as the memory allows, and at most `mostRows`. The neighbors do not depend on the blocks.
 */
export function openBlocks(
  points: StoredPoints,
  folder: string,
  recipe: NeighborRecipe,
  memory: number,
  mostRows = Infinity,
): NeighborBlocks {
  const { neighbors, includeSelf } = resolveNeighborhood(recipe);
  const metric = metricOptions(metricOfPoints(caller, recipe));
  const searchRows = blockRowsFor(points, neighbors, memory);
  const blockRows = Math.min(searchRows, mostRows);
  const plan = { ...metric, neighbors, includeSelf, blockRows, points: points.size, cols: points.cols };
  const files = new NeighborFiles(caller, folder, { ...plan, fingerprint: points.fingerprint() }, neighbors);
  const count = Math.ceil(points.size / blockRows);
  const rowsOf = (b: number): number => Math.min(points.size, (b + 1) * blockRows) - b * blockRows;
  const search = { caller, neighbors, includeSelf, metric, blockRows: searchRows };
  const read = (b: number) => files.read(b, rowsOf(b));
  return { files, search, count, rowsOf, size: points.size, blocks: count, blockRows, read };
}

/** Finds the neighbors of blocks from … to − 1, except those that are in files. */
export function* searchSteps(points: StoredPoints, blocks: NeighborBlocks, from: number, to: number): Task<void> {
  const { files, search, rowsOf, blockRows } = blocks;
  for (let b = from; b < to; b++) {
    if (files.has(b, rowsOf(b))) continue;
    const [begun, end] = [b, b + 1].map((block) => (block - from) / (to - from));
    const found = neighborsOfBlockSteps(points, b * blockRows, b * blockRows + rowsOf(b), search);
    files.write(b, yield* subtask(found, begun, end));
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
  const rule = ruleFor(recipe, neighborhood, blocks);
  const room = { records: Math.floor(memory / bytesPerRecord), buffers: memory * bufferPart };
  const sorted = bucketEntriesSteps(folder, blocks, neighborhood.neighbors, rule, room);
  const buckets = yield* subtask(sorted, 0, bucketPart);
  try {
    const symmetric = neighborhood.symmetric === 'mutual' ? 'min' : neighborhood.symmetric;
    const { size } = blocks;
    const merge = { caller, size, symmetric, isMirrored: false, precision: 'single', scaled: false } as const;
    return yield* subtask(mergeBucketsSteps(buckets, folder, merge), bucketPart, 1);
  } finally {
    buckets.remove();
  }
}

/** The number of points in a block. With what a search holds for them, they take an eighth of the memory. */
function blockRowsFor({ cols, size }: StoredPoints, neighbors: number, memory: number): number {
  const bytesPerRow = 16 * cols + 40 * (neighbors + 8);
  return Math.min(size, Math.max(1024, Math.floor(memory / 8 / bytesPerRow)));
}
