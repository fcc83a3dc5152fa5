/** Sparse matrices from triplets, CSR arrays, dense matrices and diagonals. */

import { badKind, badValue, checkCount, checkObject, showShape } from '../core/check.ts';
import { type Floats, isFloats } from '../kernels/types.ts';
import { allocate, type Precision, Tensor } from '../tensor/tensor.ts';
import { canonical, checkedCsr, checkLayout, checkValues, copyIndices, copyValues, type CsrMatrix } from './csr.ts';
import { allocateIndices, checkIndices, everyIndex } from './indices.ts';
import { sortRows } from './sort-rows.ts';
import { bucketByRow } from '../kernels/batch/counting-sort.ts';

/** Entry k is values[k] at (rows[k], columns[k]). Entries may come in any order. */
export interface Triplets<I = ArrayLike<number>, V = ArrayLike<number>> {
  readonly rows: I;
  readonly columns: I;
  readonly values: V;
}

/** CSR arrays that need not be canonical: the columns of a row may be unsorted and may repeat. */
export interface CsrArrays {
  readonly starts: ArrayLike<number>;
  readonly columns: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** The numbers of rows and columns. */
export type MatrixShape = readonly [rows: number, cols: number];

/**
 * A sparse matrix from triplets. Entries at the same position are summed in Float64, in the order given. Zeros are kept.
 * O(entries + rows + cols).
 */
export function fromTriplets(triplets: Triplets, shape: MatrixShape, precision: Precision = 'single'): CsrMatrix {
  const caller = 'fromTriplets';
  checkMatrixShape(caller, shape);
  checkObject(caller, triplets, 'triplets { rows, columns, values }');
  const rows = checkIndices(caller, 'rows', triplets.rows, shape[0]);
  const columns = checkIndices(caller, 'columns', triplets.columns, shape[1]);
  const values = checkNumbers(caller, triplets.values);
  if (rows.length !== columns.length || rows.length !== values.length) {
    const lengths = `${rows.length}, ${columns.length} and ${values.length}`;
    throw badValue(caller, 'rows, columns and values of equal length', lengths);
  }
  return assemble(caller, { rows, columns, values }, shape, precision);
}

/** A sparse matrix from CSR arrays. Sorts entries and sums duplicates as `fromTriplets` does. */
export function fromCsr(arrays: CsrArrays, shape: MatrixShape, precision: Precision = 'single'): CsrMatrix {
  const caller = 'fromCsr';
  checkMatrixShape(caller, shape);
  checkObject(caller, arrays, 'arrays { starts, columns, values }');
  const starts = checkIndices(caller, 'starts', arrays.starts, 2 ** 31);
  const columns = checkIndices(caller, 'columns', arrays.columns, shape[1]);
  return assembleCsr(caller, starts, columns, checkNumbers(caller, arrays.values), shape, precision);
}

/** The nonzero entries of a dense matrix. Default precision: that of the matrix. */
export function fromDense(dense: Tensor, precision: Precision = dense?.precision): CsrMatrix {
  if (!(dense instanceof Tensor)) throw badKind('fromDense', 'a Tensor', dense, 'tensor() makes one.');
  if (dense.shape.length !== 2) throw badValue('fromDense', 'a matrix with two axes', showShape(dense.shape));
  const { rows, cols, data } = dense;
  const starts = allocateIndices(rows + 1);
  let count = 0;
  for (let at = 0; at < data.length; at++) if (data[at] !== 0) count++;
  const columns = allocateIndices(count);
  const values = allocate(count, precision);
  for (let i = 0, e = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) {
      if (data[i * cols + j] === 0) continue;
      columns[e] = j;
      values[e++] = data[i * cols + j];
    }
    starts[i + 1] = e;
  }
  checkValues('fromDense', starts, columns, values);
  return canonical(rows, cols, starts, columns, values);
}

/** diag(entries). Zeros are kept. */
export function diagonalMatrix(entries: ArrayLike<number>, precision: Precision = 'single'): CsrMatrix {
  const numbers = checkNumbers('diagonalMatrix', entries);
  const size = numbers.length;
  const starts = everyIndex(size + 1);
  const columns = everyIndex(size);
  const values = copyValues(numbers, precision);
  checkValues('diagonalMatrix', starts, columns, values);
  return canonical(size, size, starts, columns, values);
}

