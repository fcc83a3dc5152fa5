/** Slices, blocks and halves: exact round trips, and products as those of the dense matrix. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as fc from 'fast-check';
import { Random, tensor } from '../../lib/index.ts';
import {
  type CsrMatrix,
  fromBlocked,
  fromCsr,
  fromDense,
  fromHalf,
  fromSliced,
  fromTriplets,
  type SparseMatrix,
  sparseProduct,
  symmetrize,
  toBlocked,
  toHalf,
  toSliced,
  transposedProduct,
} from '../../lib/doors/sparse.ts';
import { transpose } from '../../lib/sparse/combine.ts';
import { toTransposedSlices } from '../../lib/sparse/formats/sliced.ts';
import { keptCopy } from '../../lib/sparse/formats/transposed.ts';
import { zeros } from '../../lib/tensor/tensor.ts';
import { anyMatrix, anySquare, runs } from './arbitrary.ts';
import { assertCanonical, denseOf } from './reference.ts';

const test = suite('sparse formats');

/** Integers, so that all sums are exact. */
function numbers(rows: number, cols: number, precision: 'single' | 'double') {
  const random = new Random(5);
  const made = zeros([rows, cols], precision);
  for (let i = 0; i < made.data.length; i++) made.data[i] = random.integer(9) - 4;
  return made;
}

function same(a: CsrMatrix, b: CsrMatrix): void {
  assertCanonical(a);
  assert.equal([a.rows, a.cols, a.precision], [b.rows, b.cols, b.precision]);
  for (const part of ['starts', 'columns', 'values'] as const) assert.equal([...a[part]], [...b[part]], part);
}

function check(matrix: CsrMatrix): void {
  same(fromSliced(toSliced(matrix)), matrix);
  same(fromBlocked(toBlocked(matrix)), matrix);
  const slices = toTransposedSlices(matrix);
  assert.equal(slices, toSliced(transpose(matrix)));
  const dense = denseOf(matrix);
  for (const width of [1, 3]) {
    const x = numbers(matrix.cols, width, matrix.precision);
    const expected = dense.flatMap((row) =>
      Array.from({ length: width }, (_, c) => row.reduce((sum, value, j) => sum + value * x.data[j * width + c], 0)),
    );
    const formats: SparseMatrix[] = [matrix, toBlocked(matrix), toSliced(matrix)];
    for (const each of formats) assert.equal([...sparseProduct(each, x).data].map((v) => v + 0), expected.map((v) => v + 0)); // oxfmt-ignore
    const y = numbers(matrix.rows, width, matrix.precision);
    const transposed = Array.from({ length: matrix.cols * width }, (_, at) =>
      dense.reduce((sum, row, i) => sum + row[Math.floor(at / width)] * y.data[i * width + (at % width)], 0),
    );
    assert.equal([...transposedProduct(matrix, y).data].map((v) => v + 0), transposed.map((v) => v + 0)); // oxfmt-ignore
    assert.equal([...sparseProduct(slices, y).data].map((v) => v + 0), transposed.map((v) => v + 0)); // oxfmt-ignore
  }
}

test('any matrix comes back as it was, and multiplies as the dense one does', () => {
  fc.assert(fc.property(anyMatrix, check), runs);
});

test('one half of any symmetric matrix: half of the entries, an exact round trip, and the product of the dense matrix', () => {
  fc.assert(
    fc.property(anySquare, (given) => {
      for (const precision of ['single', 'double'] as const) {
        const matrix = symmetrize(given, 'sum').copy(precision);
        const half = toHalf(matrix);
        same(fromHalf(half), matrix);
        const onDiagonal = matrix.columns.filter((j, e) => e >= matrix.starts[j] && e < matrix.starts[j + 1]);
        assert.is(2 * half.values.length + onDiagonal.length, matrix.nonzeros);
        const dense = denseOf(matrix);
        for (const width of [1, 3, 9]) {
          const x = numbers(matrix.cols, width, precision);
          const expected = dense.flatMap((row) =>
            Array.from({ length: width }, (_, c) =>
              row.reduce((sum, value, j) => sum + value * x.data[j * width + c], 0),
            ),
          );
          assert.equal([...sparseProduct(half, x).data].map((v) => v + 0), expected.map((v) => v + 0)); // oxfmt-ignore
        }
      }
    }),
    runs,
  );
});

test('halves of 0, 1, 3, 7 and 40 rows, with zeros that are stored and rows without entries', () => {
  for (const size of [0, 1, 3, 7, 40]) {
    const places = Array.from({ length: size }, (_, i) => [i, (i * 7 + 3) % size, i % 3]).filter(([i]) => i % 4 !== 1);
    const both = places.flatMap(([i, j, value]) => (i === j ? [[i, j, value]] : [[i, j, value], [j, i, value]])); // oxfmt-ignore
    const [rows, columns, values] = [0, 1, 2].map((k) => both.map((place) => place[k]));
    const matrix = fromTriplets({ rows, columns, values }, [size, size]);
    const half = toHalf(matrix);
    same(fromHalf(half), matrix);
    assert.is(half.nonzeros, matrix.nonzeros);
  }
});

