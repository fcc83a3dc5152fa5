/** `HalfMatrix`: the diagonal and the upper triangle of a symmetric matrix. Half of the bytes: fast where memory is the limit. */

import { badKind, badValue } from '../../core/check.ts';
import type { Floats } from '../../kernels/types.ts';
import { allocate, precisionOf } from '../../tensor/tensor.ts';
import { canonical, checkCsr, type CsrMatrix } from '../csr.ts';
import { allocateIndices } from '../indices.ts';

/**
 * The symmetric matrix D + S + Sᵀ. S has the entries to the right of the diagonal, in compressed rows; diagonal[i] is 0 where nothing is
 * stored, and bit i % 32 of marks[⌊i/32⌋] says whether an entry is. Nothing writes to the arrays after construction.
 */
export class HalfMatrix {
  readonly rows: number;
  readonly cols: number;
  /** The entries of the whole matrix. */
  readonly nonzeros: number;
  readonly diagonal: Floats;
  readonly marks: Int32Array;
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly values: Floats;

  /** Use `toHalf`. */
  constructor(parts: HalfMatrix) {
    this.rows = parts.rows;
    this.cols = parts.cols;
    this.nonzeros = parts.nonzeros;
    this.diagonal = parts.diagonal;
    this.marks = parts.marks;
    this.starts = parts.starts;
    this.columns = parts.columns;
    this.values = parts.values;
  }
}

/** One half of a symmetric matrix. Exact: `fromHalf` returns the same matrix. Refuses others. O(rows + nonzeros). */
export function toHalf(matrix: CsrMatrix): HalfMatrix {
  checkCsr('toHalf', matrix);
  const { rows, cols, nonzeros, starts, columns, values, precision } = matrix;
  if (rows !== cols) throw badValue('toHalf', 'a square matrix', `${rows}×${cols}`);
  const uppers = firstUppers(matrix);
  const [diagonal, marks] = [allocate(rows, precision), allocateIndices(Math.ceil(rows / 32))];
  const upperStarts = allocateIndices(rows + 1);
  for (let i = 0; i < rows; i++) upperStarts[i + 1] = upperStarts[i] + starts[i + 1] - uppers[i];
  const upperColumns = allocateIndices(upperStarts[rows]);
  const upperValues = allocate(upperStarts[rows], precision);
  for (let i = 0; i < rows; i++) {
    if (uppers[i] > starts[i] && columns[uppers[i] - 1] === i) {
      diagonal[i] = values[uppers[i] - 1];
      marks[i >> 5] |= 1 << (i & 31);
    }
    upperColumns.set(columns.subarray(uppers[i], starts[i + 1]), upperStarts[i]);
    upperValues.set(values.subarray(uppers[i], starts[i + 1]), upperStarts[i]);
  }
  return new HalfMatrix({
    rows,
    cols,
    nonzeros,
    diagonal,
    marks,
    starts: upperStarts,
    columns: upperColumns,
    values: upperValues,
  });
}

/** The compressed rows of a matrix of which one half is stored. */
export function fromHalf(matrix: HalfMatrix): CsrMatrix {
  if (!(matrix instanceof HalfMatrix)) throw badKind('fromHalf', 'what toHalf returned', matrix);
  const { rows, cols, nonzeros, diagonal, marks, starts, columns, values } = matrix;
  const isStored = (i: number): number => (marks[i >> 5] >>> (i & 31)) & 1;
  const csrStarts = allocateIndices(rows + 1);
  for (let i = 0; i < rows; i++) csrStarts[i + 1] = starts[i + 1] - starts[i] + isStored(i);
  for (const j of columns) csrStarts[j + 1]++;
  for (let i = 0; i < rows; i++) csrStarts[i + 1] += csrStarts[i];
  const [csrColumns, csrValues] = [allocateIndices(nonzeros), allocate(nonzeros, precisionOf(values))];
  // Rows before i have put the entries of row i that are left of the diagonal in place.
  const next = csrStarts.slice(0, rows);
  const put = (row: number, column: number, value: number): void => {
    csrColumns[next[row]] = column;
    csrValues[next[row]++] = value;
  };
  for (let i = 0; i < rows; i++) {
    if (isStored(i)) put(i, i, diagonal[i]);
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      put(i, columns[e], values[e]);
      put(columns[e], i, values[e]);
    }
  }
  return canonical(rows, cols, csrStarts, csrColumns, csrValues);
}

/** For each row, the place of its first entry to the right of the diagonal. Refuses a matrix that is not equal to its transpose. */
function firstUppers({ rows, starts, columns, values }: CsrMatrix): Int32Array {
  /** The first entry of each row that no row above has matched. */
  const next = starts.slice(0, rows);
  const refuse = (i: number, j: number): never => {
    throw badValue('toHalf', 'a symmetric matrix', `entries (${i}, ${j}) and (${j}, ${i}) that differ`, 'Pass symmetrize(matrix).'); // oxfmt-ignore
  };
  for (let i = 0; i < rows; i++) {
    const end = starts[i + 1];
    if (next[i] < end && columns[next[i]] === i) next[i]++;
    for (let e = next[i]; e < end; e++) {
      const j = columns[e];
      const other = next[j]++;
      // An entry of row j before column i has no mirror image in an earlier row.
      if (other < starts[j + 1] && columns[other] < i) refuse(j, columns[other]);
      if (other === starts[j + 1] || columns[other] !== i || !Object.is(values[other], values[e])) refuse(i, j);
    }
  }
  return next;
}
