/** References for the sparse specs: dense arrays of arrays with simple, slow operations. */

import * as assert from 'uvu/assert';
import { CsrMatrix } from '../../lib/index.ts';

export type Dense = number[][];

export function denseZeros(rows: number, cols: number): Dense {
  return Array.from({ length: rows }, () => new Array<number>(cols).fill(0));
}

/** Reads the raw arrays, without any function of the library. */
export function denseOf(matrix: CsrMatrix): Dense {
  const dense = denseZeros(matrix.rows, matrix.cols);
  for (let i = 0; i < matrix.rows; i++) {
    for (let e = matrix.starts[i]; e < matrix.starts[i + 1]; e++) dense[i][matrix.columns[e]] = matrix.values[e];
  }
  return dense;
}

/** The stored places, including stored zeros. */
export function placesOf(matrix: CsrMatrix): string[] {
  return Array.from({ length: matrix.rows }, (_, i) =>
    Array.from(matrix.columns.subarray(matrix.starts[i], matrix.starts[i + 1]), (j) => `${i},${j}`),
  ).flat();
}

/** Checks that a matrix is canonical, which the constructor verifies. */
export function assertCanonical(matrix: CsrMatrix): void {
  assert.instance(matrix, CsrMatrix);
  const { rows, cols, starts, columns, values } = matrix;
  assert.not.throws(() => new CsrMatrix(rows, cols, starts, columns, values));
}

/** The same places and the same bits. */
export function assertSame(a: CsrMatrix, b: CsrMatrix): void {
  assert.equal([a.rows, a.cols, a.precision], [b.rows, b.cols, b.precision]);
  assert.equal([...a.starts], [...b.starts]);
  assert.equal([...a.columns], [...b.columns]);
  assert.is(a.values.length, b.values.length);
  a.values.forEach((value, e) => assert.ok(Object.is(value, b.values[e]), `${value} and ${b.values[e]} at entry ${e}`));
}

/** Integers in order. */
export function ascending(numbers: Iterable<number>): number[] {
  const sorted = Int32Array.from(numbers);
  sorted.sort();
  return [...sorted];
}
