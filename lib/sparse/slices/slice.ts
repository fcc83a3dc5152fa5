/** New matrices from listed rows or blocks of a sparse matrix, and the neighbors of rows. */

import { checkCount } from '../../core/check.ts';
import { csrSlice } from '../../kernels/batch/slice.ts';
import { allocate } from '../../tensor/tensor.ts';
import { transpose } from '../combine.ts';
import { canonical, checkCsr, type CsrMatrix, entriesIn } from '../csr.ts';
import { allocateIndices, checkIndices, everyIndex } from '../indices.ts';
import { checkSquare } from '../inspect.ts';

/** A[rows, :], in the order of the list; rows may repeat. O(entries of these rows). */
export function sliceRows(matrix: CsrMatrix, rows: ArrayLike<number>): CsrMatrix {
  checkCsr('sliceRows', matrix);
  return takeRows('sliceRows', matrix, checkIndices('sliceRows', 'rows', rows, matrix.rows));
}

/** A[rows, columns], both in the order of their lists; either may repeat. O(entries of these rows + all columns). */
export function sliceBlock(matrix: CsrMatrix, rows: ArrayLike<number>, columns: ArrayLike<number>): CsrMatrix {
  checkCsr('sliceBlock', matrix);
  const picked = checkIndices('sliceBlock', 'columns', columns, matrix.cols);
  const tall = takeRows('sliceBlock', matrix, checkIndices('sliceBlock', 'rows', rows, matrix.rows));
  return transpose(takeRows('sliceBlock', transpose(tall), picked));
}

/** The columns with a stored entry in one of these rows, and with `includeRows` the rows themselves; ascending, each once. */
export function neighborsOf(matrix: CsrMatrix, rows: ArrayLike<number>, includeRows = false): Int32Array {
  if (includeRows) checkSquare('neighborsOf', matrix);
  else checkCsr('neighborsOf', matrix);
  const seen = new Uint8Array(matrix.cols);
  for (const i of checkIndices('neighborsOf', 'rows', rows, matrix.rows)) {
    if (includeRows) seen[i] = 1;
    for (let e = matrix.starts[i]; e < matrix.starts[i + 1]; e++) seen[matrix.columns[e]] = 1;
  }
  return everyIndex(matrix.cols).filter((j) => seen[j] > 0);
}

/** `sliceRows` of rows that are in range. Errors name `caller`. */
export function takeRows(caller: string, matrix: CsrMatrix, rows: Int32Array): CsrMatrix {
  const total = entriesIn(matrix, rows);
  checkCount(caller, 'the number of entries', total);
  const starts = allocateIndices(rows.length + 1);
  const columns = allocateIndices(total);
  const values = allocate(total, matrix.precision);
  csrSlice(rows.length, rows, matrix.starts, matrix.columns, matrix.values, starts, columns, values);
  return canonical(rows.length, matrix.cols, starts, columns, values);
}
