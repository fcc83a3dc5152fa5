/** The reverse Cuthill-McKee order of the nodes, which keeps neighbors close in memory. */

import { badValue } from '../core/check.ts';
import { visit } from '../kernels/batch/slice.ts';
import type { CsrMatrix } from './csr.ts';
import { checkSquare, forEachPair } from './inspect.ts';
import { orderByKey } from '../kernels/batch/counting-sort.ts';

/**
 * Reverse Cuthill-McKee: breadth-first order with neighbors of low degree first, reversed. Each component starts at a
 * pseudo-peripheral node (George & Liu), so that levels are many and narrow. The pattern must be symmetric. Linear time:
 * a counting sort orders all neighbor lists by degree.
 */
export function reverseCuthillMcKee(matrix: CsrMatrix): Int32Array {
  const caller = 'reverseCuthillMcKee';
  checkSquare(caller, matrix);
  forEachPair(matrix, (_a, _b, row, _j, bothStored) => {
    if (bothStored) return;
    const got = `row ${row} and column ${row} with different patterns`;
    throw badValue(caller, 'a symmetric pattern', got, 'Pass symmetrize(matrix).');
  });
  const { rows: n, starts, columns } = matrix;
  const degree = (node: number): number => starts[node + 1] - starts[node];
  const byDegree = orderByKey(
    Int32Array.from({ length: n }, (_, node) => degree(node)),
    n + 1,
  );
  /** The columns of every row, sorted by the degree of the node. */
  const neighbors = new Int32Array(columns.length);
  const next = new Int32Array(starts);
  for (const node of byDegree) {
    for (let e = starts[node]; e < starts[node + 1]; e++) neighbors[next[columns[e]]++] = node;
  }

  /** Length: n + 1, as `visit` requires. */
  const order = new Int32Array(n + 1);
  /** The number of the last search that visited each node; 0 for nodes that are not visited yet. */
  const stamps = new Int32Array(n);
  let stamp = 0;
  let end = 0;
  let lastLevel = 0;

  /** Writes the component of `root` to `order` from index `begin` on, level by level. Returns the number of levels. */
  function search(root: number, begin: number): number {
    stamps[root] = ++stamp;
    order[begin] = root;
    end = begin + 1;
    let levels = 0;
    for (let at = begin; at < end; levels++) {
      lastLevel = at;
      for (const levelEnd = end; at < levelEnd; at++) {
        end = visit(neighbors, starts[order[at]], starts[order[at] + 1], stamp, stamps, order, end);
      }
    }
    return levels;
  }

  for (const seed of byDegree) {
    if (stamps[seed] > 0) continue;
    const begin = end;
    let depth = search(seed, begin);
    for (let iteration = 0; iteration < maxIterations; iteration++) {
      const farthest = order.subarray(lastLevel, end);
      const nextDepth = search(
        farthest.reduce((best, node) => (degree(node) < degree(best) ? node : best)),
        begin,
      );
      if (nextDepth <= depth) break;
      depth = nextDepth;
    }
  }
  return order.subarray(0, n).toReversed();
}

/** The search for a pseudo-peripheral node mostly ends after two or three iterations. This limit keeps it linear. */
const maxIterations = 10;
