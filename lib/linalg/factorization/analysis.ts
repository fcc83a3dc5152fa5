/** The analysis of a symmetric sparse matrix: the order of elimination, and what a factorization will cost. */

import { subtask, type Task } from '../../core/task.ts';
import { eliminationTree, type EliminationTree } from './elimination-tree.ts';
import { minimumDegreeSteps } from './ordering/minimum-degree.ts';
import type { Pattern } from './pattern.ts';
import { findRows, findSupernodes, type Supernodes } from './supernodes.ts';

/** Known before the factor is allocated. */
export interface Analysis {
  readonly pattern: Pattern;
  readonly tree: EliminationTree;
  readonly supernodes: Supernodes;
  /** The rows of all panels below their diagonal blocks, found at the first call. */
  readonly rows: () => Int32Array;
  /** The number of entries of the factor, the diagonal included. */
  readonly entries: number;
  /** The number of entries of the factor relative to those of the matrix on and below its diagonal. */
  readonly fill: number;
  /** Multiplications and additions of a factorization: the sum of the squares of the columns' numbers of entries. */
  readonly flops: number;
  /** The memory of a factorization while it runs. */
  readonly bytes: number;
}

/** Orders the matrix by approximate minimum degree, and predicts fill, work and memory. Null if it takes more than `flopLimit` flops. */
export function* analysisSteps(pattern: Pattern, flopLimit = Infinity): Task<Analysis | null> {
  const order = yield* subtask(minimumDegreeSteps(pattern, flopLimit), 0, 0.7);
  if (!order) return null;
  const tree = eliminationTree(pattern, order);
  yield 0.9;
  const supernodes = findSupernodes(tree);
  let [entries, flops] = [0, 0];
  for (const count of tree.counts) {
    entries += count;
    flops += count * count;
  }
  const { count, panelStarts, stackLength, rowCount } = supernodes;
  const bytes = 8 * (panelStarts[count] + stackLength) + 4 * rowCount;
  let found: Int32Array | null = null;
  const rows = (): Int32Array => (found ??= findRows(tree, supernodes));
  const fill = entries / Math.max(1, pattern.size + tree.below.rows.length);
  return { pattern, tree, supernodes, rows, entries, fill, flops, bytes };
}
