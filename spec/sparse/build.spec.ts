import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as fc from 'fast-check';
import { type Precision, Random, tensor } from '../../lib/index.ts';
import { diagonalMatrix, fromCsr, fromDense, fromTriplets, identity } from '../../lib/doors/sparse.ts';
import { toDense, toTriplets } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { anyEntries, anyMatrix, matrixOf, runs } from './arbitrary.ts';
import { assertCanonical, assertSame, denseOf, denseZeros, placesOf } from './reference.ts';

const test = suite('sparse build');

test('triplets in any order add up as in a dense matrix', () => {
  fc.assert(
    fc.property(anyEntries, (given) => {
      const expected = denseZeros(given.rows, given.cols);
      for (const [i, j, value] of given.entries) expected[i][j] += value;
      const matrix = matrixOf(given);
      assertCanonical(matrix);
      assert.equal(denseOf(matrix), expected);
      assert.is(matrix.nonzeros, new Set(given.entries.map(([i, j]) => `${i},${j}`)).size);
    }),
    runs,
  );
});

test('a matrix is the matrix of its own triplets, and of its own CSR arrays', () => {
  fc.assert(
    fc.property(anyMatrix, (matrix) => {
      assertSame(fromTriplets(toTriplets(matrix), [matrix.rows, matrix.cols]), matrix);
      assertSame(fromCsr(matrix, [matrix.rows, matrix.cols]), matrix);
    }),
    runs,
  );
});

test('going through a dense matrix drops zeros and nothing else', () => {
  fc.assert(
    fc.property(anyMatrix, (matrix) => {
      const back = fromDense(toDense(matrix));
      assertCanonical(back);
      assert.equal(denseOf(back), denseOf(matrix));
      assert.ok(back.values.every((value) => value !== 0));
    }),
    runs,
  );
});

test('long rows in reverse order and in random order are sorted too', () => {
  const random = new Random(4);
  for (const length of [255, 256, 257, 258, 3000]) {
    const reversed = Int32Array.from({ length }, (_, k) => length - 1 - k);
    for (const columns of [reversed, random.permutation(length)]) {
      const rows = columns.map((_, k) => (k % 3 === 0 ? 1 : 0));
      const matrix = fromTriplets({ rows, columns, values: columns }, [2, length]);
      assertCanonical(matrix);
      columns.forEach((column, k) => assert.is(denseOf(matrix)[rows[k]][column], column));
      assert.is(matrix.nonzeros, length);
    }
  }
});

test('entries of one place are added in Float64, in the order given, for short rows and long ones', () => {
  // 1e16 + 1 − 1e16 is 0 in this order; any other order gives 1. In Float32 2²⁴ + 1 + 1 would stay 2²⁴.
  const descending = (length: number) => Array.from({ length }, (_, k) => length - k);
  for (const others of [[], descending(3), descending(400)]) {
    const columns = [...others, 0, 0, 0];
    const rows = columns.map(() => 0);
    const sum = (precision: Precision, ...values: number[]) =>
      fromTriplets({ rows, columns, values: [...others, ...values] }, [1, 401], precision).values[0];
    assert.is(sum('double', 1e16, 1, -1e16), 0);
    assert.is(sum('double', 1e16, -1e16, 1), 1);
    assert.is(sum('single', 2 ** 24, 1, 1), 2 ** 24 + 2);
  }
});

test('explicit zeros stay, also where entries cancel', () => {
  const matrix = fromTriplets({ rows: [0, 1, 1], columns: [1, 0, 0], values: [0, 5, -5] }, [2, 2]);
  assert.equal(placesOf(matrix), ['0,1', '1,0']);
  assert.equal([...matrix.values], [0, 0]);
});

test('the default is single precision; a dense matrix keeps its own', () => {
  const one = { rows: [0], columns: [0], values: [0.1] };
  assert.is(fromTriplets(one, [1, 1]).values[0], Math.fround(0.1));
  assert.is(fromTriplets(one, [1, 1], 'double').values[0], 0.1);
  assert.is(fromDense(zeros([1, 1], 'double')).precision, 'double');
  assert.is(fromDense(zeros([1, 1], 'double'), 'single').precision, 'single');
  assert.is(fromDense(zeros([1, 1])).precision, 'single');
  assert.is(diagonalMatrix([1]).precision, 'single');
  assert.is(identity(1, 'double').precision, 'double');
});

