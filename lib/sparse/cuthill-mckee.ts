/** Which order of the nodes keeps neighbours near each other in memory? */

import { badValue } from '../core/check.ts';
import { visit } from '../kernels/batch/batch.ts';
import type { CsrMatrix } from './csr.ts';
import { checkSquare, forEachPair } from './inspect.ts';
import { orderByKey } from '../kernels/batch/counting-sort.ts';

/**
 * Reverse Cuthill-McKee: the nodes breadth first, neighbours of low degree first, backwards. Starts every component at
 * a node that is nearly as far out as any (George & Liu), so that levels are many and narrow. The pattern must be
 * symmetric. Linear: neighbours are sorted by degree by dealing out the nodes in that order.
 */
export function reverseCuthillMcKee(matrix: CsrMatrix): Int32Array {
  const caller = 'reverseCuthillMcKee';
  checkSquare(caller, matrix);
  forEachPair(matrix, (_a, _b, row, _j, bothStored) => {
    if (bothStored) return;
    const got = `row ${row} and column ${row} that differ`;
    throw badValue(caller, 'a symmetric pattern', got, 'Pass symmetrize(matrix).');
  });
  const { rows: n, starts, columns } = matrix;
  const degree = (node: number): number => starts[node + 1] - starts[node];
  const byDegree = orderByKey(
    Int32Array.from({ length: n }, (_, node) => degree(node)),
    n + 1,
  );
  /** The columns of every row by the degree of the node they name. */
  const neighbors = new Int32Array(columns.length);
  const next = new Int32Array(starts);
  for (const node of byDegree) {
    for (let e = starts[node]; e < starts[node + 1]; e++) neighbors[next[columns[e]]++] = node;
  }

  /** One more, as `visit` wants it. */
  const order = new Int32Array(n + 1);
  /** Not 0 once a node is placed: which search came there last. */
  const marks = new Int32Array(n);
  let mark = 0;
  let end = 0;
  let lastLevel = 0;

  /** Writes the component of `root` to `order`, from place `begin` on, level by level; returns how many levels it has. */
  function search(root: number, begin: number): number {
    marks[root] = ++mark;
    order[begin] = root;
    end = begin + 1;
    let levels = 0;
    for (let at = begin; at < end; levels++) {
      lastLevel = at;
      for (const levelEnd = end; at < levelEnd; at++) {
        end = visit(neighbors, starts[order[at]], starts[order[at] + 1], mark, marks, order, end);
      }
    }
    return levels;
  }

  for (const seed of byDegree) {
    if (marks[seed] > 0) continue;
    const begin = end;
    let depth = search(seed, begin);
    for (let round = 0; round < maxRounds; round++) {
      const farthest = order.subarray(lastLevel, end);
      const reached = search(
        farthest.reduce((best, node) => (degree(node) < degree(best) ? node : best)),
        begin,
      );
      if (reached <= depth) break;
      depth = reached;
    }
  }
  return order.subarray(0, n).toReversed();
}

/** The search for a far node gains depth in each round and mostly ends after two or three; this keeps it linear. */
const maxRounds = 10;
