/** Which points are nearest, probably, when there are too many pairs to look at all? Neighbours of neighbours are. */

import { Random, type Seed } from '../../../core/random.ts';
import { allocateIndices } from '../../../sparse/indices.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { NeighborRows } from '../neighbor-rows.ts';
import { CandidateLists } from './candidate-lists.ts';
import { Meeting, Net } from './net.ts';
import { part, type Work } from '../../../core/pace.ts';
import { withFewerColumns } from '../blocks/fewer-columns.ts';
import { inSingle, squaredDistance } from '../points.ts';
import { projectionGroups } from './projection-tree.ts';
import { settle } from '../blocks/settle.ts';

/** Chosen on MNIST, 60,000 points and 15 neighbours. */
const settings = {
  /** So many neighbours more than asked for are tracked: the wider the net, the less gets stuck. */
  extraWidth: 9,
  trees: 4,
  groupSize: 128,
  /** New and old candidates of one point that meet in a round, each at most. */
  candidates: 20,
  rounds: 12,
  /** A round that changes less than this share of all neighbours is the last. */
  enough: 0.005,
};

/**
 * NN-descent (Dong, Moses & Li 2011) from a start by random projection trees. The distances written are exact; some of
 * the nearest may be missed. `measureRecall` tells how many.
 */
export function* descendToNeighbors(points: Tensor, seed: Seed, out: NeighborRows): Work<void> {
  const random = new Random(seed).fork('nearest neighbours');
  const { points: given, error } = inSingle(points);
  const single = withFewerColumns(given, random.fork('columns'));
  const net = new Net(points.rows, Math.min(out.count + settings.extraWidth, points.rows - 1));
  const order = yield* part(plantTrees(single, net, random.fork('trees')), 0, 0.3);
  fillUp(single, net, random.fork('strangers'));
  yield* part(descend(single, net, order, random.fork('rounds')), 0.3, 0.97);
  const candidates = net.tagged.map((tagged) => tagged >> 1);
  const exact = error === 0 ? given : points;
  yield* part(settle(exact, exact, net.width, candidates, out), 0.97, 1);
}

/** Everyone in a group of a projection tree meets everyone else. Returns the points group by group. */
function* plantTrees(points: Tensor, net: Net, random: Random): Work<Int32Array> {
  const groupSize = Math.max(settings.groupSize, net.width + 1);
  const meeting = new Meeting(points, groupSize);
  const trees = points.rows <= groupSize ? 1 : settings.trees;
  const order = new Int32Array(points.rows);
  for (let tree = 0; tree < trees; tree++) {
    let met = 0;
    for (const group of projectionGroups(points, groupSize, random)) {
      meeting.hold(group, group.length, group.length, net);
      order.set(group, met);
      met += group.length;
      yield (tree + met / points.rows) / trees;
    }
  }
  return order;
}

/** A point that was in small groups only meets strangers, so that its list is full. */
function fillUp(points: Tensor, net: Net, random: Random): void {
  const { rows, cols, data } = points;
  for (let i = 0; i < rows; i++) {
    while (!net.isFull(i)) {
      const stranger = random.integer(rows);
      if (stranger !== i) net.offer(i, stranger, Math.fround(squaredDistance(cols, data, i, data, stranger)));
    }
  }
}

/**
 * Rounds in which the neighbours of each point meet, unless both have been there before. Points are taken in an order
 * that has near ones together: what is fetched from memory for one is then at hand for the next.
 */
function* descend(points: Tensor, net: Net, order: Int32Array, random: Random): Work<void> {
  const { candidates, rounds } = settings;
  const news = new CandidateLists(points.rows, candidates);
  const olds = new CandidateLists(points.rows, candidates);
  const meeting = new Meeting(points, 2 * candidates);
  const members = allocateIndices(2 * candidates);
  for (let round = 0; round < rounds; round++) {
    yield* part(chooseCandidates(points.rows, net, news, olds, random), round / rounds, round / rounds);
    let changes = 0;
    for (let k = 0; k < points.rows; k++) {
      const met = news.read(order[k], members, 0);
      if (met > 0) changes += meeting.hold(members, met, olds.read(order[k], members, met), net);
      if (k % 16 === 0) yield (round + k / points.rows) / rounds;
    }
    if (changes < settings.enough * net.tagged.length) return;
  }
}

/** Neighbours, and those whose neighbour a point is; new ones that are chosen to meet are new no longer. */
function* chooseCandidates(
  points: number,
  { width, tagged }: Net,
  news: CandidateLists,
  olds: CandidateLists,
  random: Random,
): Work<void> {
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
