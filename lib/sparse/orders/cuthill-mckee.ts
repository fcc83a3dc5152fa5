/** The reverse Cuthill-McKee order of the nodes, which keeps neighbors close in memory. */

import { badValue } from '../../core/check.ts';
import { breadthFirstOrder } from '../../kernels/batch/breadth-first.ts';
import type { CsrMatrix } from '../csr.ts';
import { checkSquare, forEachPair } from '../inspect.ts';
import { orderByKey } from '../../kernels/batch/counting-sort.ts';

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

  return breadthFirstOrder(n, starts, neighbors, byDegree).toReversed();
}
