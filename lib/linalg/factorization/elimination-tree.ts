/** The elimination tree of a symmetric matrix in a given order, and the number of entries of each column of its factor. */

import type { Pattern } from './pattern.ts';

/** The cost of elimination in an order, known before any number is computed. */
export interface EliminationTree {
  /** The nodes in the order of elimination: a postorder of the tree. */
  readonly order: Int32Array;
  /** The place of each node in the order. */
  readonly places: Int32Array;
  /** The parent of each column: the row of the first entry below its diagonal. −1 for a root. */
  readonly parents: Int32Array;
  /** The entries of the matrix below its diagonal. */
  readonly below: LowerEntries;
  /** The number of entries of each column of the factor, the diagonal included. */
  readonly counts: Int32Array;
}

/** The entries of a symmetric matrix below its diagonal, column by column in the order of elimination. */
export interface LowerEntries {
  /** Those of column j are at starts[j] … starts[j+1]−1. */
  readonly starts: Int32Array;
  readonly rows: Int32Array;
  /** Where each entry is in the pattern. */
  readonly sources: Int32Array;
}

/** The tree of a matrix whose nodes are eliminated in this order, or in an equivalent one in which subtrees are contiguous. */
export function eliminationTree(pattern: Pattern, order: Int32Array): EliminationTree {
  const loose = findParents(pattern, order, invert(order));
  const sorted = postorder(loose);
  const places = invert(sorted);
  const arranged = sorted.map((column) => order[column]);
  const parents = new Int32Array(order.length);
  for (let j = 0; j < parents.length; j++) parents[j] = loose[sorted[j]] < 0 ? -1 : places[loose[sorted[j]]];
  const tree = { order: arranged, places: invert(arranged), parents };
  const below = lowerEntries(pattern, tree);
  return { ...tree, below, counts: countEntries(below, parents) };
}

function lowerEntries(
  { size, starts, columns }: Pattern,
  { order, places }: Pick<EliminationTree, 'order' | 'places'>,
): LowerEntries {
  const ends = new Int32Array(size + 1);
  const [rows, sources] = [new Int32Array(columns.length), new Int32Array(columns.length)];
  let end = 0;
  for (let j = 0; j < size; j++) {
    for (let e = starts[order[j]]; e < starts[order[j] + 1]; e++) {
      const i = places[columns[e]];
      if (i <= j) continue;
      rows[end] = i;
      sources[end++] = e;
    }
    ends[j + 1] = end;
  }
  return { starts: ends, rows: rows.slice(0, end), sources: sources.slice(0, end) };
}

/** The inverse of a permutation. */
export function invert(order: Int32Array): Int32Array {
  const places = new Int32Array(order.length);
  for (let i = 0; i < order.length; i++) places[order[i]] = i;
  return places;
}

/** Liu's algorithm: every entry (i, k) with k < i makes i an ancestor of k. Shortcuts to ancestors keep the paths short. */
function findParents({ starts, columns }: Pattern, order: Int32Array, places: Int32Array): Int32Array {
  const parents = new Int32Array(order.length).fill(-1);
  const ancestors = new Int32Array(order.length).fill(-1);
  for (let i = 0; i < order.length; i++) {
    for (let e = starts[order[i]]; e < starts[order[i] + 1]; e++) {
      for (let k = places[columns[e]]; k >= 0 && k < i;) {
        const next = ancestors[k];
        ancestors[k] = i;
        if (next < 0) parents[k] = i;
        k = next;
      }
    }
  }
  return parents;
}

/** The columns so that each comes after its descendants, which are contiguous. Children keep their order. */
function postorder(parents: Int32Array): Int32Array {
  const size = parents.length;
  const firstChild = new Int32Array(size + 1).fill(-1);
  const nextSibling = new Int32Array(size).fill(-1);
  // Roots are children of node `size`.
  for (let j = size - 1; j >= 0; j--) {
    const parent = parents[j] < 0 ? size : parents[j];
    nextSibling[j] = firstChild[parent];
    firstChild[parent] = j;
  }
  const sorted = new Int32Array(size);
  const path = new Int32Array(size + 1);
  let [depth, end] = [0, 0];
  path[0] = size;
  while (depth >= 0) {
    const node = path[depth];
    const child = firstChild[node];
    if (child >= 0) {
      firstChild[node] = nextSibling[child];
      path[++depth] = child;
    } else {
      if (node < size) sorted[end++] = node;
      depth--;
    }
  }
  return sorted;
}

/**
 * The algorithm of Gilbert, Ng and Peyton (1994). Row i of the factor is a subtree of the tree with root i, whose leaves are among
 * the entries of row i of the matrix. Column j is a leaf if the subtree of j contains no leaf that was met before. A column has as
 * many entries as it is in row subtrees: leaves count up at j, and two adjacent leaves down at their least common ancestor.
 */
function countEntries({ starts, rows }: LowerEntries, parents: Int32Array): Int32Array {
  const size = parents.length;
  const counts = new Int32Array(size);
  /** The first column of each subtree. */
  const first = new Int32Array(size).fill(-1);
  for (let j = 0; j < size; j++) {
    counts[j] = first[j] < 0 ? 1 : 0;
    for (let k = j; k >= 0 && first[k] < 0; k = parents[k]) first[k] = j;
  }
  const lastLeaf = new Int32Array(size).fill(-1);
  const largestFirst = new Int32Array(size).fill(-1);
  const sets = new Int32Array(size).map((_, i) => i);
  for (let j = 0; j < size; j++) {
    const parent = parents[j];
    if (parent >= 0) counts[parent]--;
    for (let e = starts[j]; e < starts[j + 1]; e++) {
      const i = rows[e];
      if (first[j] <= largestFirst[i]) continue;
      largestFirst[i] = first[j];
      counts[j]++;
      const before = lastLeaf[i];
      lastLeaf[i] = j;
      if (before < 0) continue;
      let ancestor = before;
      while (ancestor !== sets[ancestor]) ancestor = sets[ancestor];
      for (let k = before; k !== ancestor;) {
        const next = sets[k];
        sets[k] = ancestor;
        k = next;
      }
      counts[ancestor]--;
    }
    if (parent >= 0) sets[j] = parent;
  }
  for (let j = 0; j < size; j++) if (parents[j] >= 0) counts[parents[j]] += counts[j];
  return counts;
}