test('toHalf refuses what is not equal to its transpose, in position or value, and says where', () => {
  const cases = [
    [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
    [[1, 2, 0], [2, 1, 0], [0, 1, 1]],
    [[1, 0, 5], [0, 1, 0], [0, 0, 1]],
    [[0, 1, 0], [1, 0, 2], [0, 2.5, 0]],
  ]; // oxfmt-ignore
  for (const rows of cases) assert.throws(() => toHalf(fromDense(tensor(rows))), /toHalf: expected a symmetric matrix, got entries \(\d, \d\) and \(\d, \d\) that differ/); // oxfmt-ignore
  const below = fromDense(tensor([[0, 0, 0], [0, 0, 7], [5, 7, 0]])); // oxfmt-ignore
  assert.throws(() => toHalf(below), /got entries \(2, 0\) and \(0, 2\) that differ/);
  assert.throws(() => toHalf(fromDense(tensor([[1, 2]]))), /toHalf: expected a square matrix, got 1×2/);
  assert.throws(() => fromHalf({} as never), /fromHalf: expected what toHalf returned/);
});

test('sizes around those of slices and blocks, empty rows, a dense row, in both precisions', () => {
  const random = new Random(4);
  for (const precision of ['single', 'double'] as const) {
    for (const rows of [0, 1, 3, 7, 8, 9, 33, 300]) {
      for (const cols of [1, 3, 4, 5, 21]) {
        const places = Array.from({ length: rows * cols }, (_, p) => p);
        // Every third row is empty, and row 7 is full.
        const kept = places.filter((p) => {
          const row = Math.floor(p / cols);
          return row === 7 || (row % 3 !== 1 && random.integer(3) === 0);
        });
        const triplets = {
          rows: kept.map((p) => Math.floor(p / cols)),
          columns: kept.map((p) => p % cols),
          values: kept.map(() => random.integer(7) - 3),
        };
        check(fromTriplets(triplets, [rows, cols], precision));
      }
    }
  }
});

test('places that are given twice are summed before a matrix is converted', () => {
  const twice = fromCsr({ starts: [0, 3, 3], columns: [4, 1, 4], values: [1, 2, 3] }, [2, 5]);
  assert.is(twice.nonzeros, 2);
  check(twice);
});

test('transposedProduct keeps a copy after some products, unless it may not or slices would be padding, and bits stay', () => {
  const random = new Random(9);
  const places = Array.from({ length: 900 }, () => [random.integer(60), random.integer(50)]);
  const triplets = { rows: places.map(([i]) => i), columns: places.map(([, j]) => j), values: places.map(() => random.normal()) }; // oxfmt-ignore
  for (const precision of ['single', 'double'] as const) {
    const [matrix, without] = [0, 1].map(() => fromTriplets(triplets, [60, 50], precision));
    const skewed = fromTriplets({ rows: [0, 1, 2, 3, 4, 5, 6, 7], columns: [0, 0, 0, 0, 0, 0, 0, 0], values: [1, 2, 3, 4, 5, 6, 7, 8] }, [8, 8], precision); // oxfmt-ignore
    for (const width of [1, 5]) {
      const x = zeros([60, width], precision);
      random.fillNormal(x.data);
      const first = transposedProduct(without, x, { keepCopy: false });
      for (let call = 0; call < 30; call++) {
        assert.equal(transposedProduct(matrix, x).data, first.data);
        transposedProduct(without, x, { keepCopy: false });
        transposedProduct(skewed, numbers(8, 1, precision));
      }
    }
    assert.ok(keptCopy(matrix));
    assert.is(keptCopy(without), null);
    assert.is(keptCopy(skewed), null);
  }
});

test('rows of about equal length stay in order; others are sorted within windows', () => {
  assert.ok(toSliced(fromDense(tensor(Array.from({ length: 16 }, () => [1, 2])))).isOrdered);
  const lengths = Array.from({ length: 600 }, (_, i) => (i % 16 < 8 ? 1 : 0) + (i % 2 === 0 ? 6 : 0));
  const rows = lengths.flatMap((length, i) => new Array<number>(length).fill(i));
  const columns = lengths.flatMap((length) => Array.from({ length }, (_, k) => k));
  const matrix = fromTriplets({ rows, columns, values: rows.map(() => 1) }, [600, 9]);
  const { isOrdered, order, values } = toSliced(matrix);
  assert.not(isOrdered);
  assert.ok(order.slice(0, 256).every((row) => row < 256) && order.slice(256, 512).every((row) => row >= 256 && row < 512)); // oxfmt-ignore
  assert.ok(values.length < 1.1 * matrix.nonzeros, `${values.length} places for ${matrix.nonzeros} entries`);
});

test('wrong factors are refused in words', () => {
  const matrix = fromDense(tensor([[1, 2]]));
  const x = tensor([[1], [2]]);
  assert.throws(() => sparseProduct(matrix, tensor([[1]])), /sparseProduct: expected x with 2 rows, got 1/);
  assert.throws(() => transposedProduct(matrix, x), /transposedProduct: expected x with 1 rows, got 2/);
  assert.throws(() => sparseProduct(matrix, tensor([[1], [2]], 'double')), /x of precision 'single' like the matrix, got double/); // oxfmt-ignore
  assert.throws(() => sparseProduct({} as never, x), /sparseProduct: expected a CsrMatrix, or what toSliced/);
  assert.throws(
    () => transposedProduct(matrix, tensor([[1]]), { copy: true } as never),
    /transposedProduct: unknown option 'copy'; known is keepCopy/,
  );
  assert.throws(() => transposedProduct(toSliced(matrix) as never, tensor([[1]])), /expected a CsrMatrix/);
});

test.run();