test('typed arrays and plain lists give the same', () => {
  const lists = { rows: [1, 0], columns: [0, 1], values: [2, 3] };
  const typed = { rows: Int32Array.of(1, 0), columns: Uint16Array.of(0, 1), values: Float32Array.of(2, 3) };
  assertSame(fromTriplets(typed, [2, 2]), fromTriplets(lists, [2, 2]));
});

test('a diagonal and the identity have one entry in each row, zeros kept', () => {
  assert.equal(denseOf(diagonalMatrix([1, 0, 3])), [
    [1, 0, 0],
    [0, 0, 0],
    [0, 0, 3],
  ]);
  assert.is(diagonalMatrix([1, 0, 3]).nonzeros, 3);
  assertSame(identity(3), diagonalMatrix([1, 1, 1]));
  assert.is(identity(0).rows, 0);
  assertCanonical(identity(5));
});

test('CSR arrays of others are sorted and added up', () => {
  const matrix = fromCsr({ starts: [0, 3, 3, 5], columns: [2, 0, 2, 1, 1], values: [1, 2, 3, 4, 5] }, [3, 3]);
  assertCanonical(matrix);
  assert.equal(denseOf(matrix), [
    [2, 0, 4],
    [0, 0, 0],
    [0, 9, 0],
  ]);
});

test('input that makes no matrix is refused', () => {
  const one = { rows: [0], columns: [0], values: [1] };
  assert.throws(
    () => fromTriplets({ ...one, rows: [2] }, [2, 2]),
    /fromTriplets: expected rows to be whole numbers from 0 to 1, got 2 at index 0\./,
  );
  assert.throws(
    () => fromTriplets({ ...one, columns: [-1] }, [2, 2]),
    /fromTriplets: expected columns .* got -1 at index 0/,
  );
  assert.throws(() => fromTriplets({ ...one, columns: [0.5] }, [2, 2]), /got 0\.5 at index 0/);
  assert.throws(() => fromTriplets({ ...one, columns: [NaN] }, [2, 2]), /got NaN at index 0/);
  assert.throws(
    () => fromTriplets({ ...one, values: [] }, [2, 2]),
    /fromTriplets: expected rows, columns and values of equal length, got 1, 1 and 0\./,
  );
  assert.throws(
    () => fromTriplets({ ...one, values: [NaN] }, [2, 2]),
    /fromTriplets: expected finite values, got NaN at row 0, column 0\./,
  );
  assert.throws(() => fromTriplets({ ...one, values: [1e39] }, [2, 2]), /got Infinity .* Pass precision 'double'/);
  assert.is(fromTriplets({ ...one, values: [1e39] }, [2, 2], 'double').values[0], 1e39);
  assert.throws(
    () => fromTriplets(one, [2, -1]),
    /fromTriplets: expected cols to be a whole number, at least 0, got -1\./,
  );
  assert.throws(() => fromTriplets(one, [2] as unknown as [number, number]), /expected the shape as \[rows, cols\]/);
  assert.throws(
    () => fromTriplets({ ...one, values: null as unknown as number[] }, [1, 1]),
    /fromTriplets: expected values to be an array of numbers, got null/,
  );
  assert.throws(
    () => fromTriplets({ ...one, rows: 3 as unknown as number[] }, [1, 1]),
    /fromTriplets: expected rows to be an array of numbers, got 3/,
  );
  assert.throws(
    () => fromCsr({ starts: [0, 2], columns: [0], values: [1] }, [1, 1]),
    /fromCsr: expected starts to end with 1, got 2\./,
  );
  assert.throws(
    () => fromCsr({ starts: [0, 1, 0, 1], columns: [0], values: [1] }, [3, 1]),
    /fromCsr: expected starts that never decrease, got 1 then 0 at row 1\./,
  );
  assert.throws(() => fromDense(tensor([1, 2])), /fromDense: expected a matrix with two axes, got 2\./);
  assert.throws(() => fromDense(tensor([[1, NaN]])), /fromDense: expected finite values, got NaN at row 0, column 1\./);
  assert.throws(
    () => diagonalMatrix([1, Infinity]),
    /diagonalMatrix: expected finite values, got Infinity at row 1, column 1/,
  );
  assert.throws(() => identity(-2), /identity: expected size to be a whole number, at least 0, got -2\./);
});

test.run();
