/** `buildStoredGraph`: the graph of points in a file, built without holding the points or the graph in memory. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { badKind, badValue, checkCount } from '../core/check.ts';
import { checkVariant, type Rules, type RulesByKind } from '../core/options.ts';
import { type ProgressOptions, progressRules, runAsync, subtask, type Task } from '../core/task.ts';
import {
  atLeast,
  type KnnGaussianOptions,
  type KnnOptions,
  medianReach,
  neighborRules,
  ownScale,
  resolveNeighborhood,
  type ResolvedNeighborhood,
  type SelfTunedOptions,
} from '../graph/affinity/neighbor-affinity.ts';
import type { WeightRule } from '../graph/affinity/weights.ts';
import { metricOfPoints } from '../graph/neighbors/source.ts';
import { metricOptions } from '../graph/neighbors/metric.ts';
import { limitGarbage } from '../wasm/set-memory.ts';
import { Buckets, RowCounts } from './buckets/buckets.ts';
import { mergeBuckets } from './buckets/merge-buckets.ts';
import { headerFile, readHeader, type StoredGraphHeader } from './graph-header.ts';
import { openWorkFolder, written } from './graph-writer.ts';
import { neighborsOfBlock } from './neighbors/block-neighbors.ts';
import { isBuildFile, NeighborFiles, planFile } from './neighbors/neighbor-files.ts';
import { bufferPart, bytesPerRecord, checkMemory, defaultStoreBytes, garbagePart } from './store-graph.ts';
import { openStoredPoints, type StoredPoints } from './stored-points.ts';

/** A recipe for nearest neighbors, as for `buildGraph`, with a budget of memory. */
export type StoredRecipe = (KnnOptions | KnnGaussianOptions | SelfTunedOptions) & BuildOptions;

/** How much memory a build takes. */
export interface BuildOptions extends ProgressOptions {
  /** The memory to use in bytes, approximately. Each point takes 4 to 12 bytes more. Default: 256 MiB. */
  readonly memory?: number;
}

const buildRules: Rules<BuildOptions> = { ...progressRules, memory: 'number' };
const recipeRules: RulesByKind<KnnOptions | KnnGaussianOptions | SelfTunedOptions> = neighborRules;

const caller = 'buildStoredGraph';
/** The fractions of the work after the search, and after the entries were sorted into buckets. */
const [searchPart, bucketPart] = [0.9, 0.95];

/**
 * Builds the graph of the points in a .npy file and stores it in a folder, with the bits that `buildGraph` gives it where that
 * searches exactly. Blocks of points are compared with blocks, entries are sorted into buckets on disk, and each bucket is made
 * symmetric in memory. The neighbors of each block are kept in the folder until the graph is complete: a call after a kill
 * continues there, with the same points and options. Options that need all points at once are refused.
 */
export async function buildStoredGraph(path: string, folder: string, recipe: StoredRecipe): Promise<StoredGraphHeader> {
  checkVariant<KnnOptions | KnnGaussianOptions | SelfTunedOptions>(caller, recipe, recipeRules, '', buildRules);
  if (typeof path !== 'string') throw badKind(caller, 'the path of a .npy file', path);
  if (typeof folder !== 'string') throw badKind(caller, 'the path of a folder', folder);
  const { memory = defaultStoreBytes } = recipe;
  checkMemory(caller, memory);
  checkRecipe(recipe);
  const points = openStoredPoints(path, { memory: memory * cachePart });
  try {
    checkNeighbors(points, resolveNeighborhood(recipe));
    recipe.signal?.throwIfAborted();
    if (isLeftOver(folder)) return finishLeftOver(folder);
    return await buildIn(points, folder, recipe, memory);
  } finally {
    points.close();
  }
}

/** The part of the memory for pages of points. Blocks bypass the cache. */
const cachePart = 1 / 64;

async function buildIn(
  points: StoredPoints,
  folder: string,
  recipe: StoredRecipe,
  memory: number,
): Promise<StoredGraphHeader> {
  const work = openWorkFolder(caller, folder, isBuildFile);
  const restoreLimit = limitGarbage(memory * garbagePart);
  try {
    return await runAsync(buildSteps(points, folder, recipe, memory), recipe);
  } finally {
    restoreLimit();
    work.release(isBuildFile);
  }
}

function* buildSteps(
  points: StoredPoints,
  folder: string,
  recipe: StoredRecipe,
  memory: number,
): Task<StoredGraphHeader> {
  const neighborhood = resolveNeighborhood(recipe);
  const { neighbors, includeSelf } = neighborhood;
  const metric = metricOptions(metricOfPoints(caller, recipe));
  const blockRows = blockRowsFor(points, neighbors, memory);
  const plan = { ...metric, neighbors, includeSelf, blockRows, points: points.size, cols: points.cols };
  const files = new NeighborFiles(caller, folder, { ...plan, fingerprint: points.fingerprint() }, neighbors);
  const blocks = Math.ceil(points.size / blockRows);
  const rowsOf = (b: number): number => Math.min(points.size, (b + 1) * blockRows) - b * blockRows;
  for (let b = 0; b < blocks; b++) {
    if (files.has(b, rowsOf(b))) continue;
    const search = { caller, neighbors, includeSelf, metric, blockRows };
    const [from, to] = [b / blocks, (b + 1) / blocks].map((fraction) => searchPart * fraction);
    const found = neighborsOfBlock(points, b * blockRows, b * blockRows + rowsOf(b), search);
    files.write(b, yield* subtask(found, from, to));
  }
  const known: KnownBlocks = { size: points.size, blocks, blockRows, read: (b) => files.read(b, rowsOf(b)) };
  const rule = ruleFor(recipe, neighborhood, known);
  const buckets = yield* subtask(bucketEntries(folder, known, neighbors, rule, memory), searchPart, bucketPart);
  try {
    const symmetric = neighborhood.symmetric === 'mutual' ? 'min' : neighborhood.symmetric;
    const merge = {
      caller,
      size: points.size,
      symmetric,
      isMirrored: false,
      precision: 'single',
      scaled: false,
    } as const;
    const header = yield* subtask(mergeBuckets(buckets, folder, merge), bucketPart, 1);
    files.remove();
    return header;
  } finally {
    buckets.remove();
  }
}

