import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, tensor } from '../../lib/index.ts';
import { cholesky, NotPositiveDefinite } from '../../lib/doors/linalg.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { choleskyInPlace } from '../../lib/linalg/cholesky.ts';
import { diagonal, normalMatrix, positiveMatrix } from './matrices.ts';
import { distance, epsilon, magnitude, matrix, product, transpose } from './plain-algebra.ts';

const test = suite('cholesky');

test('L·Lᵀ = A, L is lower triangular and positive on its diagonal', () => {
  const random = new Random('cholesky');
  for (let k = 1; k <= 12; k++) {
    const a = positiveMatrix(random, k);
    const l = cholesky(a);
    // Each entry is a sum of at most k products of the size of the diagonal: k roundings, and again k in the check.
    assert.ok(distance(product(l, transpose(l)), a) <= 2 * (k + 1) * epsilon * magnitude(a), `k = ${k}`);
    for (let i = 0; i < k; i++) {
      assert.ok(l.at(i, i) > 0);
      for (let j = i + 1; j < k; j++) assert.is(l.at(i, j), 0);
    }
  }
});

test('the argument does not change, and the result is Float64 for all inputs', () => {
  const single = tensor([
    [4, 2],
    [2, 3],
  ]);
  const l = cholesky(single);
  assert.is(l.precision, 'double');
  assert.equal(single.toArray(), [
    [4, 2],
    [2, 3],
  ]);
  assert.equal([...l.data], [2, 0, 1, Math.sqrt(2)]);
});

test('an empty matrix and a single number', () => {
  assert.equal(cholesky(zeros([0, 0])).shape, [0, 0]);
  assert.is(cholesky(tensor([[9]])).item(), 3);
});

test('a diagonal matrix of any scale, however uneven, has the roots as factor', () => {
  const l = cholesky(diagonal([1e-300, 4, 1e-30, 1e300]));
  assert.equal(
    [0, 1, 2, 3].map((i) => l.at(i, i)),
    [1e-300, 4, 1e-30, 1e300].map(Math.sqrt),
  );
});

test('rounding between the triangles is averaged', () => {
  const l = cholesky(tensor({ data: [1, 0.5 + 1e-12, 0.5, 1], shape: [2, 2] }, 'double'));
  assert.ok(Math.abs(l.at(1, 0) - (0.5 + 0.5e-12)) < epsilon);
});

test('a matrix that is not positive definite is refused by pivot, value and scale, and the way out', () => {
  const a = diagonal([2, -3, 1]);
  assert.throws(
    () => cholesky(a),
    /cholesky: expected a positive definite matrix, got pivot 1 of value -3, the largest entry of the diagonal being 3\. Drop dependent columns/,
  );
  try {
    cholesky(a);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, NotPositiveDefinite);
    assert.instance(error, RangeError);
    assert.is((error as NotPositiveDefinite).pivot, 1);
    assert.is((error as NotPositiveDefinite).value, -3);
  }
  assert.throws(() => cholesky(zeros([2, 2])), /got pivot 0 of value 0, the largest entry of the diagonal being 0\./);
});

test('the Gram matrix of dependent columns is refused whichever sign rounding gives its last pivot', () => {
  let positive = 0;
  for (let seed = 0; seed < 100; seed++) {
    const x = normalMatrix(new Random(seed), 8, 4);
    for (let i = 0; i < 8; i++) x.data[i * 4 + 3] = x.at(i, 0) + x.at(i, 1);
    const gram = product(transpose(x), x);
    const work = gram.data.slice();
    const pivot = choleskyInPlace(4, work);
    assert.is(pivot, 3, `seed ${seed}`);
    if (work[15] > 0) positive++;
    assert.throws(() => cholesky(gram), /got pivot 3/);
  }
  assert.ok(positive > 10, `a test on the sign alone would have let ${positive} of 100 pass`);
});

test('in place: −1 for success, the lower triangle alone is read, room behind the matrix is left alone', () => {
  const a = new Float64Array([4, NaN, 2, 3, 7]);
  assert.is(choleskyInPlace(2, a), -1);
  assert.equal([...a], [2, 0, 1, Math.sqrt(2), 7]);
  assert.is(choleskyInPlace(0, a), -1);
});

test('in place: a failure keeps the rows above, puts the value at the pivot and leaves the rows below', () => {
  const a = new Float64Array([1, 0, 0, 2, 3, 0, 5, 6, 7]);
  assert.is(choleskyInPlace(3, a), 1);
  assert.equal([...a], [1, 0, 0, 2, -1, 0, 5, 6, 7]);
  assert.is(choleskyInPlace(1, new Float64Array([NaN])), 0);
  assert.is(choleskyInPlace(1, new Float64Array([Infinity])), 0);
});

test('a matrix that is not symmetric is refused', () => {
  assert.throws(() => cholesky(zeros([2, 3])), /cholesky: expected a to be square, got 2×3/);
  assert.throws(() => cholesky(zeros([4])), /cholesky: expected a to have two axes, got shape 4/);
  assert.throws(() => cholesky(tensor([[NaN]])), /cholesky: expected finite numbers in a, got NaN at index 0/);
  assert.throws(
    () =>
      cholesky(
        tensor([
          [1, 0],
          [Infinity, 1],
        ]),
      ),
    /got Infinity at row 1, column 0/,
  );
  assert.throws(
    () => cholesky([[1]] as never),
    /cholesky: expected tensors or variables, got an array of length 1\. tensor\(\) makes one/,
  );
  const uneven = diagonal([1, 1, 1]);
  uneven.data[5] = 0.25;
  assert.throws(
    () => cholesky(uneven),
    /expected a to be symmetric, got 0 at row 2, column 1 but 0\.25 at row 1, column 2\. Pass \(A \+ Aᵀ\)\/2\./,
  );
});

test('Float32 is allowed the asymmetry of its own rounding, Float64 is not', () => {
  const uneven = [
    [1, 0.5 + 1e-7],
    [0.5, 1],
  ];
  assert.not.throws(() => cholesky(tensor(uneven)));
  assert.throws(() => cholesky(tensor(uneven, 'double')), /expected a to be symmetric/);
});

test('the Hilbert matrix has the factor √(2j+1)·i!² / ((i−j)!·(i+j+1)!)', () => {
  const k = 8;
  const l = cholesky(matrix(k, k, (i, j) => 1 / (i + j + 1)));
  const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));
  const exact = matrix(k, k, (i, j) =>
    i < j ? 0 : (Math.sqrt(2 * j + 1) * factorial(i) ** 2) / (factorial(i - j) * factorial(i + j + 1)),
  );
  // The condition number is 1.5e10: the factor is far less accurate (measured error: 1.1e-12) than the product of the factors.
  assert.ok(distance(l, exact) < 1e-11, `${distance(l, exact)}`);
  assert.ok(
    distance(
      product(l, transpose(l)),
      matrix(k, k, (i, j) => 1 / (i + j + 1)),
    ) <
      4 * epsilon,
  );
});

test.run();
