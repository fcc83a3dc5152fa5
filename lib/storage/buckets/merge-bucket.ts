/** The rows of a graph in one bucket: entries sorted and summed, joined with their mirror images, scaled. */

import { checkPair, checkSigns } from '../../graph/graph.ts';
import { divideWeights } from '../../graph/weight-scale.ts';
import { assemble } from '../../sparse/build.ts';
import { dropZeros, mergeParts, type SymmetricPart } from '../../sparse/combine.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import type { Precision } from '../../tensor/tensor.ts';
import type { BucketEntries } from './buckets.ts';

/** 'given': entries (i, j) and (j, i) are equal up to rounding, or the matrix is refused. Else how they are joined. */
export type Symmetry = 'given' | SymmetricPart;

/** The settings that all buckets share. */
export interface MergeRules {
  readonly caller: string;
  /** The number of nodes. */
  readonly size: number;
  readonly symmetric: Symmetry;
  /** Whether the entries include their mirror images, so that none were added. */
  readonly isMirrored: boolean;
  /** Of the graph. The rows are computed in double precision. */
  readonly precision: Precision;
  /** Whether weights are divided by a power of two if the largest is not of ordinary size, as `graphFrom` does. */
  readonly scaled: boolean;
  /** Only of approximate neighbors, for the header. */
  readonly recall?: number | undefined;
}

/** The rows from `first` on, in the steps of `graphFrom`, divided by the scale. */
export function mergeBucket(
  entries: BucketEntries,
  first: number,
  rows: number,
  scale: number,
  rules: MergeRules,
): CsrMatrix {
  const { caller, size, symmetric } = rules;
  const own = assemble(caller, entries.own, [rows, size], 'double');
  checkSigns(caller, own, first);
  if (rules.isMirrored) {
    const whole = symmetric === 'sum' ? mergeParts(own, own, 'sum') : own;
    return dropZeros(divideWeights(caller, whole, scale));
  }
  const mirrored = assemble(caller, entries.mirrored, [rows, size], 'double');
  if (symmetric === 'given') checkSymmetric(own, mirrored, first, rules);
  const whole = mergeParts(own, mirrored, symmetric === 'given' ? 'mean' : symmetric);
  return dropZeros(divideWeights(caller, whole, scale));
}

/** Compares rows of A with those of Aᵀ. */
function checkSymmetric(own: CsrMatrix, mirrored: CsrMatrix, first: number, { caller, precision }: MergeRules): void {
  for (let i = 0; i < own.rows; i++) {
    let [p, q] = [own.starts[i], mirrored.starts[i]];
    while (p < own.starts[i + 1] || q < mirrored.starts[i + 1]) {
      const left = p < own.starts[i + 1] ? own.columns[p] : Infinity;
      const right = q < mirrored.starts[i + 1] ? mirrored.columns[q] : Infinity;
      const a = left <= right ? own.values[p++] : 0;
      const b = right <= left ? mirrored.values[q++] : 0;
      if (a !== b) checkPair(caller, a, b, first + i, Math.min(left, right), precision);
    }
  }
}
