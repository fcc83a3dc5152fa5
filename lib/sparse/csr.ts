/** `CsrMatrix`: compressed sparse rows, always in canonical form. */

import { badKind, badValue, checkCount } from '../core/check.ts';
import { firstAtLeast } from '../core/search.ts';
import { type Floats, isFloats } from '../kernels/types.ts';
import { allocate, type Precision, precisionOf } from '../tensor/tensor.ts';
import { allocateIndices } from './indices.ts';

/** Private to this file, so that only `canonical` below can skip the checks. */
const proven = Symbol();

/** CSR arrays in internal buffers: unchecked, and possibly longer than the part in use. */
export interface CsrView {
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly values: Floats;
}

/**
 * Row i consists of entries starts[i] … starts[i+1]−1 of `columns` and `values`. Columns increase strictly within a row, so
 * that no position is stored twice. Values are finite and may be zero. Nothing writes to the arrays after construction.
 * The arrays may lie in the kernels' memory: keep the matrix, not a subarray of one of them.
 */
export class CsrMatrix {
  readonly rows: number;
  readonly cols: number;
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly values: Floats;
  /** The owner of the storage that the arrays are views of, kept alive here; null if the matrix owns its arrays. */
  readonly base: object | null;

  /** Checks the arrays and copies them, in O(rows + nonzeros). `fromCsr` accepts unsorted arrays. */
  constructor(rows: number, cols: number, starts: Int32Array, columns: Int32Array, values: Floats);
  constructor(
    rows: number,
    cols: number,
    starts: Int32Array,
    columns: Int32Array,
    values: Floats,
    proof: typeof proven,
    base: object | null,
  );
  constructor(
    rows: number,
    cols: number,
    starts: Int32Array,
    columns: Int32Array,
    values: Floats,
    proof?: typeof proven,
    base: object | null = null,
  ) {
    const isProven = proof === proven;
    if (!isProven) checkArrays('CsrMatrix', rows, cols, starts, columns, values);
    this.rows = rows;
    this.cols = cols;
    this.starts = isProven ? starts : copyIndices(starts);
    this.columns = isProven ? columns : copyIndices(columns);
    this.values = isProven ? values : copyValues(values, precisionOf(values));
    this.base = base;
  }

  /** Rows and columns, as of a tensor. */
  get shape(): readonly [rows: number, cols: number] {
    return [this.rows, this.cols];
  }

  /** The number of stored entries, including zeros. */
  get nonzeros(): number {
    return this.values.length;
  }

  get precision(): Precision {
    return precisionOf(this.values);
  }

  /** A copy in new storage. Default precision: that of this matrix. */
  copy(precision: Precision = this.precision): CsrMatrix {
    const values = copyValues(this.values, precision);
    if (precision !== this.precision) checkValues('CsrMatrix.copy', this.starts, this.columns, values);
    return canonical(this.rows, this.cols, copyIndices(this.starts), copyIndices(this.columns), values);
  }
}

/**
 * Wraps arrays that are known to be canonical, without checking or copying them. `base` is the owner of the storage if the
 * arrays are views. For this folder only.
 */
export function canonical(
  rows: number,
  cols: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
  base: object | null = null,
): CsrMatrix {
  return new CsrMatrix(rows, cols, starts, columns, values, proven, base);
}

/** Checks arrays as the constructor does, and wraps them without a copy. Nothing may write to them afterwards. Internal. */
export function checkedCsr(
  caller: string,
  rows: number,
  cols: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
): CsrMatrix {
  checkArrays(caller, rows, cols, starts, columns, values);
  return canonical(rows, cols, starts, columns, values);
}

/** Rows from … to − 1 as views of the arrays of the matrix, with `starts` for their starts. Internal. */
export function rowsBetween(matrix: CsrMatrix, from: number, to: number, starts: Int32Array): CsrMatrix {
  const [first, end] = [matrix.starts[from], matrix.starts[to]];
  for (let i = from; i <= to; i++) starts[i - from] = matrix.starts[i] - first;
  return canonical(
    to - from,
    matrix.cols,
    starts,
    matrix.columns.subarray(first, end),
    matrix.values.subarray(first, end),
    matrix,
  );
}

/** The matrix with other columns, in the same order, without checking it or copying its values. Internal. */
export function renumberColumns({ rows, starts, values }: CsrMatrix, columns: Int32Array, cols: number): CsrMatrix {
  return canonical(rows, cols, starts, columns, values);
}

