/** The nearest points of queries and all points whose reach includes a query, by one pass over a k-d tree. */

import type { Task } from '../../../core/task.ts';
import { noIndex } from '../../../kernels/nearest/heap.ts';
import { leafSlots, stackLength } from '../../../kernels/nearest/kd-reach.ts';
import { allocateIndices } from '../../../sparse/indices.ts';
import { allocate, type Tensor } from '../../../tensor/tensor.ts';
import { reachKernels } from '../../../wasm/families.ts';
import { HitList, type RadiusRows, sortRows } from '../hit-list.ts';
import type { NeighborRows } from '../neighbor-rows.ts';
import { growTreeSteps, type KdTree } from './kd-tree.ts';

/** Searches between two yields: some milliseconds. */
const stride = 1024;
/** Room for the points within whose reach a query is, for all queries of a call, at most. */
const mostNumbers = 2 ** 20;

/** The coordinates of empty slots: their distance is infinite in single precision. */
const farAway = 1e200;

/** A k-d tree with the reaches of its points, in the layout of the kernel `kdReach`. */
export interface ReachTree {
  readonly dimension: number;
  readonly leaves: number;
  readonly rows: Int32Array;
  readonly lowest: Int32Array;
  readonly columns: Float64Array;
  readonly pairs: Float64Array;
}

/** The tree of points that reach so far, squared, in the order of rows. The order of the points in a tree may be known. */
export function* reachTreeSteps(
  points: Tensor,
  order: Int32Array | undefined,
  squaredReaches: Float32Array,
): Task<ReachTree> {
  return orderedReachTree(points, order ?? (yield* growTreeSteps(points)).order, squaredReaches);
}

/**
 * The same for points in this order, in O(n·d). Any permutation but that of a k-d tree of the points gives slower searches, with
 * the same results.
 */
function orderedReachTree(points: Tensor, order: Int32Array, squaredReaches: Float32Array): ReachTree {
  const { rows: size, cols: dimension, data } = points;
  let leaves = 1;
  while (Math.ceil(size / leaves) > leafSlots) leaves *= 2;
  const starts = placesOf(size, leaves);
  const rows = allocateIndices(leaves * leafSlots);
  const lowest = allocateIndices(2 * leaves);
  const columns = allocate(leaves * leafSlots * (dimension + 1), 'double');
  const longest = new Float32Array(2 * leaves);
  const boxes = new Float64Array(4 * dimension * leaves);
  const [leaf, reaches] = [new Int32Array(leafSlots), new Float32Array(leafSlots)];
  for (let node = leaves; node < 2 * leaves; node++) {
    const first = (node - leaves) * leafSlots;
    const count = byReach(order, starts[node], starts[node + 1], squaredReaches, leaf, reaches);
    let least = noIndex;
    for (let slot = 0; slot < leafSlots; slot++) {
      const row = slot < count ? leaf[slot] : noIndex;
      rows[first + slot] = row;
      if (row < least) least = row;
    }
    lowest[node] = least;
    longest[node] = reaches[0];
    const low = 2 * dimension * node;
    let at = first * (dimension + 1);
    for (let p = 0; p < dimension; p++, at += leafSlots) {
      let [lower, upper] = [Infinity, -Infinity];
      for (let slot = 0; slot < count; slot++) {
        const value = data[leaf[slot] * dimension + p];
        columns[at + slot] = value;
        if (value < lower) lower = value;
        if (value > upper) upper = value;
      }
      for (let slot = count; slot < leafSlots; slot++) columns[at + slot] = farAway;
      boxes[low + p] = lower;
      boxes[low + dimension + p] = upper;
    }
    for (let slot = 0; slot < count; slot++) columns[at + slot] = reaches[slot];
  }
  const pairs = uniteHalves(leaves, dimension, boxes, lowest, longest);
  return { dimension, leaves, rows, lowest, columns, pairs };
}

/** Where the places of each leaf start, at the number of its node, if every node is halved; and their end. */
function placesOf(size: number, leaves: number): Int32Array {
  const starts = new Int32Array(2 * leaves + 1);
  const ends = new Int32Array(2 * leaves);
  ends[1] = starts[2 * leaves] = size;
  for (let node = 1; node < leaves; node++) {
    const middle = (starts[node] + ends[node]) >>> 1;
    starts[2 * node] = starts[node];
    ends[2 * node] = starts[2 * node + 1] = middle;
    ends[2 * node + 1] = ends[node];
  }
  return starts;
}

/** The pairs of boxes, lows before highs, of halves, and the boxes, lowest rows and longest reaches of their nodes. */
function uniteHalves(
  leaves: number,
  dimension: number,
  boxes: Float64Array,
  lowest: Int32Array,
  longest: Float32Array,
): Float64Array {
  const side = 2 * dimension;
  const pairs = allocate(leaves * (2 * side + 2), 'double');
  for (let node = leaves - 1; node > 0; node--) {
    const [left, right] = [2 * node, 2 * node + 1];
    let at = node * (2 * side + 2);
    for (let p = node * side, a = left * side, b = right * side, end = p + dimension; p < end; p++, a++, b++, at += 4) {
      const [low, otherLow, high, otherHigh] = [boxes[a], boxes[b], boxes[a + dimension], boxes[b + dimension]];
      pairs[at] = low;
      pairs[at + 1] = otherLow;
      pairs[at + 2] = high;
      pairs[at + 3] = otherHigh;
      boxes[p] = low < otherLow ? low : otherLow;
      boxes[p + dimension] = high > otherHigh ? high : otherHigh;
    }
    pairs[at] = longest[left];
    pairs[at + 1] = longest[right];
    longest[node] = Math.max(longest[left], longest[right]);
    lowest[node] = Math.min(lowest[left], lowest[right]);
  }
  return pairs;
}

