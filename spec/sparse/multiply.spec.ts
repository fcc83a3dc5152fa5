import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/core/random.ts';
import { identity } from '../../lib/sparse/build.ts';
import { transpose } from '../../lib/sparse/combine.ts';
import { multiply, multiplyInto, multiplyTransposed, multiplyTransposedInto } from '../../lib/sparse/multiply.ts';
import { tensor } from '../../lib/tensor/convert.ts';
import { type Precision, type Tensor, zeros } from '../../lib/tensor/tensor.ts';
import { type Dense, denseOf, denseZeros, randomMatrix } from './reference.ts';

const test = suite('sparse multiply');

const precisions: readonly Precision[] = ['single', 'double'];

function wholeNumbers(random: Random, shape: number[], precision: Precision): Tensor {
  const x = zeros(shape, precision);
  for (let i = 0; i < x.size; i++) x.data[i] = random.integer(17) - 8;
  return x;
}

/** Row i of the product, by the definition; whole numbers, so that no order of summing matters. */
function slowly(a: Dense, rows: number, x: Tensor): number[] {
  const width = x.cols;
  const out = denseZeros(rows, width);
  a.forEach((row, i) =>
    row.forEach((value, j) => {
      for (let c = 0; c < width; c++) out[i][c] += value * x.data[j * width + c];
    }),
  );
  return out.flat();
}

test('products of all small shapes and widths from 0 to 9 are those of the dense matrix', () => {
  const random = new Random('products');
  for (const precision of precisions) {
    for (const [rows, cols] of [
      [0, 0],
      [0, 3],
      [3, 0],
      [1, 1],
      [1, 7],
      [7, 1],
      [5, 8],
      [40, 33],
    ]) {
      for (let width = 0; width <= 9; width++) {
        const a = randomMatrix(random, rows, cols, precision);
        const x = wholeNumbers(random, [cols, width], precision);
        const product = multiply(a, x);
        assert.equal(product.shape, [rows, width]);
        assert.is(product.precision, precision);
        assert.equal([...product.data], slowly(denseOf(a), rows, x));
        const y = wholeNumbers(random, [rows, width], precision);
        const turned = multiplyTransposed(a, y);
        assert.equal(turned.shape, [cols, width]);
        assert.equal([...turned.data], [...multiply(transpose(a), y).data]);
      }
    }
  }
});

test('the identity changes nothing, and a vector stays a vector', () => {
  const x = tensor([3, 1, 2]);
  const product = multiply(identity(3), x);
  assert.equal(product.shape, [3]);
  assert.equal([...product.data], [3, 1, 2]);
  assert.equal(multiplyTransposed(identity(3), tensor([[[1, 2]], [[3, 4]], [[5, 6]]])).shape, [3, 1, 2]);
});

test('⟨A·x, y⟩ = ⟨x, Aᵀ·y⟩', () => {
  const random = new Random('adjoint');
  const dot = (a: Tensor, b: Tensor) => Array.from(a.data).reduce((sum, value, i) => sum + value * b.data[i], 0);
  for (let round = 0; round < 50; round++) {
    const [rows, cols, width] = [random.integer(9), random.integer(9), random.integer(5)];
    const a = randomMatrix(random, rows, cols, 'double');
    const x = wholeNumbers(random, [cols, width], 'double');
    const y = wholeNumbers(random, [rows, width], 'double');
    assert.is(dot(multiply(a, x), y), dot(x, multiplyTransposed(a, y)));
  }
});

test('into a tensor that is there: overwritten, or added to', () => {
  const random = new Random('into');
  for (const precision of precisions) {
    const a = randomMatrix(random, 4, 6, precision);
    const x = wholeNumbers(random, [6, 3], precision);
    const y = wholeNumbers(random, [4, 3], precision);
    const forward = zeros([4, 3], precision);
    forward.data.fill(100);
    multiplyInto(a, x, forward);
    assert.equal([...forward.data], [...multiply(a, x).data]);
    multiplyInto(a, x, forward, true);
    assert.equal(
      [...forward.data],
      [...multiply(a, x).data].map((value) => 2 * value),
    );
    const backward = zeros([6, 3], precision);
    backward.data.fill(100);
    multiplyTransposedInto(a, y, backward);
    assert.equal([...backward.data], [...multiplyTransposed(a, y).data]);
    multiplyTransposedInto(a, y, backward, true);
    assert.equal(
      [...backward.data],
      [...multiplyTransposed(a, y).data].map((value) => 2 * value),
    );
  }
});

test('shapes, precisions and storage that do not fit are refused in words', () => {
  const a = randomMatrix(new Random(1), 4, 6);
  const x = zeros([6, 2]);
  assert.throws(
    () => multiply(a, zeros([5, 2])),
    /multiply: expected x with 6 rows, one for each of the matrix's columns, got 5×2\./,
  );
  assert.throws(
    () => multiplyTransposed(a, x),
    /multiplyTransposed: expected x with 4 rows, one for each of the matrix's rows, got 6×2\./,
  );
  assert.throws(() => multiply(randomMatrix(new Random(1), 1, 1), zeros([])), /got a single number/);
  assert.throws(
    () => multiply(a, zeros([6, 2], 'double')),
    /multiply: expected x in single precision, as the matrix, got double\. Either has copy\(precision\)\./,
  );
  assert.throws(() => multiplyInto(a, x, zeros([4, 3])), /multiplyInto: expected out of shape 4×2, got 4×3\./);
  assert.throws(() => multiplyInto(a, x, zeros([3, 2])), /multiplyInto: expected out of shape 4×2, got 3×2\./);
  assert.throws(() => multiplyInto(a, x, zeros([4, 2], 'double')), /multiplyInto: expected out in single precision/);
  assert.throws(
    () => multiplyTransposedInto(a, zeros([4, 2]), zeros([5, 2])),
    /multiplyTransposedInto: expected out of shape 6×2, got 5×2\./,
  );
  const shared = zeros([8, 2]);
  const [low, high] = [shared.rowRange(0, 6), shared.rowRange(4, 8)];
  assert.throws(() => multiplyInto(a, low, high), /multiplyInto: expected out apart from x, got the same storage\./);
  const roomy = zeros([10, 2]);
  assert.not.throws(() => multiplyInto(a, roomy.rowRange(0, 6), roomy.rowRange(6, 10)));
  assert.not.throws(() => multiplyInto(a, roomy.rowRange(4, 10), roomy.rowRange(0, 4)));
});

test.run();
