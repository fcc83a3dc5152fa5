/** `buildStoredGraph`: the graph of points in a file, built without holding the points or the graph in memory. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { badKind, badValue, checkCount } from '../core/check.ts';
import { checkVariant, type Rules, type RulesByKind } from '../core/options.ts';
import { type ProgressOptions, progressRules, subtask, type Task } from '../core/task.ts';
import { checkApart } from '../files/destination.ts';
import { neighborRules, resolveNeighborhood, type ResolvedNeighborhood } from '../graph/affinity/neighbor-affinity.ts';
import { treeColumns } from '../graph/neighbors/tree/kd-tree.ts';
import { lockFolder } from '../files/lock.ts';
import { headerFile, readHeader, type StoredGraphHeader } from './graph/graph-header.ts';
import { openWorkFolder, written } from './graph/graph-writer.ts';
import {
  type Approximation,
  assembleSteps,
  caller,
  type NeighborRecipe,
  openBlocks,
  openSearch,
  prepareCellsSteps,
  searchSteps,
} from './neighbor-blocks.ts';
import { cellFiles } from './neighbors/cell-files.ts';
import { isBuildFile, neighborFile, NeighborFiles, planFile } from './neighbors/neighbor-files.ts';
import { checkMemory, defaultStoreBytes, runWithin } from './memory-budget.ts';
import { openStoredPoints, type StoredPoints } from './stored-points.ts';

/** A recipe for nearest neighbors, as for `buildGraph`, with a budget of memory. */
export type StoredRecipe = NeighborRecipe & BuildOptions;

export const storedSearches = ['auto', 'exact', 'approximate'] as const;

/** How neighbors are searched, and the memory of a build. */
export interface BuildOptions extends ProgressOptions {
  /** The memory to use in bytes, approximately. Each point takes 4 to 12 bytes more. Default: 256 MiB. */
  readonly memory?: number;
  /**
   * 'exact' compares all points. 'approximate' divides them into cells, and compares each point with those of the nearest
   * cells. 'auto', the default, is exact up to an hour or two on one thread.
   */
  readonly search?: (typeof storedSearches)[number];
  /**
   * The fraction of the neighbors that an approximate search aims to find, above 0 and at most 1. A higher one usually
   * takes longer. At most a quarter of the cells is searched, so fewer may be found. Default: 0.95.
   */
  readonly recall?: number;
}

const buildRules: Rules<BuildOptions> = {
  ...progressRules,
  memory: 'number',
  search: storedSearches,
  recall: 'number',
};
const recipeRules: RulesByKind<NeighborRecipe> = neighborRules;

/** The fractions of the work at which points are in cells, if they are divided into any, and neighbors are found. */
const [cellShare, searchShare] = [0.3, 0.9];

const defaultRecall = 0.95;

/**
 * Below this n²·(d + 50), 'auto' compares all pairs: an hour or two on one thread. Points of few columns are searched in trees, which
 * is faster: 400,000 points of 3 columns took 25 s of processor time with 256 MiB. The bound for them is ten times as large.
 */
const exactBound = 1e14;
const treeBound = 1e15;

/** The settings of the approximate search of a recipe, or null if it is exact. */
function approximationOf({ size, cols }: StoredPoints, recipe: StoredRecipe): Approximation | null {
  const { search = 'auto', recall = defaultRecall, seed = 0 } = recipe;
  const bound = cols <= treeColumns ? treeBound : exactBound;
  const isExact = search === 'auto' ? size * size * (cols + 50) < bound : search === 'exact';
  return isExact ? null : { recall, seed };
}

/**
 * Builds the graph of the points in a .npy file and stores it in a folder. Blocks of points are compared with blocks, entries
 * are sorted into buckets on disk, and each bucket is made symmetric in memory. An exact search gives the bits of `buildGraph`
 * where that is exact too; an approximate one gives the same bits for the same seed, and the header states its recall. The
 * neighbors of each block are kept in the folder until the graph is complete: a call after a kill continues there, with the
 * same points and options. Options that need all points at once are refused.
 */
