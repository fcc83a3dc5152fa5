/** Approximate nearest neighbors by NN-descent: neighbors of neighbors are likely to be neighbors. */

import { Random, type Seed } from '../../../core/random.ts';
import { takePoints } from '../../../sparse/points.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { NeighborRows } from '../neighbor-rows.ts';
import { CandidateLists } from './candidate-lists.ts';
import { LocalJoins } from './local-join.ts';
import { NeighborHeaps } from './neighbor-heaps.ts';
import { subtask, type Task } from '../../../core/task.ts';
import { asGiven, type RoughPoints, withFewerColumns } from '../blocks/fewer-columns.ts';
import { denseInSingle, squaredDistance } from '../points.ts';
import { projectionGroups } from './projection-tree.ts';
import { rerankSteps } from '../blocks/rerank.ts';

/** Chosen on MNIST and Fashion-MNIST, 60,000 points and 15 neighbors. */
const settings = {
  /** Neighbors tracked beyond those asked for. A wider list gets stuck less often. */
  extraWidth: 9,
  trees: 4,
  groupSize: 128,
  /** The largest number of new candidates, and of old ones, of a point in a round. */
  candidates: 20,
  rounds: 12,
  /** The last round leaves fewer than this fraction of all neighbors new. */
  enough: 0.005,
};

/**
 * NN-descent (Dong, Moses & Li 2011), started from random projection trees. The distances written are exact. Some of the
 * nearest may be missed; `measureRecallSteps` tells how many.
 */
export function* descendToNeighborsSteps(points: Tensor, power: number, seed: Seed, out: NeighborRows): Task<void> {
  const random = new Random(seed).fork('nearest neighbours');
  const { points: given, error } = denseInSingle(points);
  // A rotation keeps Euclidean distances only.
  const rough = power === 2 ? withFewerColumns(given, random.fork('columns')) : asGiven(given);
  const width = Math.min(out.count + settings.extraWidth, points.rows - 1);
  const groupSize = Math.min(points.rows, Math.max(settings.groupSize, width + 1));
  // Neighbors get numbers near each other, so that the cache holds for one point what was loaded for the last.
  const order = yield* subtask(orderByTreeSteps(rough.points, groupSize, random.fork('order')), 0, 0.1);
  const ordered = takeRough(rough, order);
  const heaps = new NeighborHeaps(points.rows, width);
  yield* subtask(plantTreesSteps(ordered, power, groupSize, heaps, random.fork('trees')), 0.1, 0.3);
  fillUp(ordered, power, heaps, random.fork('strangers'));
  yield* subtask(descendSteps(ordered, power, heaps, random.fork('rounds')), 0.3, 0.97);
  const exact = error === 0 ? given : points;
  const candidates = candidatesOf(heaps, order);
  yield* subtask(rerankSteps(exact, exact, width, candidates, out, power), 0.97, 1);
}

/** The points in the order of the groups of a projection tree. */
function* orderByTreeSteps(points: Tensor, groupSize: number, random: Random): Task<Int32Array> {
  const order = new Int32Array(points.rows);
  let done = 0;
  for (const group of projectionGroups(points, groupSize, random)) {
    order.set(group, done);
    done += group.length;
    yield done / points.rows;
  }
  return order;
}

function takeRough({ points, surplus }: RoughPoints, order: Int32Array): RoughPoints {
  return { points: takePoints(points, order) as Tensor, surplus: Float32Array.from(order, (row) => surplus[row]) };
}

/** The neighbors in the heaps, of points in the order of `order`, by their rows. */
function candidatesOf({ width, indices: tagged }: NeighborHeaps, order: Int32Array): Int32Array {
  const candidates = new Int32Array(tagged.length);
  for (let k = 0; k < order.length; k++) {
    for (let t = 0; t < width; t++) candidates[order[k] * width + t] = order[tagged[k * width + t] >> 1];
  }
  return candidates;
}

/** Joins the points in each group of every projection tree. */
function* plantTreesSteps(
  rough: RoughPoints,
  power: number,
  groupSize: number,
  heaps: NeighborHeaps,
  random: Random,
): Task<void> {
  const { rows } = rough.points;
  const joins = new LocalJoins(rough, power, groupSize, groupSize, heaps);
  const trees = rows <= groupSize ? 1 : settings.trees;
  for (let tree = 0; tree < trees; tree++) {
    let done = 0;
    for (const group of projectionGroups(rough.points, groupSize, random)) {
      joins.members.set(group, joins.base);
      joins.add(group.length, group.length);
      done += group.length;
      yield (tree + done / rows) / trees;
    }
  }
  joins.finish();
}

/** Fills the lists of points that were only in small groups with random points. */
function fillUp({ points, surplus }: RoughPoints, power: number, heaps: NeighborHeaps, random: Random): void {
  const { rows } = points;
  for (let i = 0; i < rows; i++) {
    while (!heaps.isFull(i)) {
      const stranger = random.integer(rows);
      if (stranger === i) continue;
      const distance = squaredDistance(points, i, points, stranger, power) + surplus[i] + surplus[stranger];
      heaps.offer(i, stranger, Math.fround(distance));
    }
  }
}

/** Rounds of local joins among the neighbors of each point, without pairs that were compared before. */
function* descendSteps(rough: RoughPoints, power: number, heaps: NeighborHeaps, random: Random): Task<void> {
  const { candidates, rounds } = settings;
  const { rows } = rough.points;
  const news = new CandidateLists(rows, candidates);
  const olds = new CandidateLists(rows, candidates);
  const joins = new LocalJoins(rough, power, 2 * candidates, candidates, heaps);
  for (let round = 0; round < rounds; round++) {
    yield* subtask(chooseCandidatesSteps(rows, heaps, news, olds, random), round / rounds, round / rounds);
    for (let i = 0; i < rows; i++) {
      const fresh = news.read(i, joins.members, joins.base);
      if (fresh > 0) joins.add(fresh, fresh + olds.read(i, joins.members, joins.base + fresh));
      if (i % 16 === 0) yield (round + i / rows) / rounds;
    }
    joins.finish();
    if (heaps.newFraction() < settings.enough) return;
  }
}

/**
 * Samples candidates from the neighbors of each point and the points it is a neighbor of. New neighbors that are sampled are
 * no longer new.
 */
function* chooseCandidatesSteps(
  points: number,
  { width, indices: tagged }: NeighborHeaps,
  news: CandidateLists,
  olds: CandidateLists,
  random: Random,
): Task<void> {
  news.clear();
  olds.clear();
  for (let i = 0, at = 0; i < points; i++) {
    for (let k = 0; k < width; k++, at++) {
      const lists = (tagged[at] & 1) === 1 ? news : olds;
      lists.add(i, tagged[at] >> 1, random);
      lists.add(tagged[at] >> 1, i, random);
    }
    if (i % 256 === 0) yield i / points;
  }
  for (let i = 0, at = 0; i < points; i++) {
    for (let k = 0; k < width; k++, at++) if (news.has(i, tagged[at] >> 1)) tagged[at] &= ~1;
  }
}
