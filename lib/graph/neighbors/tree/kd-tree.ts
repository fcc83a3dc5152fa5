/** A k-d tree in typed arrays, for points of few coordinates. */

import { allocateIndices } from '../../../sparse/indices.ts';
import { allocate, type Tensor } from '../../../tensor/tensor.ts';
import type { Task } from '../../../core/task.ts';

/**
 * Node 1 is the root, nodes 2v and 2v+1 are the halves of node v, and the nodes from `leaves` on are the leaves.
 * Node v holds the points at places starts[v] … ends[v]−1; a leaf ends where the next one starts.
 */
export interface KdTree {
  readonly size: number;
  readonly dimension: number;
  /** In the order of places, in Float64. */
  readonly points: Float64Array;
  /** order[place] is the row the point came from. */
  readonly order: Int32Array;
  readonly leaves: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** The smallest row of each node, by which ties are broken without descending. */
  readonly lowest: Int32Array;
  /** Node v's tight box: its lows at 2·dimension·v, its highs behind them. */
  readonly boxes: Float64Array;
}

/** The largest number of columns for a tree: of uniform points all pairs take the same time at 8 columns and n = 20,000. */
export const treeColumns = 8;
/** A bound of the depth: the bits of an Int32, and one for the root. */
export const deepest = 32;
/** The largest number of points in a leaf. From 8 to 24 the time for 16 neighbors in two or three dimensions hardly differs. */
export const leafSize = 16;

/** Splits each node at the median of its widest side. O(n·d·log n); 8·n·d + 4·n bytes and about as much for the boxes. */
export function* growTreeSteps(points: Tensor): Task<KdTree> {
  const tree = plantTree(points);
  tree.points.set(points.data);
  for (let i = 0; i < tree.size; i++) tree.order[i] = i;
  const levels = Math.log2(tree.leaves) + 1;
  for (let node = 1; node < 2 * tree.leaves; node++) {
    enclose(tree, node);
    if (node >= tree.leaves) continue;
    const middle = halve(tree, node);
    bringToPlace(tree, widestSide(tree, node), middle, tree.starts[node], tree.ends[node] - 1);
    if (node % 64 < 2) yield Math.log2(node) / levels;
  }
  return tree;
}

/** A tree without points, boxes and nodes other than the root. */
function plantTree({ rows: size, cols: dimension }: Tensor): KdTree {
  let leaves = 1;
  while (Math.ceil(size / leaves) > leafSize) leaves *= 2;
  const tree: KdTree = {
    size,
    dimension,
    points: allocate(size * dimension, 'double'),
    order: allocateIndices(size),
    leaves,
    starts: allocateIndices(2 * leaves + 1),
    ends: new Int32Array(2 * leaves),
    lowest: allocateIndices(2 * leaves),
    boxes: allocate(4 * dimension * leaves, 'double'),
  };
  tree.starts[2 * leaves] = size;
  tree.ends[1] = size;
  return tree;
}

/** Gives the halves of a node their places. Returns where the second one starts. */
function halve({ starts, ends }: KdTree, node: number): number {
  const middle = (starts[node] + ends[node]) >>> 1;
  starts[2 * node] = starts[node];
  ends[2 * node] = starts[2 * node + 1] = middle;
  ends[2 * node + 1] = ends[node];
  return middle;
}

/** Computes the box and the lowest row of a node. */
function enclose({ dimension, points, order, starts, ends, lowest, boxes }: KdTree, node: number): void {
  const low = 2 * dimension * node;
  const [start, end] = [starts[node], ends[node]];
  let first = 0x7fffffff;
  for (let place = start; place < end; place++) if (order[place] < first) first = order[place];
  lowest[node] = first;
  for (let p = 0; p < dimension; p++) {
    let least = Infinity;
    let most = -Infinity;
    for (let at = start * dimension + p; at < end * dimension; at += dimension) {
      const value = points[at];
      if (value < least) least = value;
      if (value > most) most = value;
    }
    boxes[low + p] = least;
    boxes[low + dimension + p] = most;
  }
}

function widestSide({ dimension, boxes }: KdTree, node: number): number {
  const low = 2 * dimension * node;
  let side = 0;
  for (let p = 1; p < dimension; p++) {
    if (boxes[low + dimension + p] - boxes[low + p] > boxes[low + dimension + side] - boxes[low + side]) side = p;
  }
  return side;
}

/**
 * Selects: reorders places left … right so that the point at `place` is the one that sorting by coordinate `side` would put
 * there, none before it is larger and none after it smaller (Floyd & Rivest 1975). Linear on
 * average, also with repeated values.
 */
function bringToPlace(tree: KdTree, side: number, place: number, left: number, right: number): void {
  const { points, dimension } = tree;
  while (right > left) {
    if (right - left > 600) {
      const n = right - left + 1;
      const m = place - left + 1;
      const z = Math.log(n);
      const s = 0.5 * Math.exp((2 * z) / 3);
      const sd = 0.5 * Math.sqrt((z * s * (n - s)) / n) * (m - n / 2 < 0 ? -1 : 1);
      const newLeft = Math.max(left, Math.floor(place - (m * s) / n + sd));
      const newRight = Math.min(right, Math.floor(place + ((n - m) * s) / n + sd));
      bringToPlace(tree, side, place, newLeft, newRight);
    }
    const pivot = points[place * dimension + side];
    let i = left;
    let j = right;
    swap(tree, left, place);
    if (points[right * dimension + side] > pivot) swap(tree, left, right);
    while (i < j) {
      swap(tree, i, j);
      i++;
      j--;
      while (points[i * dimension + side] < pivot) i++;
      while (points[j * dimension + side] > pivot) j--;
    }
    if (points[left * dimension + side] === pivot) {
      swap(tree, left, j);
    } else {
      j++;
      swap(tree, j, right);
    }
    if (j <= place) left = j + 1;
    if (place <= j) right = j - 1;
  }
}

function swap({ points, order, dimension }: KdTree, a: number, b: number): void {
  const row = order[a];
  order[a] = order[b];
  order[b] = row;
  for (let p = 0, i = a * dimension, j = b * dimension; p < dimension; p++, i++, j++) {
    const value = points[i];
    points[i] = points[j];
    points[j] = value;
  }
}