export async function buildStoredGraph(path: string, folder: string, recipe: StoredRecipe): Promise<StoredGraphHeader> {
  return withPoints(path, folder, recipe, async (points, memory) => {
    checkApart(caller, 'folder', folder, path);
    if (isLeftOver(folder)) {
      openSearch(points, folder, recipe, approximationOf(points, recipe), memory); // refuses the graph of another build
      return finishLeftOver(folder);
    }
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
  try {
    checkNeighbors(points, resolveNeighborhood(recipe));
    recipe.signal?.throwIfAborted();
    return await use(points, memory);
  } finally {
    points.close();
  }
}

/** Which blocks of a build one process searches: part `index` of `count`. */
export interface BuildPart {
  readonly index: number;
  readonly count: number;
}

/** Refuses what `buildStoredGraph` refuses, before anything is built. Returns the number of points, and whether they have cells. */
export function checkBuild(path: string, recipe: StoredRecipe): Promise<{ size: number; hasCells: boolean }> {
  return withPoints(path, '', recipe, async (points) => ({
    size: points.size,
    hasCells: approximationOf(points, recipe) !== null,
  }));
}

/** The cells of an approximate search in the folder `pieces`, before the parts are searched. Returns the names of their files. */
export function preparePieces(path: string, pieces: string, recipe: StoredRecipe, parts: number): Promise<string[]> {
  return withPoints(path, pieces, recipe, async (points, memory) => {
    const search = openParts(points, pieces, recipe, memory, parts);
    await runWithin(prepareCellsSteps(points, search), memory, recipe);
    return [...cellFiles];
  });
}

/**
 * The search of `buildStoredGraph` for a part of the blocks, each of which has at most the rows that a part has. Neighbors
 * are files in the folder `pieces`, which several processes may fill. Returns the names of those of this part.
 */
export function searchPart(path: string, pieces: string, recipe: StoredRecipe, part: BuildPart): Promise<string[]> {
  return withPoints(path, pieces, recipe, async (points, memory) => {
    const blocks = openBlocks(points, openParts(points, pieces, recipe, memory, part.count));
    try {
      const [from, to] = [part.index, part.index + 1].map((i) => Math.floor((blocks.count * i) / part.count));
      await runWithin(searchSteps(blocks, from, to), memory, recipe);
      return Array.from({ length: to - from }, (_, b) => neighborFile(from + b));
    } finally {
      blocks.close();
    }
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
    const blocks = openBlocks(points, openParts(points, pieces, recipe, memory, parts));
    const work = openWorkFolder(caller, folder);
    try {
      return await runWithin(assembleSteps(blocks, folder, recipe, memory), memory, recipe);
    } finally {
      work.release();
      blocks.close();
    }
  });
}

/** The search of a folder that several processes fill, each with some of the parts. */
function openParts(points: StoredPoints, pieces: string, recipe: StoredRecipe, memory: number, parts: number) {
  return openSearch(points, pieces, recipe, approximationOf(points, recipe), memory, rowsOfPart(points, parts));
}

/** A multiple of 256, so that kernels that take several rows at a time divide a part as they do all rows. */
function rowsOfPart({ size }: StoredPoints, count: number): number {
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
    return await runWithin(buildSteps(points, folder, recipe, memory), memory, recipe);
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
  const search = openSearch(points, folder, recipe, approximationOf(points, recipe), memory);
  const begin = search.approximation ? cellShare : 0;
  yield* subtask(prepareCellsSteps(points, search), 0, begin);
  const blocks = openBlocks(points, search);
  try {
    yield* subtask(searchSteps(blocks, 0, blocks.count), begin, searchShare);
    const header = yield* subtask(assembleSteps(blocks, folder, recipe, memory), searchShare, 1);
    blocks.files.remove();
    return header;
  } finally {
    blocks.close();
  }
}

/** Refuses what needs all points or all distances at once. */
function checkRecipe(recipe: StoredRecipe): void {
  const refuse = (rule: string, got: string): never => {
    throw badValue(caller, rule, got, 'buildGraph and storeGraph do so in memory.');
  };
  if (recipe.method !== undefined && recipe.method !== 'auto')
    refuse("method 'auto', and search 'exact' or 'approximate'", `'${recipe.method}'`);
  checkRecall(recipe);
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

function checkRecall({ search, recall }: StoredRecipe): void {
  if (recall === undefined) return;
  if (!(recall > 0 && recall <= 1)) throw badValue(caller, 'recall above 0 and at most 1', recall);
  if (search === 'exact')
    throw badValue(caller, "recall with search 'auto' or 'approximate'", "'exact'", 'Omit recall.');
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
