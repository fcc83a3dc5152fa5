/** The halves of symmetric matrices: diagonal and strict upper triangle. */

import type { Floats } from '../kernels/types.ts';
import { allocate } from '../tensor/tensor.ts';
import { canonical, type CsrMatrix } from './csr.ts';
import { allocateIndices } from './indices.ts';

/** A symmetric matrix as D + S + Sᵀ. */
export interface Half {
  /** The diagonal of D, 0 where nothing is stored. */
  readonly diagonal: Floats;
  /** S: the entries to the right of the diagonal. */
  readonly upper: CsrMatrix;
}

/** The half of a square matrix that is known to be symmetric. O(rows + nonzeros). */
export function halve({ rows, starts, columns, values, precision }: CsrMatrix): Half {
  const diagonal = allocate(rows, precision);
  const upperStarts = allocateIndices(rows + 1);
  for (let i = 0; i < rows; i++) {
    let count = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      if (columns[e] === i) diagonal[i] = values[e];
      else if (columns[e] > i) count++;
    }
    upperStarts[i + 1] = upperStarts[i] + count;
  }
  const upperColumns = allocateIndices(upperStarts[rows]);
  const upperValues = allocate(upperStarts[rows], precision);
  for (let i = 0; i < rows; i++) {
    const count = upperStarts[i + 1] - upperStarts[i];
    upperColumns.set(columns.subarray(starts[i + 1] - count, starts[i + 1]), upperStarts[i]);
    upperValues.set(values.subarray(starts[i + 1] - count, starts[i + 1]), upperStarts[i]);
  }
  return { diagonal, upper: canonical(rows, rows, upperStarts, upperColumns, upperValues) };
}
