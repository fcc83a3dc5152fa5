/** Which order of the nodes keeps neighbours near each other in memory? */

import { badValue } from '../core/check.ts';
import { transpose } from './combine.ts';
import type { CsrMatrix } from './csr.ts';
import { checkSquare, firstRowApart } from './inspect.ts';
import { orderByKey } from './turn.ts';

/**
 * Reverse Cuthill-McKee: the nodes breadth first, neighbours of low degree first, backwards. Starts every component at
 * a node that is nearly as far out as any (George & Liu), so that levels are many and narrow. The pattern must be
 * symmetric. Linear: neighbours are sorted by degree by dealing out the nodes in that order.
 */
export function reverseCuthillMcKee(matrix: CsrMatrix): Int32Array {
  const caller = 'reverseCuthillMcKee';
  checkSquare(caller, matrix);
  const row = firstRowApart(matrix, transpose(matrix));
  if (row >= 0) {
    const got = `row ${row} and column ${row} that differ`;
    throw badValue(caller, 'entries at (i, j) and (j, i) alike', got, 'symmetrize(matrix) has both.');
  }
  const search = new LevelSearch(matrix);
  let placed = 0;
  for (const seed of search.byDegree) {
    if (search.isPlaced(seed)) continue;
    let depth = search.run(seed, placed);
    for (let round = 0; round < maxRounds; round++) {
      const reached = search.run(search.slimmestOfLastLevel(), placed);
      if (reached <= depth) break;
      depth = reached;
    }
    placed += search.size;
  }
  return Int32Array.from(search.order, (_, i) => search.order[matrix.rows - 1 - i]);
}

/** The search for a far node gains depth in each round and mostly ends after two or three; this keeps it linear. */
const maxRounds = 10;

/** Breadth-first searches within one component at a time, each overwriting the one before. */
class LevelSearch {
  readonly starts: Int32Array;
  /** The columns of every row by the degree of the node they name. */
  readonly neighbors: Int32Array;
  readonly byDegree: Int32Array;
  readonly order: Int32Array;
  readonly #marks: Int32Array;
  #mark = 0;
  #lastLevel = 0;
  #begin = 0;
  #end = 0;

  constructor(matrix: CsrMatrix) {
    const n = matrix.rows;
    this.starts = matrix.starts;
    const degrees = new Int32Array(n);
    for (let i = 0; i < n; i++) degrees[i] = this.starts[i + 1] - this.starts[i];
    this.byDegree = orderByKey(degrees, n + 1);
    this.neighbors = new Int32Array(matrix.nonzeros);
    const next = new Int32Array(this.starts.subarray(0, n));
    for (const node of this.byDegree) {
      for (let e = this.starts[node]; e < this.starts[node + 1]; e++) {
        this.neighbors[next[matrix.columns[e]]++] = node;
      }
    }
    this.order = new Int32Array(n);
    this.#marks = new Int32Array(n);
  }

  /** The number of nodes the last search reached. */
  get size(): number {
    return this.#end - this.#begin;
  }

  isPlaced(node: number): boolean {
    return this.#marks[node] !== 0;
  }

  /** Writes the component of `root` to `order`, from place `begin` on, level by level; returns how many levels it has. */
  run(root: number, begin: number): number {
    const { starts, neighbors, order } = this;
    const marks = this.#marks;
    const mark = ++this.#mark;
    let end = begin;
    order[end++] = root;
    marks[root] = mark;
    let levels = 0;
    this.#begin = begin;
    for (let at = begin; at < end; levels++) {
      this.#lastLevel = at;
      for (const levelEnd = end; at < levelEnd; at++) {
        for (let e = starts[order[at]]; e < starts[order[at] + 1]; e++) {
          if (marks[neighbors[e]] === mark) continue;
          marks[neighbors[e]] = mark;
          order[end++] = neighbors[e];
        }
      }
    }
    this.#end = end;
    return levels;
  }

  /** Of the nodes farthest from the last root, one of least degree. */
  slimmestOfLastLevel(): number {
    let best = this.order[this.#lastLevel];
    for (let at = this.#lastLevel + 1; at < this.#end; at++) {
      const node = this.order[at];
      if (this.#degree(node) < this.#degree(best)) best = node;
    }
    return best;
  }

  #degree(node: number): number {
    return this.starts[node + 1] - this.starts[node];
  }
}
