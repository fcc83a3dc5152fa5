/** The entries of a graph of nearest neighbors, sorted into buckets on disk from the neighbors in files. */

import type { Task } from '../../core/task.ts';
import {
  atLeast,
  type KnnGaussianOptions,
  type KnnOptions,
  medianReach,
  ownScale,
  type ResolvedNeighborhood,
  type SelfTunedOptions,
} from '../../graph/affinity/neighbor-affinity.ts';
import type { WeightRule } from '../../graph/affinity/weights.ts';
import { Buckets, RowCounts } from '../buckets/buckets.ts';
import { written } from '../graph/graph-writer.ts';

/** The neighbors of all blocks, in files. */
export interface KnownBlocks {
  readonly size: number;
  readonly blocks: number;
  read(b: number): FoundBlock;
}

/** The neighbors of the points of a block, row by row. */
export interface FoundBlock {
  /** The point of each row. */
  readonly points: Int32Array;
  readonly indices: Int32Array;
  readonly squaredDistances: Float32Array;
}

/** The weight of a neighbor, as `buildGraph` has it. Reads all files if it depends on distances. */
export function ruleFor(
  recipe: KnnOptions | KnnGaussianOptions | SelfTunedOptions,
  { neighbors, includeSelf, scaleNeighbor }: ResolvedNeighborhood,
  known: KnownBlocks,
): WeightRule {
  if (recipe.kind === 'knn') return () => 1;
  if (recipe.kind === 'knn-gaussian') {
    const sigma =
      typeof recipe.sigma === 'number' ? recipe.sigma : medianReach(distancesAt(known, neighbors, neighbors - 1));
    return atLeast(recipe, (squared) => Math.exp(squared / (-2 * sigma * sigma)));
  }
  const scales = Float64Array.from(
    distancesAt(known, neighbors, includeSelf ? scaleNeighbor : scaleNeighbor - 1),
    ownScale,
  );
  return atLeast(recipe, (squared, i, j) => Math.exp(-squared / (scales[i] * scales[j])));
}

/** The squared distance of every point to the neighbor at this place. */
function distancesAt({ size, blocks, read }: KnownBlocks, neighbors: number, place: number): Float32Array {
  const result = new Float32Array(size);
  for (let b = 0; b < blocks; b++) {
    const { points, squaredDistances } = read(b);
    for (let i = 0; i < points.length; i++) result[points[i]] = squaredDistances[i * neighbors + place];
  }
  return result;
}

/** Sorts all entries and their mirror images into buckets of at most `room.records`, after a first pass that counts them. */
export function* bucketEntriesSteps(
  folder: string,
  { size, blocks, read }: KnownBlocks,
  neighbors: number,
  rule: WeightRule,
  room: { readonly records: number; readonly buffers: number },
): Task<Buckets> {
  const counts = new RowCounts();
  for (let b = 0; b < blocks; b++) {
    const { points, indices } = read(b);
    for (let e = 0; e < indices.length; e++) counts.add(points[Math.floor(e / neighbors)], indices[e], true);
    yield (0.4 * b) / blocks;
  }
  const buckets = new Buckets(written, folder, counts.divide(size, room.records), room.buffers);
  let isSorted = false;
  try {
    for (let b = 0; b < blocks; b++) {
      const { points, indices, squaredDistances } = read(b);
      for (let e = 0; e < indices.length; e++) {
        const [i, j] = [points[Math.floor(e / neighbors)], indices[e]];
        const weight = Math.fround(rule(squaredDistances[e], i, j));
        if (weight === 0) continue; // too far for single precision
        buckets.push(i, j, weight);
        buckets.pushMirrored(j, i, weight);
      }
      yield 0.4 + (0.6 * b) / blocks;
    }
    isSorted = true;
    return buckets;
  } finally {
    if (!isSorted) buckets.remove(); // also if the task is aborted
  }
}
