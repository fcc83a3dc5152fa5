import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, tensor, Tensor } from '../../lib/index.ts';
import { alignRotation, alignSigns, principalAngles, relativeErrors } from '../../lib/doors/linalg.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { thinQr } from '../../lib/linalg/qr.ts';
import { identity, normalMatrix } from './matrices.ts';
import { distance, epsilon, matrix, type Matrix, product, transpose } from './plain-algebra.ts';
import { shapes } from '../shapes.ts';

const test = suite('subspace');

/** The first `k` columns of the identity, each rotated by its angle toward another axis. */
function rotatedAxes(n: number, angles: number[]): Matrix {
  const k = angles.length;
  return matrix(n, k, (i, j) => (i === j ? Math.cos(angles[j]) : i === k + j ? Math.sin(angles[j]) : 0));
}

function near(found: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void {
  assert.is(found.length, expected.length);
  for (let i = 0; i < found.length; i++) {
    assert.ok(Math.abs(found[i] - expected[i]) <= tolerance, `${i}: ${found[i]} for ${expected[i]}`);
  }
}

test('a span has no angle with itself in any basis', () => {
  const random = new Random('itself');
  for (const [n, k] of shapes('3×1', '10×3', '200×6', '4×4', '2000×10')) {
    const a = normalMatrix(random, n, k);
    near(principalAngles(a, a), new Float64Array(k), 1e-15);
    const mix = normalMatrix(random, k, k);
    // Forming a·mix rounds at the scale of its largest column, and solving for the span again multiplies by cond(mix).
    near(principalAngles(a, product(a, mix)), new Float64Array(k), 1e-13);
  }
});

test('known angles are found, ascending, in any basis of a rotated space', () => {
  const random = new Random('known');
  const angles = [0.3, 1e-4, Math.PI / 4, 1.2, Math.PI / 2];
  const n = 12;
  const { q } = thinQr(normalMatrix(random, n, n));
  const a = product(q, rotatedAxes(n, [0, 0, 0, 0, 0]), normalMatrix(random, 5, 5));
  const b = product(q, rotatedAxes(n, angles), normalMatrix(random, 5, 5));
  near(
    principalAngles(a, b),
    [1e-4, 0.3, Math.PI / 4, 1.2, Math.PI / 2],
    2000 * epsilon, // the bases are mixed by matrices of condition below 100
  );
  near(principalAngles(a, b), principalAngles(b, a), 2000 * epsilon);
});

test('a rotation by 1e-9, whose cosine is 1, is recovered to six digits', () => {
  for (const angle of [1e-9, 1e-12, 1e-5]) {
    const [found] = principalAngles(rotatedAxes(20, [0]), rotatedAxes(20, [angle]));
    assert.ok(Math.abs(found / angle - 1) < 1e-6, `${found} for ${angle}`);
    const random = new Random(`${angle}`);
    const { q } = thinQr(normalMatrix(random, 20, 20));
    const [one, two] = principalAngles(product(q, rotatedAxes(20, [0, 0])), product(q, rotatedAxes(20, [angle, 0.5])));
    // In general position the coordinates themselves are rounded at ε.
    assert.ok(Math.abs(one - angle) < 20 * epsilon, `${one} for ${angle}`);
    assert.ok(Math.abs(two - 0.5) < 20 * epsilon);
  }
});

test('a small angle and a right angle in one pair of spans both keep their digits', () => {
  const nearlyRight = Math.PI / 2 - 1e-9;
  const [, wide] = principalAngles(rotatedAxes(5, [0, 0]), rotatedAxes(5, [0.1, nearlyRight]));
  assert.ok(Math.abs(wide - nearlyRight) < 4 * epsilon, `${wide}`);
  const [small, right] = principalAngles(rotatedAxes(5, [0, 0]), rotatedAxes(5, [1e-9, Math.PI / 2]));
  assert.ok(Math.abs(small / 1e-9 - 1) < 1e-6, `${small}`);
  assert.ok(Math.abs(right - Math.PI / 2) < 4 * epsilon, `${right}`);
});

test('spans of different dimension have as many angles as the smaller', () => {
  const wide = matrix(5, 3, (i, j) => (i === j ? 1 : 0));
  const line = matrix(5, 1, (i) => (i === 0 ? 1 : i === 4 ? 1 : 0));
  near(principalAngles(wide, line), [Math.PI / 4], 2 * epsilon);
  near(principalAngles(line, wide), [Math.PI / 4], 2 * epsilon);
  assert.is(principalAngles(wide, zeros([5, 0])).length, 0);
  near(principalAngles(wide, identity(5)), [0, 0, 0], epsilon);
});

test('weights change the inner product: as if rows were repeated, and zero takes a row away', () => {
  const random = new Random('weights');
  const a = normalMatrix(random, 6, 2);
  const b = normalMatrix(random, 6, 2);
  const weights = new Float64Array([1, 2, 0, 3, 1, 1]);
  const rows = [0, 1, 1, 3, 3, 3, 4, 5];
  const repeat = (x: Matrix) => matrix(rows.length, 2, (i, j) => x.at(rows[i], j));
  near(principalAngles(a, b, weights), principalAngles(repeat(a), repeat(b)), 20 * epsilon);
  const plain = principalAngles(a, b);
  assert.ok(Math.abs(plain[0] - principalAngles(a, b, weights)[0]) > 1e-3);
  assert.equal(principalAngles(a, b, new Float32Array(6).fill(1)), plain);
});

test('columns of any size count alike, dependent ones are refused', () => {
  const a = normalMatrix(new Random('size'), 8, 2);
  const uneven = matrix(8, 2, (i, j) => a.at(i, j) * [1e-200, 1e150][j]);
  near(principalAngles(a, uneven), [0, 0], 1e-15);
  const dependent = matrix(8, 3, (i, j) => (j < 2 ? a.at(i, j) : a.at(i, 0) + a.at(i, 1)));
  assert.throws(
    () => principalAngles(a, dependent),
    /principalAngles: expected independent columns in b, got 3 columns of rank 2\. Drop dependent columns/,
  );
  assert.throws(() => principalAngles(zeros([3, 2]), zeros([3, 1])), /independent columns in a, got zeros in column 0/);
  assert.throws(() => principalAngles(zeros([2, 3]), zeros([2, 1])), /in a, got 3 columns of only 2 rows/);
});

test('Float32 is taken in as the numbers it holds', () => {
  const a = tensor(normalMatrix(new Random('single'), 30, 3), 'single');
  near(principalAngles(a, a.copy('double')), [0, 0, 0], 1e-15);
});

test('signs are aligned in a copy of the same precision, where the product is negative and only there', () => {
  const y = tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  const reference = tensor(
    [
      [-1, 1, 2],
      [0, 1, -1],
    ],
    'double',
  );
  const aligned = alignSigns(y, reference);
  assert.is(aligned.precision, 'single');
  assert.equal(aligned.toArray(), [
    [-1, 2, 3],
    [-4, 5, 6],
  ]);
  assert.equal(y.at(0, 0), 1);
  assert.equal(alignSigns(aligned, reference).data, aligned.data);
});

test('a rotated copy is rotated back', () => {
  const random = new Random('procrustes');
  for (const k of [1, 2, 5]) {
    const reference = normalMatrix(random, 15, k);
    const { q: expected } = thinQr(normalMatrix(random, k, k));
    const { aligned, rotation } = alignRotation(product(reference, transpose(expected)), reference);
    assert.ok(distance(rotation, expected) < 50 * epsilon, `k = ${k}`);
    assert.ok(distance(aligned, reference) < 100 * epsilon, `k = ${k}`);
  }
});

test('no other orthogonal matrix comes nearer, even in the presence of noise', () => {
  const random = new Random('nearest');
  const y = normalMatrix(random, 10, 3);
  const reference = normalMatrix(random, 10, 3);
  const { aligned, rotation } = alignRotation(y, reference);
  assert.ok(distance(product(transpose(rotation), rotation), identity(3)) < 20 * epsilon);
  assert.ok(distance(product(y, rotation), aligned) < 20 * epsilon);
  const miss = (x: Matrix) => x.data.reduce((sum, value, i) => sum + (value - reference.data[i]) ** 2, 0);
  const best = miss(aligned);
  for (let trial = 0; trial < 200; trial++) {
    const { q } = thinQr(
      product(
        rotation,
        matrix(3, 3, (i, j) => (i === j ? 1 : 0) + 0.1 * random.normal()),
      ),
    );
    assert.ok(miss(product(y, q)) >= best - 1e-12, `trial ${trial}`);
  }
});

test('Float32 rows are aligned in Float32, and no columns in none', () => {
  const y = tensor(normalMatrix(new Random('rows'), 4, 2), 'single');
  assert.is(alignRotation(y, y).aligned.precision, 'single');
  assert.ok(distance(alignRotation(y, y).aligned, y) < 1e-7);
  const empty = alignRotation(zeros([4, 0]), zeros([4, 0]));
  assert.equal(
    [empty.aligned.shape, empty.rotation.shape],
    [
      [4, 0],
      [0, 0],
    ],
  );
  assert.equal(alignSigns(zeros([4, 0]), zeros([4, 0])).shape, [4, 0]);
});

test('the relative error ignores sign and scale and is the sine of the angle', () => {
  const reference = rotatedAxes(6, [0, 0, 0]);
  const angles = [1e-9, 0.7, Math.PI / 2];
  const y = rotatedAxes(6, angles);
  const scaled = matrix(6, 3, (i, j) => [-3, 1e5, 2][j] * y.at(i, j));
  const errors = relativeErrors(scaled, reference);
  for (const [j, angle] of angles.entries()) {
    assert.ok(Math.abs(errors[j] / Math.sin(angle) - 1) < 8 * epsilon, `${errors[j]} for ${angle}`);
  }
  assert.equal([...relativeErrors(reference, reference)], [0, 0, 0]);
});

test('the relative error does not depend on how large or small the columns are', () => {
  const random = new Random('sizes');
  const [y, psi] = [normalMatrix(random, 9, 1), normalMatrix(random, 9, 1)];
  const weights = Float64Array.from({ length: 9 }, () => random.uniform(0.5, 2));
  const times = (a: Matrix, factor: number) => matrix(9, 1, (i) => factor * a.data[i]);
  const expected = [...relativeErrors(y, psi, weights)];
  for (const factor of [2 ** -1000, 2 ** -600, 2 ** 600, 2 ** 1000]) {
    assert.equal([...relativeErrors(times(y, factor), psi, weights)], expected);
    assert.equal([...relativeErrors(y, times(psi, factor), weights)], expected);
    assert.equal(
      [
        ...relativeErrors(
          y,
          psi,
          weights.map((weight) => factor * weight),
        ),
      ],
      expected,
    );
  }
});

test('signs are found for columns of any magnitude', () => {
  for (const size of [5e-324, 1e-200, 1e200, 1e308]) {
    const y = tensor([[-size, size], [size, 0]], 'double'); // oxfmt-ignore
    const aligned = alignSigns(y, tensor([[size, size], [-size, size]], 'double')); // oxfmt-ignore
    assert.equal(aligned.toArray(), [[size, size], [-size, 0]]); // oxfmt-ignore
  }
});

test('β is the best factor: any other leaves a larger rest', () => {
  const random = new Random('beta');
  const psi = normalMatrix(random, 20, 1);
  const y = normalMatrix(random, 20, 1);
  const weights = Float64Array.from({ length: 20 }, () => random.uniform(0.5, 2));
  const rest = (beta: number) => {
    let above = 0;
    let below = 0;
    for (let i = 0; i < 20; i++) {
      above += weights[i] * (psi.data[i] - beta * y.data[i]) ** 2;
      below += weights[i] * psi.data[i] ** 2;
    }
    return Math.sqrt(above / below);
  };
  const [error] = relativeErrors(y, psi, weights);
  let least = Infinity;
  for (let beta = -2; beta <= 2; beta += 1e-3) least = Math.min(least, rest(beta));
  assert.ok(error <= least && least - error < 1e-6, `${error}, ${least}`);
});

test('a column of zeros is as wrong as can be, a reference of zeros is refused', () => {
  assert.equal([...relativeErrors(zeros([3, 1]), tensor([[1], [2], [3]]))], [1]);
  assert.throws(
    () =>
      relativeErrors(
        identity(2),
        matrix(2, 2, (_, j) => j),
      ),
    /relativeErrors: expected a reference without zero columns, got norm 0 in column 0/,
  );
  assert.is(relativeErrors(zeros([3, 0]), zeros([3, 0])).length, 0);
});

test('shapes and weights that do not fit are refused', () => {
  const a = zeros([3, 2]);
  const b = zeros([4, 2]);
  assert.throws(() => principalAngles(a, b), /principalAngles: expected b to have 3 rows, as a has, got 4/);
  assert.throws(() => alignSigns(a, b), /alignSigns: expected reference to be 3×2, as y is, got 4×2/);
  assert.throws(() => alignRotation(a, b), /alignRotation: expected reference to be 3×2/);
  assert.throws(() => relativeErrors(a, b), /relativeErrors: expected reference to be 3×2/);
  const one = new Tensor(new Float64Array([1, 1, 1]), [3, 1]);
  assert.throws(() => principalAngles(one, one, new Float64Array(2)), /expected 3 weights, one for each row, got 2/);
  assert.throws(
    () => relativeErrors(one, one, new Float64Array([1, -2, 1])),
    /relativeErrors: expected weights of at least 0, got -2 at index 1/,
  );
  assert.throws(
    () => principalAngles(one, one, new Float64Array([1, NaN, 1])),
    /expected finite numbers in weights, got NaN at index 1/,
  );
});

test.run();