/** Writes the rows at places start … end−1 and their reaches, in descending order of these. Returns how many. */
function byReach(
  order: Int32Array,
  start: number,
  end: number,
  squaredReaches: Float32Array,
  rows: Int32Array,
  reaches: Float32Array,
): number {
  for (let place = start; place < end; place++) {
    const row = order[place];
    const reach = squaredReaches[row];
    let at = place - start;
    for (; at > 0 && reaches[at - 1] < reach; at--) {
      rows[at] = rows[at - 1];
      reaches[at] = reaches[at - 1];
    }
    rows[at] = row;
    reaches[at] = reach;
  }
  return end - start;
}

/**
 * Writes the out.count nearest points of `tree` for every point of `visitors` to its row, and returns the points y with
 * ‖x − y‖² ≤ reach(y) for every x of `visitors`, in the norm of `power`.
 */
export function* nearestAndReachedInTreeSteps(
  caller: string,
  tree: ReachTree,
  visitors: KdTree,
  power: number,
  out: NeighborRows,
): Task<RadiusRows> {
  const reached = new HitList(caller);
  const keep = (queries: Int32Array, room: Room): void => keepFound(queries, room, out, reached);
  yield* searchReachTreeSteps(tree, visitors, power, out.count, usualHits(tree.dimension), keep);
  const sorted = reached.byRows(visitors.size);
  sortRows(sorted);
  return sorted;
}

/**
 * Searches for the `count` nearest points of all visitors and for the points within whose reach they are, and calls `keep` with
 * the rows of some visitors and what was found for them. Visitors are searched in the order of their tree, so that one search
 * finds in the cache what the last one loaded. There is room for `usual` hits at first; a search that has more is repeated.
 */
export function* searchReachTreeSteps(
  { dimension, leaves, rows, lowest, columns, pairs }: ReachTree,
  visitors: KdTree,
  power: number,
  count: number,
  usual: number,
  keep: (queries: Int32Array, room: Room) => void,
): Task<void> {
  let room = roomFor(count, usual);
  for (let start = 0, end = 0; start < visitors.size; start = end) {
    end = Math.min(start + room.visitors, visitors.size);
    const counts = [start, end, count, dimension, leaves, room.hits, power] as const;
    const found = [room.indices, room.distances, room.reached, room.reachedDistances, room.stack] as const;
    reachKernels().kdReach(...counts, rows, lowest, columns, pairs, visitors.points, ...found);
    const most = mostHits(end - start, room.hits, room.reached);
    if (most > room.hits) {
      room = roomFor(count, most);
      end = start;
    } else keep(visitors.order.subarray(start, end), room);
    yield start / visitors.size;
  }
}

/** Arrays for what one call of the kernel finds, in its layout. */
export interface Room {
  /** The number of queries in a call. */
  readonly visitors: number;
  /** The number of points within whose reach a query may be. */
  readonly hits: number;
  readonly indices: Int32Array;
  readonly distances: Float32Array;
  readonly reached: Int32Array;
  readonly reachedDistances: Float32Array;
  readonly stack: Float64Array;
}

/** Room for this many points within whose reach a query is, at first. The more columns, the more hubs there are. */
function usualHits(dimension: number): number {
  return 32 + 16 * dimension;
}

/** The number of visitors in a call, if each has room for `hits` hits. */
export function visitorsFor(hits: number): number {
  return Math.max(1, Math.min(stride, Math.floor(mostNumbers / (hits + 1))));
}

function roomFor(count: number, hits: number): Room {
  const visitors = visitorsFor(hits);
  return {
    visitors,
    hits,
    indices: allocateIndices(visitors * count),
    distances: allocate(visitors * count, 'single'),
    reached: allocateIndices(visitors * (hits + 1)),
    reachedDistances: allocate(visitors * (hits + 1), 'single'),
    stack: allocate(visitors * stackLength, 'double'),
  };
}

/** The most points within whose reach one of the queries is. */
export function mostHits(queries: number, hits: number, reached: Int32Array): number {
  let most = 0;
  for (let i = 0; i < queries; i++) most = Math.max(most, reached[i * (hits + 1)]);
  return most;
}

/** Copies what was found for the queries of these rows. */
function keepFound(queries: Int32Array, room: Room, out: NeighborRows, to: HitList): void {
  const { hits, indices, distances, reached, reachedDistances } = room;
  for (let i = 0, from = 0; i < queries.length; i++) {
    const row = queries[i];
    for (let k = 0, at = row * out.stride; k < out.count; k++, at++, from++) {
      out.indices[at] = indices[from];
      out.squaredDistances[at] = distances[from];
    }
    const first = i * (hits + 1);
    const end = first + reached[first];
    to.makeRoom(end - first);
    for (let e = first + 1; e <= end; e++) to.add(row, reached[e], reachedDistances[e]);
  }
}
