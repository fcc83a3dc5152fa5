import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CsrMatrix } from '../../lib/index.ts';
import { assertSame, denseOf } from './reference.ts';
import { shapes } from '../shapes.ts';

const test = suite('csr matrix');

const starts = Int32Array.of(0, 2, 2, 3);
const columns = Int32Array.of(0, 2, 1);
const values = Float32Array.of(1, 2, 3);
const make = () => new CsrMatrix(3, 3, starts, columns, values);

test('a matrix says its sizes, its entries and its precision', () => {
  const matrix = make();
  assert.equal([matrix.rows, matrix.cols, matrix.nonzeros, matrix.precision], [3, 3, 3, 'single']);
  assert.equal(new CsrMatrix(2, 5, new Int32Array(3), new Int32Array(0), new Float32Array(0)).shape, [2, 5]);
  assert.equal(denseOf(matrix), [
    [1, 0, 2],
    [0, 0, 0],
    [0, 3, 0],
  ]);
  assert.is(new CsrMatrix(1, 1, Int32Array.of(0, 1), Int32Array.of(0), Float64Array.of(1)).precision, 'double');
});

test('no rows, no columns and no entries are matrices too', () => {
  for (const [rows, cols] of shapes('0×0', '0×4', '4×0', '3×3')) {
    const matrix = new CsrMatrix(rows, cols, new Int32Array(rows + 1), new Int32Array(0), new Float32Array(0));
    assert.equal([matrix.rows, matrix.cols, matrix.nonzeros], [rows, cols, 0]);
  }
});

test('a matrix does not change when the arrays it was made of do', () => {
  const [s, c, v] = [starts.slice(), columns.slice(), values.slice()];
  const matrix = new CsrMatrix(3, 3, s, c, v);
  s.fill(9);
  c.fill(9);
  v.fill(9);
  assertSame(matrix, make());
});

test('a copy is equal and independent, and in another precision rounds each value once', () => {
  const matrix = make();
  const copy = matrix.copy();
  assertSame(copy, matrix);
  assert.is.not(copy.values, matrix.values);
  assert.is.not(copy.columns, matrix.columns);
  assert.is.not(copy.starts, matrix.starts);
  const double = new CsrMatrix(1, 1, Int32Array.of(0, 1), Int32Array.of(0), Float64Array.of(0.1));
  assert.is(double.copy('single').values[0], Math.fround(0.1));
  assert.is(double.copy('single').precision, 'single');
  assert.is(double.copy().values[0], 0.1);
  assert.is(matrix.copy('double').precision, 'double');
});

test('a copy that would overflow is refused with the way out', () => {
  const large = new CsrMatrix(1, 2, Int32Array.of(0, 1), Int32Array.of(1), Float64Array.of(1e39));
  assert.throws(
    () => large.copy('single'),
    /CsrMatrix\.copy: expected finite values, got Infinity at row 0, column 1\. Pass precision 'double'\./,
  );
});

/** Constructs a valid matrix with some of its parts replaced. */
function broken(part: { starts?: number[]; columns?: number[]; values?: number[]; rows?: number; cols?: number }) {
  return () =>
    new CsrMatrix(
      part.rows ?? 3,
      part.cols ?? 3,
      part.starts ? Int32Array.from(part.starts) : starts,
      part.columns ? Int32Array.from(part.columns) : columns,
      part.values ? Float32Array.from(part.values) : values,
    );
}

test('arrays that are not canonical are refused, each with its own message', () => {
  assert.throws(broken({ starts: [1, 2, 2, 3] }), /CsrMatrix: expected starts to begin with 0, got 1\./);
  assert.throws(
    broken({ starts: [0, 2, 1, 3] }),
    /CsrMatrix: expected starts that never decrease, got 2 then 1 at row 1\./,
  );
  assert.throws(broken({ starts: [0, 2, 2, 4] }), /CsrMatrix: expected starts to end with 3, got 4\./);
  assert.throws(broken({ starts: [0, 2, 2] }), /CsrMatrix: expected 4 starts for 3 rows, got 3\./);
  assert.throws(broken({ values: [1, 2] }), /CsrMatrix: expected 3 values for 3 columns, got 2\./);
  assert.throws(broken({ columns: [0, 2, 3] }), /CsrMatrix: expected columns from 0 to 2, got 3 in row 2\./);
  assert.throws(broken({ columns: [0, -1, 1] }), /CsrMatrix: expected columns from 0 to 2, got -1 in row 0\./);
  assert.throws(
    broken({ columns: [2, 0, 1] }),
    /CsrMatrix: expected columns that increase strictly within a row, got 2 then 0 in row 0\. fromCsr sorts and sums them\./,
  );
  assert.throws(broken({ columns: [2, 2, 1] }), /increase strictly within a row, got 2 then 2 in row 0/);
  assert.throws(broken({ values: [1, NaN, 3] }), /CsrMatrix: expected finite values, got NaN at row 0, column 2\./);
  assert.throws(broken({ values: [1, 2, -Infinity] }), /got -Infinity at row 2, column 1/);
  assert.throws(broken({ rows: -1 }), /CsrMatrix: expected rows to be a whole number, at least 0, got -1\./);
  assert.throws(broken({ cols: 1.5 }), /CsrMatrix: expected cols to be a whole number/);
});

test('arrays of another kind are refused as such', () => {
  const loose = CsrMatrix as unknown as new (...parts: unknown[]) => CsrMatrix;
  assert.throws(() => new loose(3, 3, [0, 2, 2, 3], columns, values), /CsrMatrix: expected starts to be an Int32Array/);
  assert.throws(() => new loose(3, 3, starts, [0, 2, 1], values), /CsrMatrix: expected columns to be an Int32Array/);
  assert.throws(
    () => new loose(3, 3, starts, columns, [1, 2, 3]),
    (error: Error) =>
      error instanceof TypeError && /expected values to be a Float32Array or Float64Array/.test(error.message),
  );
});

test('no sixth argument gets past the checks', () => {
  const loose = CsrMatrix as unknown as new (...parts: unknown[]) => CsrMatrix;
  for (const key of [true, {}, Symbol('canonical by construction')]) {
    assert.throws(() => new loose(3, 3, starts, Int32Array.of(2, 0, 1), values, key), /increase strictly/);
  }
});

test.run();
