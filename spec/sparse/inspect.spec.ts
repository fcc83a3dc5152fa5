import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as fc from 'fast-check';
import { diagonalMatrix, fromTriplets, symmetrize } from '../../lib/doors/sparse.ts';
import { asymmetry, bandwidth, diagonal, rowSums, toDense, toTriplets } from '../../lib/doors/sparse.ts';
import { anyMatrix, anySquare, runs } from './arbitrary.ts';
import { denseOf } from './reference.ts';

const test = suite('sparse inspect');

test('row sums, diagonal, entries and the dense form are those of the raw arrays', () => {
  fc.assert(
    fc.property(anyMatrix, (matrix) => {
      const dense = denseOf(matrix);
      assert.equal(
        [...rowSums(matrix)],
        dense.map((row) => row.reduce((sum, value) => sum + value, 0)),
      );
      const side = Math.min(matrix.rows, matrix.cols);
      assert.equal(
        [...diagonal(matrix)],
        Array.from({ length: side }, (_, i) => dense[i][i]),
      );
      assert.equal(toDense(matrix).shape, [matrix.rows, matrix.cols]);
      assert.equal([...toDense(matrix).data], dense.flat());
    }),
    runs,
  );
});

test('row sums keep what Float32 would lose', () => {
  const values = [2 ** 24, 1, 1, 1];
  const matrix = fromTriplets({ rows: [0, 0, 0, 0], columns: [0, 1, 2, 3], values }, [1, 4]);
  assert.equal([...rowSums(matrix)], [2 ** 24 + 3]);
});

test('triplets come by row, then column, in arrays of their own', () => {
  const matrix = fromTriplets({ rows: [2, 0, 2], columns: [1, 1, 0], values: [3, 4, 5] }, [3, 2]);
  const triplets = toTriplets(matrix);
  assert.equal([...triplets.rows], [0, 2, 2]);
  assert.equal([...triplets.columns], [1, 0, 1]);
  assert.equal([...triplets.values], [4, 5, 3]);
  triplets.values.fill(0);
  triplets.columns.fill(0);
  assert.equal([...matrix.values], [4, 5, 3]);
  assert.equal([...matrix.columns], [1, 0, 1]);
});

test('asymmetry is the largest difference of two mirrored entries, 0 for a symmetric matrix', () => {
  fc.assert(
    fc.property(anySquare, (matrix) => {
      const dense = denseOf(matrix);
      let worst = 0;
      dense.forEach((row, i) => row.forEach((value, j) => (worst = Math.max(worst, Math.abs(value - dense[j][i])))));
      assert.is(asymmetry(matrix), worst);
      assert.is(asymmetry(symmetrize(matrix)), 0);
    }),
    runs,
  );
});

test('bandwidth is the distance of the farthest entry from the diagonal', () => {
  assert.is(bandwidth(diagonalMatrix([1, 2])), 0);
  assert.is(bandwidth(fromTriplets({ rows: [], columns: [], values: [] }, [3, 3])), 0);
  assert.is(bandwidth(fromTriplets({ rows: [4, 1], columns: [1, 3], values: [1, 1] }, [5, 5])), 3);
  assert.is(bandwidth(fromTriplets({ rows: [0, 4], columns: [4, 3], values: [1, 1] }, [5, 5])), 4);
});

test('matrices that are not square are refused', () => {
  const matrix = fromTriplets({ rows: [0], columns: [0], values: [1] }, [2, 3]);
  assert.throws(() => asymmetry(matrix), /asymmetry: expected a square matrix, got 2×3\./);
});

test.run();