/** The neighbors of all blocks, in files. */
interface KnownBlocks {
  readonly size: number;
  readonly blocks: number;
  readonly blockRows: number;
  read(b: number): { readonly indices: Int32Array; readonly squaredDistances: Float32Array };
}

/** The weight of a neighbor, as `buildGraph` has it. Reads all files if it depends on distances. */
function ruleFor(
  recipe: StoredRecipe,
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
function distancesAt({ size, blocks, blockRows, read }: KnownBlocks, neighbors: number, place: number): Float32Array {
  const result = new Float32Array(size);
  for (let b = 0; b < blocks; b++) {
    const { squaredDistances } = read(b);
    for (let e = place, at = b * blockRows; e < squaredDistances.length; e += neighbors)
      result[at++] = squaredDistances[e];
  }
  return result;
}

/** Sorts all entries and their mirror images into buckets, after a first pass that counts them. */
function* bucketEntries(
  folder: string,
  { size, blocks, blockRows, read }: KnownBlocks,
  neighbors: number,
  rule: WeightRule,
  memory: number,
): Task<Buckets> {
  const counts = new RowCounts();
  for (let b = 0; b < blocks; b++) {
    const { indices } = read(b);
    for (let e = 0; e < indices.length; e++) counts.add(b * blockRows + Math.floor(e / neighbors), indices[e], true);
    yield (0.4 * b) / blocks;
  }
  const buckets = new Buckets(
    written,
    folder,
    counts.divide(size, Math.floor(memory / bytesPerRecord)),
    memory * bufferPart,
  );
  try {
    for (let b = 0; b < blocks; b++) {
      const { indices, squaredDistances } = read(b);
      for (let e = 0; e < indices.length; e++) {
        const [i, j] = [b * blockRows + Math.floor(e / neighbors), indices[e]];
        const weight = Math.fround(rule(squaredDistances[e], i, j));
        if (weight === 0) continue; // too far for single precision
        buckets.push(i, j, weight);
        buckets.pushMirrored(j, i, weight);
      }
      yield 0.4 + (0.6 * b) / blocks;
    }
    return buckets;
  } catch (error) {
    buckets.remove();
    throw error;
  }
}

/** The number of points in a block. With what a search holds for them, they take an eighth of the memory. */
function blockRowsFor({ cols, size }: StoredPoints, neighbors: number, memory: number): number {
  const bytesPerRow = 16 * cols + 40 * (neighbors + 8);
  return Math.min(size, Math.max(1024, Math.floor(memory / 8 / bytesPerRow)));
}

/** Refuses what needs all points or all distances at once. */
function checkRecipe(recipe: StoredRecipe): void {
  const refuse = (rule: string, got: string): never => {
    throw badValue(caller, rule, got, 'buildGraph and storeGraph do so in memory.');
  };
  if (recipe.method !== undefined && recipe.method !== 'auto')
    refuse("method 'auto', which is exact", `'${recipe.method}'`);
  if (recipe.connect === 'join') refuse("connect 'none'", "'join'");
  if (recipe.alpha !== undefined && recipe.alpha !== 0) refuse('alpha 0', String(recipe.alpha));
  if (recipe.metric === 'precomputed') refuse('a metric of points', "'precomputed'");
  if (recipe.kind !== 'knn-gaussian') return;
  if (recipe.bandwidth === 'variable') refuse("bandwidth 'fixed'", "'variable'");
  if (recipe.sigma === 'auto') refuse('sigma as a number, or none', "'auto'");
  if (typeof recipe.sigma === 'number' && !(recipe.sigma > 0 && Number.isFinite(recipe.sigma))) {
    throw badValue(caller, 'sigma above 0', recipe.sigma);
  }
}

function checkNeighbors(
  { size }: StoredPoints,
  { neighbors, includeSelf, others, scaleNeighbor }: ResolvedNeighborhood,
): void {
  if (size < 2) throw badValue(caller, 'at least two points', size);
  checkCount(caller, 'neighbors', neighbors, includeSelf ? 2 : 1);
  const most = size - (includeSelf ? 0 : 1);
  if (neighbors > most) throw badValue(caller, `neighbors to be at most ${most} for ${size} points`, neighbors);
  checkCount(caller, 'scaleNeighbor', scaleNeighbor, 1);
  if (scaleNeighbor > others) {
    throw badValue(caller, `scaleNeighbor to be at most the ${others} other neighbors`, scaleNeighbor);
  }
}

/** Whether an earlier call was killed after it had completed the graph. */
function isLeftOver(folder: string): boolean {
  return existsSync(join(folder, headerFile)) && existsSync(join(folder, planFile));
}

function finishLeftOver(folder: string): StoredGraphHeader {
  const header = readHeader(caller, folder);
  NeighborFiles.removeFrom(folder);
  return header;
}
