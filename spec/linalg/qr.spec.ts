import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, tensor } from '../../lib/index.ts';
import { cholesky, numericalRank } from '../../lib/doors/linalg.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { thinQr, thinQrInto } from '../../lib/linalg/qr.ts';
import { identity, normalMatrix } from './matrices.ts';
import { distance, epsilon, magnitude, matrix, type Matrix, product, transpose } from './plain-algebra.ts';
import { shapes } from '../shapes.ts';

const test = suite('qr');

/** Checks that Q has orthonormal columns, that QR = A, and that R is triangular without a negative pivot. */
function holds(a: Matrix, name: string) {
  const { q, r } = thinQr(a);
  const k = a.cols;
  // Householder's bound is a small multiple of n·k·ε; sums of random signs stay far below 4k·√n.
  const tolerance = 4 * (k + 1) * Math.sqrt(a.rows + 1) * epsilon;
  const orthogonality = distance(product(transpose(q), q), identity(k));
  assert.ok(orthogonality <= tolerance, `${name}: QᵀQ − I = ${orthogonality}`);
  const residual = distance(product(q, r), a);
  assert.ok(residual <= tolerance * magnitude(a), `${name}: QR − A = ${residual}`);
  for (let i = 0; i < k; i++) {
    assert.ok(r.at(i, i) >= 0, `${name}: pivot ${i} is ${r.at(i, i)}`);
    for (let j = 0; j < i; j++) assert.is(r.at(i, j), 0);
  }
  return { q, r };
}

test('QᵀQ = I, QR = A and R is upper triangular with a positive diagonal', () => {
  const random = new Random('qr');
  for (const [n, k] of shapes('1×1', '2×2', '5×1', '5×3', '8×8', '50×4', '300×20')) {
    const { r } = holds(normalMatrix(random, n, k), `${n}×${k}`);
    for (let i = 0; i < k; i++) assert.ok(r.at(i, i) > 0);
  }
});

test('the factors are unique: of Q·R come Q and R, and R is the Cholesky factor of AᵀA', () => {
  const random = new Random('unique');
  const { q } = thinQr(normalMatrix(random, 12, 4));
  const r = matrix(4, 4, (i, j) => (i === j ? random.uniform(1, 2) : j > i ? random.normal() : 0));
  const a = product(q, r);
  const again = thinQr(a);
  assert.ok(distance(again.q, q) < 100 * epsilon);
  assert.ok(distance(again.r, r) < 100 * epsilon);
  assert.ok(distance(transpose(cholesky(product(transpose(a), a))), r) < 1000 * epsilon);
});

test('no columns, and no rows', () => {
  const { q, r } = thinQr(zeros([3, 0]));
  assert.equal(
    [q.shape, r.shape],
    [
      [3, 0],
      [0, 0],
    ],
  );
  assert.equal(thinQr(zeros([0, 0])).q.shape, [0, 0]);
});

test('the identity and negative columns keep the sign convention exactly', () => {
  const { q, r } = thinQr(identity(3));
  assert.equal([q.data, r.data], [identity(3).data, identity(3).data]);
  const negative = thinQr(tensor([[-3], [-4]]));
  assert.ok(Math.abs(negative.r.item() - 5) <= 5 * epsilon);
  assert.ok(distance(negative.q, tensor([[-0.6], [-0.8]], 'double')) <= epsilon);
});

test('dependent columns leave a pivot of rounding size, and Q orthonormal all the same', () => {
  const a = normalMatrix(new Random('dependent'), 20, 4);
  for (let i = 0; i < 20; i++) a.data[i * 4 + 2] = a.at(i, 0) - 2 * a.at(i, 1);
  const { r } = holds(a, 'dependent');
  assert.ok(r.at(2, 2) < 100 * epsilon, `${r.at(2, 2)}`);
  assert.ok(r.at(3, 3) > 0.1);
  assert.is(numericalRank(r), 3);
});

test('the rank is determined from all of R, because a zero pivot can hide the next column', () => {
  const a = matrix(4, 3, (i, j) => ((j < 2 && i === 0) || (j === 2 && i === 1) ? 1 : 0));
  const { r } = holds(a, 'hidden');
  assert.is(r.at(1, 1), 0);
  assert.is(r.at(2, 2), 0);
  assert.is(numericalRank(r), 2);
});

test('a matrix of zeros has R = 0 and still an orthonormal Q', () => {
  const { r } = holds(zeros([5, 3], 'double'), 'zeros');
  assert.is(magnitude(r), 0);
  holds(
    matrix(5, 3, (i, j) => (j === 1 ? 0 : i + j)),
    'a zero column',
  );
});

test('neither large nor small numbers overflow on the way', () => {
  const a = normalMatrix(new Random('scale'), 10, 3);
  const { q, r } = thinQr(a);
  for (const factor of [2 ** 900, 2 ** -900]) {
    const scaled = thinQr(matrix(10, 3, (i, j) => factor * a.at(i, j)));
    assert.ok(distance(scaled.q, q) < 10 * epsilon, `${factor}`);
    assert.ok(
      distance(
        matrix(3, 3, (i, j) => scaled.r.at(i, j) / factor),
        r,
      ) <
        20 * epsilon,
      `${factor}`,
    );
  }
});

test('the kernel reads Float32, leaves its input and asks no more room than it says', () => {
  const random = new Random('kernel');
  const a = tensor(normalMatrix(random, 9, 3), 'single');
  const kept = a.data.slice();
  const q = new Float64Array(9 * 3).fill(7);
  const r = new Float64Array(3 * 3).fill(7);
  const work = new Float64Array(2 * 3).fill(7);
  thinQrInto(9, 3, a.data, work, q, r);
  const expected = thinQr(a);
  assert.equal([q, r], [expected.q.data, expected.r.data]);
  assert.equal(a.data, kept);
  const inPlace = Float64Array.from(a.data);
  thinQrInto(9, 3, inPlace, work, inPlace, r);
  assert.equal(inPlace, q);
});

test('too few rows are refused with both numbers', () => {
  assert.throws(
    () => thinQr(zeros([2, 3])),
    /thinQr: expected at least as many rows as columns, got 2 rows and 3 columns\. Pass the transpose/,
  );
  assert.throws(() => thinQr(zeros([2, 3, 1])), /thinQr: expected a to have two axes, got shape 2×3×1/);
  assert.throws(() => thinQr(tensor([[1], [NaN]])), /thinQr: expected finite numbers in a, got NaN at index 1/);
});

test.run();
