import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as fc from 'fast-check';
import { Random } from '../../lib/index.ts';
import { combine, diagonalMatrix, fromTriplets, mapValues, symmetrize } from '../../lib/doors/sparse.ts';
import { transpose } from '../../lib/sparse/combine.ts';
import { anyMatrix, anySquare, randomMatrix, runs } from './arbitrary.ts';
import { assertCanonical, assertSame, denseOf, placesOf } from './reference.ts';

const test = suite('sparse combine');

test('transposing swaps every place, and twice changes nothing', () => {
  fc.assert(
    fc.property(anyMatrix, (matrix) => {
      const transposed = transpose(matrix);
      assertCanonical(transposed);
      assert.equal([transposed.rows, transposed.cols], [matrix.cols, matrix.rows]);
      const dense = denseOf(matrix);
      denseOf(transposed).forEach((row, j) => row.forEach((value, i) => assert.is(value, dense[i][j])));
      assertSame(transpose(transposed), matrix);
    }),
    runs,
  );
});

test('αA + βB is that of the dense matrices, and holds the places of both', () => {
  const coefficient = fc.integer({ min: -3, max: 3 });
  fc.assert(
    fc.property(anyMatrix, fc.nat(1000), coefficient, coefficient, (a, seed, alpha, beta) => {
      const b = randomMatrix(new Random(seed), a.rows, a.cols);
      const sum = combine(alpha, a, beta, b);
      assertCanonical(sum);
      const [left, right] = [denseOf(a), denseOf(b)];
      // + 0 turns −0, from coefficients of 0, into 0
      assert.equal(
        denseOf(sum).map((row) => row.map((value) => value + 0)),
        left.map((row, i) => row.map((value, j) => alpha * value + beta * right[i][j] + 0)),
      );
      const places = new Set([...placesOf(a), ...placesOf(b)]);
      assert.equal(new Set(placesOf(sum)), places);
    }),
    runs,
  );
});

test('sums are made in Float64 and have the wider precision of the two', () => {
  const one = { rows: [0], columns: [0], values: [1] };
  const single = fromTriplets(one, [1, 1]);
  const double = fromTriplets({ ...one, values: [0.1] }, [1, 1], 'double');
  assert.is(combine(1, single, 1, double).values[0], 1.1);
  assert.is(combine(1, double, 1, single).precision, 'double');
  assert.is(combine(1, single, 1, single).precision, 'single');
  const large = fromTriplets({ ...one, values: [3e38] }, [1, 1]);
  assert.is(combine(1, large, -1, large).values[0], 0);
});

test('the symmetric part is symmetric in every bit, and one of a symmetric matrix is that matrix', () => {
  fc.assert(
    fc.property(anySquare, (matrix) => {
      const mean = symmetrize(matrix);
      assertCanonical(mean);
      assertSame(transpose(mean), mean);
      const dense = denseOf(matrix);
      denseOf(mean).forEach((row, i) => row.forEach((value, j) => assert.is(value, (dense[i][j] + dense[j][i]) / 2)));
      assertSame(symmetrize(mean), mean);
    }),
    runs,
  );
});

test('sum and max are offered too; what is not stored counts as 0', () => {
  const matrix = fromTriplets({ rows: [0, 0, 1], columns: [1, 2, 0], values: [3, -5, 4] }, [3, 3]);
  assert.equal(denseOf(symmetrize(matrix, 'sum')), [
    [0, 7, -5],
    [7, 0, 0],
    [-5, 0, 0],
  ]);
  assert.equal(denseOf(symmetrize(matrix, 'max')), [
    [0, 4, 0],
    [4, 0, 0],
    [0, 0, 0],
  ]);
});

test('values are changed place by place, and the matrix they come from is not', () => {
  const matrix = fromTriplets({ rows: [0, 1], columns: [2, 1], values: [3, 4] }, [2, 3]);
  const kept = matrix.copy();
  assert.equal(denseOf(mapValues(matrix, (value, row, column) => 100 * row + 10 * column + value)), [
    [0, 0, 23],
    [0, 114, 0],
  ]);
  assertSame(matrix, kept);
});

test('invalid input is refused', () => {
  const a = randomMatrix(new Random(1), 2, 3);
  const b = randomMatrix(new Random(2), 3, 2);
  assert.throws(() => combine(1, a, 1, b), /combine: expected two matrices of the same shape, 2×3, got 3×2\./);
  assert.throws(() => symmetrize(a), /symmetrize: expected two matrices of the same shape, 2×3, got 3×2\./);
  assert.throws(
    () => symmetrize(b, 'least' as 'max'),
    /symmetrize: expected part to be 'mean' or 'sum' or 'max' or 'min', got least\./,
  );
  const large = diagonalMatrix([1, 3e38]);
  assert.throws(
    () => combine(1, large, 1, large),
    /combine: expected finite values, got Infinity at row 1, column 1\./,
  );
  assert.throws(() => combine(NaN, large, 1, large), /combine: expected finite values, got NaN/);
  assert.throws(() => mapValues(large, () => NaN), /mapValues: expected finite values, got NaN at row 0, column 0\./);
});

test.run();
