/** What is a sparse matrix here? Compressed sparse rows in canonical form; no other form can be made. */

import { badKind, badValue, checkCount } from '../core/check.ts';
import { firstAtLeast } from '../core/search.ts';
import { type Floats, isFloats } from '../kernels/types.ts';
import { allocate, type Precision, precisionOf } from '../tensor/tensor.ts';
import { allocateIndices } from './indices.ts';

/** Known to this file alone, so that only `canonical` below can go past the checks. */
const proven = Symbol();

/** Those of a matrix; but they may be longer than what is used of them, and nobody has looked at them. */
export interface CsrArrays {
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly values: Floats;
}

/**
 * Row i holds entries starts[i] … starts[i+1]−1 of `columns` and `values`. Columns rise strictly within a row, so that
 * no place is held twice; values are finite, zeros among them allowed. Nothing writes to the arrays afterwards.
 * They may lie in the kernels' memory: keep the matrix, not a subarray of one of them.
 */
export class CsrMatrix {
  readonly rows: number;
  readonly cols: number;
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly values: Floats;
  /** What the arrays are views of, kept alive; null where they are the matrix's own. */
  readonly base: object | null;

  /** Checks the arrays and copies them, in O(rows + nonzeros). `fromCsr` takes arrays that are not sorted yet. */
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
    this.rows = rows;
    this.cols = cols;
    this.base = base;
    if (proof === proven) {
      this.starts = starts;
      this.columns = columns;
      this.values = values;
      return;
    }
    checkLayout('CsrMatrix', rows, cols, starts, columns, values);
    checkAscending('CsrMatrix', rows, starts, columns);
    checkValues('CsrMatrix', starts, columns, values);
    this.starts = copyIndices(starts);
    this.columns = copyIndices(columns);
    this.values = copyValues(values, precisionOf(values));
  }

  /** How many entries are stored, zeros among them. */
  get nonzeros(): number {
    return this.values.length;
  }

  get precision(): Precision {
    return precisionOf(this.values);
  }

  /** The same matrix in storage of its own, in this precision or another. */
  copy(precision: Precision = this.precision): CsrMatrix {
    const values = copyValues(this.values, precision);
    if (precision !== this.precision) checkValues('CsrMatrix.copy', this.starts, this.columns, values);
    return canonical(this.rows, this.cols, copyIndices(this.starts), copyIndices(this.columns), values);
  }
}

/**
 * For this folder only: wraps arrays that are canonical by the way they were made, without check or copy. `base` is
 * what they are views of.
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

/** For callers without a compiler. */
export function checkCsr(caller: string, matrix: CsrMatrix): void {
  if (matrix instanceof CsrMatrix) return;
  throw badKind(caller, 'a CsrMatrix', matrix, 'fromDense() makes one.');
}

/** Everything but the order of the columns and the values: kinds, lengths, starts, and columns within range. */
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
      throw badValue(caller, 'starts that never fall', `${starts[i]} then ${starts[i + 1]} at row ${i}`);
    }
  }
  if (starts[rows] !== count) throw badValue(caller, `starts to end with ${count}`, starts[rows]);
  for (let e = 0; e < count; e++) {
    if (columns[e] < 0 || columns[e] >= cols) {
      throw badValue(caller, `columns from 0 to ${cols - 1}`, `${columns[e]} in row ${rowOf(starts, e)}`);
    }
  }
}

/** Finite values only; a message that names the place, and the way out where a double was too large for a single. */
export function checkValues(caller: string, starts: Int32Array, columns: Int32Array, values: Floats): void {
  for (let e = 0; e < values.length; e++) {
    if (!Number.isFinite(values[e])) {
      const place = `${values[e]} at row ${rowOf(starts, e)}, column ${columns[e]}`;
      const large = values instanceof Float32Array && !Number.isNaN(values[e]);
      throw badValue(caller, 'finite values', place, large ? "Ask for precision 'double'." : '');
    }
  }
}

/** The row of entry `e`, by halving: the last one that starts at or before it. */
export function rowOf(starts: Int32Array, e: number): number {
  return firstAtLeast(starts, e + 1) - 1;
}

/** How many entries these rows, all in range, hold together. */
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
        throw badValue(caller, 'columns that rise strictly within a row', got, 'fromCsr sorts and sums them.');
      }
    }
  }
}

/** In new storage, where the kernels like it best. */
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
