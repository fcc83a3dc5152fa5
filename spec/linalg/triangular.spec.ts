import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, tensor } from '../../lib/index.ts';
import { invertTriangular, solveTriangular, type Triangle } from '../../lib/doors/linalg.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { invertTriangularInto, solveLeftInPlace, solveRightInPlace } from '../../lib/linalg/triangular.ts';
import { diagonal, identity, normalMatrix } from './matrices.ts';
import { distance, epsilon, magnitude, matrix, type Matrix, product, transpose } from './plain-algebra.ts';
import { shapes } from '../shapes.ts';

const test = suite('triangular');
const triangles: Triangle[] = ['lower', 'upper'];

/** Diagonal between 1 and 2 of either sign, the rest small enough for a condition below 100. */
function triangularMatrix(random: Random, k: number, triangle: Triangle): Matrix {
  return matrix(k, k, (i, j) => {
    if (i === j) return (random.uniform() < 0.5 ? -1 : 1) * random.uniform(1, 2);
    return (triangle === 'lower' ? j < i : j > i) ? random.uniform(-1, 1) / Math.sqrt(k) : 0;
  });
}

for (const triangle of triangles) {
  for (const side of ['left', 'right'] as const) {
    for (const transposed of [false, true]) {
      test(`the solution solves: ${triangle}, ${side}, ${transposed ? 'transposed' : 'as it is'}`, () => {
        const random = new Random(`${triangle} ${side} ${transposed}`);
        for (const [k, other] of shapes('1×1', '2×5', '3×1', '7×4', '20×3')) {
          const t = triangularMatrix(random, k, triangle);
          const b = side === 'left' ? normalMatrix(random, k, other) : normalMatrix(random, other, k);
          const kept = b.data.slice();
          const x = solveTriangular(t, b, { triangle, side, transposed });
          const factor = transposed ? transpose(t) : t;
          const back = side === 'left' ? product(factor, x) : product(x, factor);
          // Substitution is backward stable: k roundings of |T|·|X|, and |T| ≤ 2.
          assert.ok(distance(back, b) <= 4 * (k + 1) * epsilon * Math.max(1, magnitude(x)), `k = ${k}`);
          assert.equal(b.data, kept);
        }
      });
    }
  }

  test(`T·T⁻¹ = T⁻¹·T = I and the inverse stays ${triangle} triangular`, () => {
    const random = new Random(triangle);
    for (const k of [1, 2, 3, 10, 25]) {
      const t = triangularMatrix(random, k, triangle);
      const inverse = invertTriangular(t, { triangle });
      const tolerance = 4 * (k + 1) * epsilon * Math.max(1, magnitude(inverse)) ** 2;
      assert.ok(distance(product(t, inverse), identity(k)) <= tolerance, `k = ${k}`);
      assert.ok(distance(product(inverse, t), identity(k)) <= tolerance, `k = ${k}`);
      for (let i = 0; i < k; i++) {
        for (let j = 0; j < i; j++) assert.is(triangle === 'lower' ? inverse.at(j, i) : inverse.at(i, j), 0);
      }
    }
  });
}

test('the default is lower, left and not transposed', () => {
  const l = tensor([
    [2, 0],
    [1, 4],
  ]);
  const x = solveTriangular(l, tensor([[2], [9]]));
  assert.is(x.precision, 'single', 'as b is');
  assert.equal(x.toArray(), [[1], [2]]);
  assert.equal(invertTriangular(l).toArray(), [
    [0.5, 0],
    [-0.125, 0.25],
  ]);
});

test('nothing to solve gives nothing back', () => {
  assert.equal(solveTriangular(zeros([0, 0]), zeros([0, 3])).shape, [0, 3]);
  assert.equal(solveTriangular(zeros([0, 0]), zeros([3, 0]), { side: 'right' }).shape, [3, 0]);
  assert.equal(solveTriangular(tensor([[2]]), zeros([1, 0])).shape, [1, 0]);
  assert.equal(invertTriangular(zeros([0, 0])).shape, [0, 0]);
});

test('the kernels do not read the other triangle, and overwrite it in the inverse', () => {
  const t = new Float64Array([2, NaN, 1, 4]);
  const x = new Float64Array([2, 9]);
  solveLeftInPlace(2, 1, true, false, t, x);
  assert.equal([...x], [1, 2]);
  const y = new Float64Array([5, 8]);
  solveRightInPlace(1, 2, true, false, t, new Float64Array(2), y);
  assert.equal([...y], [1.5, 2]);
  const inverse = new Float64Array([7, 7, 7, 7]);
  invertTriangularInto(2, true, t, inverse);
  assert.equal([...inverse], [0.5, 0, -0.125, 0.25]);
});

test('a Float32 row is solved in Float64 and rounded once', () => {
  const random = new Random('single');
  const k = 6;
  const t = triangularMatrix(random, k, 'upper');
  for (let j = 1; j < k; j++) t.data[j * k + j] = 1e-3 * t.at(j, j); // rounding in between would be amplified by 1e3
  const single = tensor(normalMatrix(random, 50, k), 'single');
  const exact = solveTriangular(t, single, { triangle: 'upper', side: 'right' });
  solveRightInPlace(50, k, false, false, t.data, new Float64Array(k), single.data);
  assert.equal(single.data, Float32Array.from(exact.data));
});

test('independent rows of very different scale are accepted', () => {
  const x = solveTriangular(diagonal([1, 1e-200, 1e200]), tensor([[1], [1], [1]], 'double'));
  assert.equal([...x.data], [1, 1 / 1e-200, 1 / 1e200]);
});

test('a pivot that is zero or rounding is named with its value and what it is measured against', () => {
  assert.throws(
    () =>
      solveTriangular(
        tensor([
          [1, 0],
          [3, 0],
        ]),
        zeros([2, 1]),
      ),
    /solveTriangular: expected an invertible t, got pivot 1 of value 0, the largest entry of its row being 3\. Drop row 1\./,
  );
  const upper = tensor({ data: [1, 2, 0, 1e-16], shape: [2, 2] }, 'double');
  assert.throws(
    () => invertTriangular(upper, { triangle: 'upper' }),
    /invertTriangular: expected an invertible t, got pivot 1 of value 1e-16, the largest entry of its column being 2/,
  );
  assert.throws(() => invertTriangular(zeros([1, 1])), /pivot 0 of value 0/);
});

test('an entry in the wrong triangle is refused, not ignored', () => {
  const upper = tensor([
    [1, 5],
    [0, 1],
  ]);
  assert.throws(() => invertTriangular(upper), /expected t to be lower triangular, got 5 at row 0, column 1/);
  assert.throws(
    () => solveTriangular(tensor(transpose(upper.copy('double'))), zeros([2, 1]), { triangle: 'upper' }),
    /expected t to be upper triangular, got 5 at row 1, column 0/,
  );
});

test('sizes and words that do not fit are refused with both numbers', () => {
  const t = identity(2);
  assert.throws(() => solveTriangular(t, zeros([3, 2])), /expected b to have 2 rows, as t has, got 3×2/);
  assert.throws(
    () => solveTriangular(t, zeros([2, 3]), { side: 'right' }),
    /expected b to have 2 columns, as t has, got 2×3/,
  );
  assert.throws(() => solveTriangular(zeros([2, 3]), t), /solveTriangular: expected t to be square, got 2×3/);
  assert.throws(() => solveTriangular(t, t, { side: 'up' as never }), /expected side to be 'left' or 'right', got up/);
  assert.throws(() => invertTriangular(t, { triangle: 'both' as never }), /expected triangle to be .* got both/);
});

test.run();