/** The identity matrix, size×size. */
export function identity(size: number, precision: Precision = 'single'): CsrMatrix {
  checkCount('identity', 'size', size);
  return diagonalMatrix(new Float64Array(size).fill(1), precision);
}

/** `fromCsr` of typed arrays. Errors name `caller`. For this folder and `formats` only. */
export function assembleCsr(
  caller: string,
  starts: Int32Array,
  columns: Int32Array,
  values: Floats,
  shape: MatrixShape,
  precision: Precision,
): CsrMatrix {
  checkLayout(caller, shape[0], shape[1], starts, columns, values);
  return mergeRepeated(caller, copyIndices(starts), columns.slice(), new Float64Array(values), shape, precision);
}

/**
 * The rows of CSR arrays, sorted in place, as a matrix that keeps the arrays. No column may repeat within a row. Saves the memory of
 * `fromCsr`, which copies them twice. Internal.
 */
export function csrOfRows(
  caller: string,
  rows: number,
  cols: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Float32Array,
): CsrMatrix {
  sortRows(rows, starts, columns, values);
  return checkedCsr(caller, rows, cols, starts, columns, values);
}

/**
 * A matrix from triplets of equal length with indices in range. Entries are bucketed by row and sorted by column. Both sorts
 * are stable, so that duplicates are summed in the order given. For this folder and `formats` only.
 */
export function assemble(
  caller: string,
  entries: Triplets<Int32Array, Floats>,
  shape: MatrixShape,
  precision: Precision,
): CsrMatrix {
  const count = entries.rows.length;
  const starts = allocateIndices(shape[0] + 1);
  const sortedColumns = new Int32Array(count);
  const sortedValues = new Float64Array(count);
  bucketByRow(entries.rows, entries.columns, entries.values, starts, sortedColumns, sortedValues);
  return mergeRepeated(caller, starts, sortedColumns, sortedValues, shape, precision);
}

/** A matrix of unsorted CSR arrays, which it overwrites. It keeps `starts`. */
function mergeRepeated(
  caller: string,
  starts: Int32Array,
  unsortedColumns: Int32Array,
  unsortedValues: Float64Array,
  shape: MatrixShape,
  precision: Precision,
): CsrMatrix {
  const [rows, cols] = shape;
  sortRows(rows, starts, unsortedColumns, unsortedValues);
  const kept = sumRepeated(rows, starts, unsortedColumns, unsortedValues);
  const columns = copyIndices(unsortedColumns.subarray(0, kept));
  const values = copyValues(unsortedValues.subarray(0, kept), precision);
  checkValues(caller, starts, columns, values);
  return canonical(rows, cols, starts, columns, values);
}

/** Merges columns that repeat within a row, in place, and sums their values. Returns the number of entries left. */
function sumRepeated(rows: number, starts: Int32Array, columns: Int32Array, values: Float64Array): number {
  let kept = 0;
  for (let i = 0, e = 0; i < rows; i++) {
    const end = starts[i + 1];
    const first = kept;
    for (; e < end; e++) {
      if (kept > first && columns[kept - 1] === columns[e]) {
        values[kept - 1] += values[e];
      } else {
        columns[kept] = columns[e];
        values[kept++] = values[e];
      }
    }
    starts[i + 1] = kept;
  }
  return kept;
}

function checkMatrixShape(caller: string, shape: MatrixShape): void {
  if (shape?.length !== 2) throw badKind(caller, 'the shape as [rows, cols]', shape);
  checkCount(caller, 'rows', shape[0]);
  checkCount(caller, 'cols', shape[1]);
}

/**
 * The numbers as a Float32Array or Float64Array, so that the loops see few types of array. `checkValues` checks that they are
 * finite after they are rounded.
 */
function checkNumbers(caller: string, numbers: ArrayLike<number>): Floats {
  if (isFloats(numbers)) return numbers;
  if (typeof numbers?.length !== 'number') throw badKind(caller, 'values to be an array of numbers', numbers);
  for (let i = 0; i < numbers.length; i++) {
    if (typeof numbers[i] !== 'number') throw badKind(caller, `a number at index ${i} of the values`, numbers[i]);
  }
  return Float64Array.from(numbers);
}
