/** `buildStoredGraph`: the graph of points in a file, built without holding the points or the graph in memory. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { badKind, badValue, checkCount } from '../core/check.ts';
import { checkVariant, type Rules, type RulesByKind } from '../core/options.ts';
import { type ProgressOptions, progressRules, runAsync, subtask, type Task } from '../core/task.ts';
import { checkApart } from '../files/destination.ts';
import { neighborRules, resolveNeighborhood, type ResolvedNeighborhood } from '../graph/affinity/neighbor-affinity.ts';
import { limitGarbage } from '../wasm/set-memory.ts';
import { lockFolder } from '../files/lock.ts';
import { headerFile, readHeader, type StoredGraphHeader } from './graph-header.ts';
import { openWorkFolder, written } from './graph-writer.ts';
import { assembleSteps, caller, type NeighborRecipe, openBlocks, searchSteps } from './neighbor-blocks.ts';
import { isBuildFile, neighborFile, NeighborFiles, planFile } from './neighbors/neighbor-files.ts';
import { checkMemory, defaultStoreBytes, garbagePart } from './store-graph.ts';
import { openStoredPoints, type StoredPoints } from './stored-points.ts';

/** A recipe for nearest neighbors, as for `buildGraph`, with a budget of memory. */
export type StoredRecipe = NeighborRecipe & BuildOptions;

/** The memory of a build. */
export interface BuildOptions extends ProgressOptions {
  /** The memory to use in bytes, approximately. Each point takes 4 to 12 bytes more. Default: 256 MiB. */
  readonly memory?: number;
}

const buildRules: Rules<BuildOptions> = { ...progressRules, memory: 'number' };
const recipeRules: RulesByKind<NeighborRecipe> = neighborRules;

/** The part of the work that is the search. */
const searchShare = 0.9;

/**
 * Builds the graph of the points in a .npy file and stores it in a folder, with the bits that `buildGraph` gives it where that
 * searches exactly. Blocks of points are compared with blocks, entries are sorted into buckets on disk, and each bucket is made
 * symmetric in memory. The neighbors of each block are kept in the folder until the graph is complete: a call after a kill
 * continues there, with the same points and options. Options that need all points at once are refused.
 */
export async function buildStoredGraph(path: string, folder: string, recipe: StoredRecipe): Promise<StoredGraphHeader> {
  return withPoints(path, folder, recipe, async (points, memory) => {
    checkApart(caller, 'folder', folder, path);
    if (isLeftOver(folder)) return finishLeftOver(folder);
    return buildIn(points, folder, recipe, memory);
  });
}

/** Checks a build and opens its points. */
async function withPoints<T>(
  path: string,
  folder: string,
  recipe: StoredRecipe,
  use: (points: StoredPoints, memory: number) => Promise<T>,
): Promise<T> {
  checkVariant<NeighborRecipe>(caller, recipe, recipeRules, '', buildRules);
  if (typeof path !== 'string') throw badKind(caller, 'the path of a .npy file', path);
  if (typeof folder !== 'string') throw badKind(caller, 'the path of a folder', folder);
  const { memory = defaultStoreBytes } = recipe;
  checkMemory(caller, memory);
  checkRecipe(recipe);
  const points = openStoredPoints(path, { memory: memory * cachePart });
  const restoreLimit = limitGarbage(memory * garbagePart);
  try {
    checkNeighbors(points, resolveNeighborhood(recipe));
    recipe.signal?.throwIfAborted();
    return await use(points, memory);
  } finally {
    restoreLimit();
    points.close();
  }
}

/** Which blocks of a build one process searches: part `index` of `count`. */
export interface BuildPart {
  readonly index: number;
  readonly count: number;
}

/** Refuses what `buildStoredGraph` refuses, before anything is built. Returns the number of points. */
export function checkBuild(path: string, recipe: StoredRecipe): Promise<number> {
  return withPoints(path, '', recipe, async ({ size }) => size);
}

/**
 * The search of `buildStoredGraph` for a part of the blocks, each of which has at most the rows that a part has. Neighbors
 * are files in the folder `pieces`, which several processes may fill. Returns the names of those of this part.
 */
export function searchPart(path: string, pieces: string, recipe: StoredRecipe, part: BuildPart): Promise<string[]> {
  return withPoints(path, pieces, recipe, async (points, memory) => {
    const blocks = openBlocks(points, pieces, recipe, memory, rowsOfPart(points, part));
    const [from, to] = [part.index, part.index + 1].map((i) => Math.floor((blocks.count * i) / part.count));
    await runAsync(searchSteps(points, blocks, from, to), recipe);
    return Array.from({ length: to - from }, (_, b) => neighborFile(from + b));
  });
}

/** The rest of `buildStoredGraph`, in a folder that is empty or does not exist, once `searchPart` has found all parts. */
export function assembleParts(
  path: string,
  pieces: string,
  folder: string,
  recipe: StoredRecipe,
  parts: number,
): Promise<StoredGraphHeader> {
  return withPoints(path, folder, recipe, async (points, memory) => {
    const blocks = openBlocks(points, pieces, recipe, memory, rowsOfPart(points, { count: parts }));
    const work = openWorkFolder(caller, folder);
    try {
      return await runAsync(assembleSteps(blocks, folder, recipe, memory), recipe);
    } finally {
      work.release();
    }
  });
}

/** A multiple of 256, so that kernels that take several rows at a time divide a part as they do all rows. */
function rowsOfPart({ size }: StoredPoints, { count }: Pick<BuildPart, 'count'>): number {
  return 256 * Math.ceil(size / count / 256);
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
  try {
    return await runAsync(buildSteps(points, folder, recipe, memory), recipe);
  } finally {
    work.release(isBuildFile);
  }
}

function* buildSteps(
  points: StoredPoints,
  folder: string,
  recipe: StoredRecipe,
  memory: number,
): Task<StoredGraphHeader> {
  const blocks = openBlocks(points, folder, recipe, memory);
  yield* subtask(searchSteps(points, blocks, 0, blocks.count), 0, searchShare);
  const header = yield* subtask(assembleSteps(blocks, folder, recipe, memory), searchShare, 1);
  blocks.files.remove();
  return header;
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
  const unlock = lockFolder(written, folder);
  try {
    const header = readHeader(caller, folder);
    NeighborFiles.removeFrom(folder);
    return header;
  } finally {
    unlock();
  }
}
