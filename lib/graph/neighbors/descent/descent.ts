/** Approximate nearest neighbors by NN-descent: neighbors of neighbors are likely to be neighbors. */

import { Random, type Seed } from '../../../core/random.ts';
import { allocateIndices } from '../../../sparse/indices.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { NeighborRows } from '../neighbor-rows.ts';
import { CandidateLists } from './candidate-lists.ts';
import { LocalJoin } from './local-join.ts';
import { NeighborHeaps } from './neighbor-heaps.ts';
import { subtask, type Task } from '../../../core/task.ts';
import { withFewerColumns } from '../blocks/fewer-columns.ts';
import { denseInSingle, squaredDistance } from '../points.ts';
import { projectionGroups } from './projection-tree.ts';
import { rerankSteps } from '../blocks/rerank.ts';

/** Chosen on MNIST, 60,000 points and 15 neighbors. */
const settings = {
  /** Neighbors tracked beyond those asked for. A wider list gets stuck less often. */
  extraWidth: 9,
  trees: 4,
  groupSize: 128,
  /** The largest number of new candidates, and of old ones, of a point in a round. */
  candidates: 20,
  rounds: 12,
  /** A round that changes less than this fraction of all neighbors is the last. */
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
  const single = power === 2 ? withFewerColumns(given, random.fork('columns')) : given;
  const heaps = new NeighborHeaps(points.rows, Math.min(out.count + settings.extraWidth, points.rows - 1));
  const order = yield* subtask(plantTreesSteps(single, power, heaps, random.fork('trees')), 0, 0.3);
  fillUp(single, power, heaps, random.fork('strangers'));
  yield* subtask(descendSteps(single, power, heaps, order, random.fork('rounds')), 0.3, 0.97);
  const candidates = heaps.indices.map((tagged) => tagged >> 1);
  const exact = error === 0 ? given : points;
  yield* subtask(rerankSteps(exact, exact, heaps.width, candidates, out, power), 0.97, 1);
}

/** Joins the points in each group of every projection tree. Returns the points in the order of the last tree's groups. */
function* plantTreesSteps(points: Tensor, power: number, heaps: NeighborHeaps, random: Random): Task<Int32Array> {
  const groupSize = Math.max(settings.groupSize, heaps.width + 1);
  const localJoin = new LocalJoin(points, power, groupSize);
  const trees = points.rows <= groupSize ? 1 : settings.trees;
  const order = new Int32Array(points.rows);
  for (let tree = 0; tree < trees; tree++) {
    let done = 0;
    for (const group of projectionGroups(points, groupSize, random)) {
      localJoin.join(group, group.length, group.length, heaps);
      order.set(group, done);
      done += group.length;
      yield (tree + done / points.rows) / trees;
    }
  }
  return order;
}

/** Fills the lists of points that were only in small groups with random points. */
function fillUp(points: Tensor, power: number, heaps: NeighborHeaps, random: Random): void {
  const { rows } = points;
  for (let i = 0; i < rows; i++) {
    while (!heaps.isFull(i)) {
      const stranger = random.integer(rows);
      if (stranger !== i) heaps.offer(i, stranger, Math.fround(squaredDistance(points, i, points, stranger, power)));
    }
  }
}

/**
 * Rounds of local joins among the neighbors of each point, without pairs that were compared before. Near points follow each
 * other in `order`, so that the cache holds for one what was loaded for the last.
 */
function* descendSteps(
  points: Tensor,
  power: number,
  heaps: NeighborHeaps,
  order: Int32Array,
  random: Random,
): Task<void> {
  const { candidates, rounds } = settings;
  const news = new CandidateLists(points.rows, candidates);
  const olds = new CandidateLists(points.rows, candidates);
  const localJoin = new LocalJoin(points, power, 2 * candidates);
  const members = allocateIndices(2 * candidates);
  for (let round = 0; round < rounds; round++) {
    yield* subtask(chooseCandidatesSteps(points.rows, heaps, news, olds, random), round / rounds, round / rounds);
    let changes = 0;
    for (let k = 0; k < points.rows; k++) {
      const fresh = news.read(order[k], members, 0);
      if (fresh > 0) changes += localJoin.join(members, fresh, olds.read(order[k], members, fresh), heaps);
      if (k % 16 === 0) yield (round + k / points.rows) / rounds;
    }
    if (changes < settings.enough * heaps.indices.length) return;
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