/** Refuses arrays that are not canonical. */
function checkArrays(caller: string, rows: number, cols: number, ...arrays: [Int32Array, Int32Array, Floats]): void {
  const [starts, columns, values] = arrays;
  checkLayout(caller, rows, cols, starts, columns, values);
  checkAscending(caller, rows, starts, columns);
  checkValues(caller, starts, columns, values);
}

/** Refuses anything but a CsrMatrix, for callers that are not type-checked. */
export function checkCsr(caller: string, matrix: CsrMatrix): void {
  if (matrix instanceof CsrMatrix) return;
  throw badKind(caller, 'a CsrMatrix', matrix, 'fromDense() makes one.');
}

/** Checks types, lengths, starts and the range of columns, but neither the order of the columns nor the values. */
export function checkLayout(
  caller: string,
  rows: number,
  cols: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
): void {
  checkCount(caller, 'rows', rows);
  checkCount(caller, 'cols', cols);
  if (!(starts instanceof Int32Array)) throw badKind(caller, 'starts to be an Int32Array', starts);
  if (!(columns instanceof Int32Array)) throw badKind(caller, 'columns to be an Int32Array', columns);
  if (!isFloats(values)) throw badKind(caller, 'values to be a Float32Array or Float64Array', values);
  const count = columns.length;
  if (starts.length !== rows + 1) throw badValue(caller, `${rows + 1} starts for ${rows} rows`, starts.length);
  if (values.length !== count) throw badValue(caller, `${count} values for ${count} columns`, values.length);
  if (starts[0] !== 0) throw badValue(caller, 'starts to begin with 0', starts[0]);
  for (let i = 0; i < rows; i++) {
    if (starts[i + 1] < starts[i]) {
      throw badValue(caller, 'starts that never decrease', `${starts[i]} then ${starts[i + 1]} at row ${i}`);
    }
  }
  if (starts[rows] !== count) throw badValue(caller, `starts to end with ${count}`, starts[rows]);
  for (let e = 0; e < count; e++) {
    if (columns[e] < 0 || columns[e] >= cols) {
      throw badValue(caller, `columns from 0 to ${cols - 1}`, `${columns[e]} in row ${rowOf(starts, e)}`);
    }
  }
}

/** Refuses values that are not finite. The message suggests double precision if a value overflowed single precision. */
export function checkValues(caller: string, starts: Int32Array, columns: Int32Array, values: Floats): void {
  for (let e = 0; e < values.length; e++) {
    if (!Number.isFinite(values[e])) {
      const place = `${values[e]} at row ${rowOf(starts, e)}, column ${columns[e]}`;
      const overflowed = values instanceof Float32Array && !Number.isNaN(values[e]);
      throw badValue(caller, 'finite values', place, overflowed ? "Pass precision 'double'." : '');
    }
  }
}

/** The row of entry `e`, by binary search: the last row that starts at or before it. */
export function rowOf(starts: Int32Array, e: number): number {
  return firstAtLeast(starts, e + 1) - 1;
}

/** The total number of entries in these rows, which are in range. */
export function entriesIn({ starts }: CsrMatrix, rows: Int32Array): number {
  let entries = 0;
  for (let i = 0; i < rows.length; i++) entries += starts[rows[i] + 1] - starts[rows[i]];
  return entries;
}

/** The row of every entry. */
export function rowOfEach(starts: Int32Array): Int32Array {
  const rows = new Int32Array(starts[starts.length - 1]);
  for (let i = 1; i < starts.length; i++) rows.fill(i - 1, starts[i - 1], starts[i]);
  return rows;
}

function checkAscending(caller: string, rows: number, starts: Int32Array, columns: Int32Array): void {
  for (let i = 0; i < rows; i++) {
    for (let e = starts[i] + 1; e < starts[i + 1]; e++) {
      if (columns[e] <= columns[e - 1]) {
        const got = `${columns[e - 1]} then ${columns[e]} in row ${i}`;
        throw badValue(caller, 'columns that increase strictly within a row', got, 'fromCsr sorts and sums them.');
      }
    }
  }
}

/** A copy in new storage, in the kernels' memory if they have one. */
export function copyIndices(source: Int32Array): Int32Array {
  const copy = allocateIndices(source.length);
  copy.set(source);
  return copy;
}

export function copyValues(source: Floats, precision: Precision): Floats {
  const copy = allocate(source.length, precision);
  copy.set(source);
  return copy;
}
