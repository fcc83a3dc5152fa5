import { Matrix as MlMatrix } from 'ml-matrix';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, tensor } from '../../lib/index.ts';
import {
  fromMlMatrix,
  generalizedEigen,
  NotPositiveDefinite,
  numericalRank,
  singularValues,
  symmetricEigen,
  thinSvd,
  toMlMatrix,
} from '../../lib/doors/linalg.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { thinQr } from '../../lib/linalg/qr.ts';
import { diagonal, identity, normalMatrix, positiveMatrix, symmetricMatrix } from './matrices.ts';
import { distance, epsilon, magnitude, matrix, type Matrix, product, transpose } from './plain-algebra.ts';
import { shapes } from '../shapes.ts';

const test = suite('eigen');

function isDescending(values: Float64Array): boolean {
  return values.every((value, i) => i === 0 || value <= values[i - 1]);
}

/** The first entry of largest magnitude, up to rounding. */
function leadingEntry(vectors: Matrix, j: number): number {
  const column = Array.from({ length: vectors.rows }, (_, i) => vectors.at(i, j));
  const largest = Math.max(...column.map(Math.abs));
  return column.find((x) => Math.abs(x) > (1 - 1e-9) * largest)!;
}

test('AV = VΛ, VᵀV = I, values descend and the leading entry of a vector is positive', () => {
  const random = new Random('eigen');
  for (const k of [1, 2, 3, 5, 10, 30]) {
    const a = symmetricMatrix(random, k);
    const { values, vectors } = symmetricEigen(a);
    // A few roundings for each of about 2k plane rotations per eigenvalue, times a norm of about 2√k.
    const tolerance = 8 * k * epsilon;
    assert.ok(distance(product(transpose(vectors), vectors), identity(k)) <= tolerance, `k = ${k}`);
    const residual = distance(product(a, vectors), product(vectors, diagonal(values)));
    assert.ok(residual <= tolerance * 2 * Math.sqrt(k), `k = ${k}: ${residual}`);
    assert.ok(isDescending(values));
    for (let j = 0; j < k; j++) assert.ok(leadingEntry(vectors, j) > 0);
  }
});

test('AV = BVΛ and VᵀBV = I, the same with a cut that cuts nothing', () => {
  const random = new Random('pencil');
  for (const k of [1, 2, 4, 9, 25]) {
    const a = symmetricMatrix(random, k);
    const b = positiveMatrix(random, k);
    const plain = generalizedEigen(a, b);
    const kept = generalizedEigen(a, b, { cut: 1e-10 });
    for (const { values, vectors, rank } of [plain, kept]) {
      // The condition of b stays below 100: both identities lose at most that factor.
      const tolerance = 100 * k * epsilon;
      assert.is(rank, k);
      assert.ok(distance(product(transpose(vectors), b, vectors), identity(k)) <= tolerance, `k = ${k}`);
      const right = product(b, vectors, diagonal(values));
      assert.ok(distance(product(a, vectors), right) <= tolerance * magnitude(b), `k = ${k}`);
      assert.ok(isDescending(values));
      for (let j = 0; j < k; j++) assert.ok(leadingEntry(vectors, j) > 0);
    }
    for (let j = 0; j < k; j++) {
      assert.ok(Math.abs(plain.values[j] - kept.values[j]) <= 100 * k * epsilon, `value ${j} of ${k}`);
    }
  }
});

test('A = UΣVᵀ, UᵀU = I and VᵀV = I, for tall, square and wide', () => {
  const random = new Random('svd');
  for (const [n, k] of shapes('1×1', '6×2', '2×6', '5×5', '20×7', '7×20', '3×1', '1×3')) {
    const a = normalMatrix(random, n, k);
    const m = Math.min(n, k);
    const { u, values, v } = thinSvd(a);
    assert.equal([u.shape, values.length, v.shape], [[n, m], m, [k, m]]);
    const tolerance = 8 * Math.max(n, k) * epsilon;
    assert.ok(distance(product(u, diagonal(values), transpose(v)), a) <= tolerance * values[0], `${n}×${k}`);
    assert.ok(distance(product(transpose(u), u), identity(m)) <= tolerance, `${n}×${k}`);
    assert.ok(distance(product(transpose(v), v), identity(m)) <= tolerance, `${n}×${k}`);
    assert.ok(isDescending(values) && values[m - 1] >= 0);
    for (let j = 0; j < m; j++) assert.ok(leadingEntry(v, j) > 0);
    const alone = singularValues(a);
    for (let j = 0; j < m; j++) assert.ok(Math.abs(alone[j] - values[j]) <= tolerance * values[0]);
  }
});

test('an empty matrix has no eigenvalues, a single number is its own', () => {
  const empty = symmetricEigen(zeros([0, 0]));
  assert.equal([empty.values.length, empty.vectors.shape], [0, [0, 0]]);
  const pencil = generalizedEigen(zeros([0, 0]), zeros([0, 0]));
  assert.equal([pencil.values.length, pencil.vectors.shape, pencil.rank], [0, [0, 0], 0]);
  assert.is(generalizedEigen(zeros([0, 0]), zeros([0, 0]), { cut: 0.1 }).rank, 0);
  const one = symmetricEigen(tensor([[-3]]));
  assert.equal([...one.values, ...one.vectors.data], [-3, 1]);
  const ratio = generalizedEigen(tensor([[6]]), tensor([[4]]));
  assert.equal([...ratio.values, ...ratio.vectors.data], [1.5, 0.5]);
  for (const shape of shapes('0×0', '3×0', '0×3')) {
    const { u, values, v } = thinSvd(zeros(shape));
    assert.equal([u.shape, values.length, v.shape], [[shape[0], 0], 0, [shape[1], 0]]);
    assert.is(singularValues(zeros(shape)).length, 0);
    assert.is(numericalRank(zeros(shape)), 0);
  }
});

test('a diagonal matrix is sorted, and nothing else', () => {
  const { values, vectors } = symmetricEigen(diagonal([2, -1, 5]));
  assert.equal([...values], [5, 2, -1]);
  assert.equal([...vectors.data], [0, 1, 0, 0, 0, 1, 1, 0, 0]);
});

test('repeated eigenvalues still have orthonormal vectors', () => {
  const { q } = thinQr(normalMatrix(new Random('repeated'), 6, 6));
  const a = product(q, diagonal([2, 2, 2, -1, -1, -1]), transpose(q));
  const { values, vectors } = symmetricEigen(a);
  for (const [i, value] of [2, 2, 2, -1, -1, -1].entries()) {
    assert.ok(Math.abs(values[i] - value) < 20 * epsilon, `${values[i]}`);
  }
  assert.ok(distance(product(transpose(vectors), vectors), identity(6)) < 40 * epsilon);
  assert.ok(distance(product(vectors, diagonal(values), transpose(vectors)), a) < 80 * epsilon);
  const same = symmetricEigen(identity(4));
  assert.equal([...same.values], [1, 1, 1, 1]);
  assert.ok(distance(product(transpose(same.vectors), same.vectors), identity(4)) < 4 * epsilon);
});

test('a matrix of zeros', () => {
  const { values, vectors } = symmetricEigen(zeros([3, 3]));
  assert.equal([...values], [0, 0, 0]);
  assert.ok(distance(product(transpose(vectors), vectors), identity(3)) < 4 * epsilon);
  const svd = thinSvd(zeros([4, 2]));
  assert.equal([...svd.values], [0, 0]);
  assert.ok(distance(product(transpose(svd.u), svd.u), identity(2)) < 4 * epsilon);
  assert.is(numericalRank(zeros([4, 2])), 0);
});

test('of entries of equal magnitude, the first determines the sign, also after rounding', () => {
  for (let seed = 0; seed < 50; seed++) {
    const c = new Random(seed).uniform(0.1, 3);
    const { vectors } = symmetricEigen(matrix(2, 2, (i, j) => (i === j ? Math.PI * c : -c)));
    assert.ok(vectors.at(0, 0) > 0 && vectors.at(0, 1) > 0, `seed ${seed}: ${vectors.data}`);
  }
  // A centrosymmetric matrix has vectors that are symmetric up to sign: every magnitude occurs twice.
  for (let seed = 0; seed < 50; seed++) {
    const s = symmetricMatrix(new Random(seed), 6);
    const { vectors } = symmetricEigen(matrix(6, 6, (i, j) => s.at(i, j) + s.at(5 - i, 5 - j)));
    for (let j = 0; j < 6; j++) {
      const firstHalf = [0, 1, 2].map((i) => vectors.at(i, j));
      assert.ok(Math.max(...firstHalf) >= -Math.min(...firstHalf), `seed ${seed}, vector ${j}: ${firstHalf}`);
    }
  }
});

test('the scale of a matrix moves the values by a factor and the vectors not at all', () => {
  const a = tensor(
    [
      [2, 1, 0.5],
      [1, 2, 1],
      [0.5, 1, 3],
    ],
    'double',
  );
  const { values, vectors } = symmetricEigen(a);
  const singular = singularValues(a);
  for (const factor of [2 ** -1000, 2 ** -500, 2 ** 500, 2 ** 1000]) {
    const scaled = matrix(3, 3, (i, j) => factor * a.at(i, j));
    const found = symmetricEigen(scaled);
    assert.equal(
      found.values.map((value) => value / factor),
      values,
    );
    assert.equal(found.vectors.data, vectors.data);
    assert.equal(
      singularValues(scaled).map((value) => value / factor),
      singular,
    );
  }
});

test('a cut drops directions of B, says how many it kept and solves the Ritz problem on the rest', () => {
  const random = new Random('cut');
  const { q } = thinQr(normalMatrix(random, 5, 5));
  const b = product(q, diagonal([4, 2, 1, 1e-7, 0]), transpose(q));
  const a = symmetricMatrix(random, 5);
  for (const [cut, rank] of [
    [0, 4],
    [1e-9, 4],
    [1e-5, 3],
    [0.3, 2],
    [0.6, 1],
  ]) {
    const found = generalizedEigen(a, b, { cut });
    assert.equal([found.rank, found.values.length, found.vectors.shape], [rank, rank, [5, rank]], `cut ${cut}`);
    // VᵀBV = I to ε over the smallest relative eigenvalue that was kept.
    const smallest = [4, 2, 1, 1e-7][rank - 1] / 4;
    const gram = product(transpose(found.vectors), b, found.vectors);
    assert.ok(distance(gram, identity(rank)) < (20 * epsilon) / smallest, `cut ${cut}`);
    const ritz = product(transpose(found.vectors), a, found.vectors);
    assert.ok(distance(ritz, diagonal(found.values)) < (20 * epsilon * magnitude(ritz)) / smallest, `cut ${cut}`);
    for (let dropped = rank; dropped < 5; dropped++) {
      const direction = matrix(5, 1, (i) => q.at(i, dropped));
      const share = magnitude(product(transpose(direction), found.vectors)) / magnitude(found.vectors);
      assert.ok(share < (20 * epsilon) / smallest, `cut ${cut}, direction ${dropped}: ${share}`);
    }
  }
  assert.is(generalizedEigen(a, zeros([5, 5]), { cut: 1e-5 }).rank, 0);
});

test('a B that is not positive definite is refused by pivot, or under a cut by eigenvalue', () => {
  const a = identity(2);
  const semidefinite = tensor([
    [1, 1],
    [1, 1],
  ]);
  assert.throws(
    () => generalizedEigen(a, semidefinite),
    /generalizedEigen: expected a positive definite matrix, got pivot 1 of value 0, .* pass \{ cut \}/,
  );
  try {
    generalizedEigen(a, semidefinite);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, NotPositiveDefinite);
  }
  assert.is(generalizedEigen(a, semidefinite, { cut: 1e-5 }).rank, 1);
  assert.throws(
    () => generalizedEigen(a, diagonal([1, -0.5]), { cut: 0.1 }),
    /expected b to be positive semidefinite, got an eigenvalue -0\.5, the largest being 1/,
  );
  assert.throws(() => generalizedEigen(a, diagonal([-1, -1]), { cut: 0.1 }), /positive semidefinite/);
  assert.throws(() => generalizedEigen(a, a, { cut: 1 }), /expected cut to be at least 0 and below 1, got 1/);
  assert.throws(() => generalizedEigen(a, a, { cut: NaN }), /expected cut to be .* got NaN/);
});

test('asymmetry beyond rounding is refused with the worst place and both values', () => {
  const a = identity(3);
  a.data[1] = 1e-3;
  a.data[6] = -0.25;
  a.data[5] = 1e-2;
  assert.throws(
    () => symmetricEigen(a),
    /symmetricEigen: expected a to be symmetric, got -0\.25 at row 2, column 0 but 0 at row 0, column 2/,
  );
  assert.throws(() => generalizedEigen(identity(3), a), /generalizedEigen: expected b to be symmetric/);
  assert.throws(() => generalizedEigen(a, identity(3)), /generalizedEigen: expected a to be symmetric/);
  const rounding = identity(2);
  rounding.data[1] = 1e-13;
  assert.not.throws(() => symmetricEigen(rounding));
});

test('sizes that do not fit are refused with both', () => {
  assert.throws(() => symmetricEigen(zeros([2, 3])), /symmetricEigen: expected a to be square, got 2×3/);
  assert.throws(() => generalizedEigen(identity(2), identity(3)), /expected b to be 2×2, as a is, got 3×3/);
  assert.throws(() => thinSvd(zeros([3])), /thinSvd: expected a to have two axes, got shape 3/);
  assert.throws(() => singularValues(tensor([[NaN]])), /singularValues: expected finite numbers in a/);
  assert.throws(() => numericalRank(identity(2), -1), /numericalRank: expected cut to be at least 0, got -1/);
});

test('the rank counts independent columns over seeds, and follows a cut', () => {
  for (let seed = 0; seed < 30; seed++) {
    const random = new Random(seed);
    const rank = 1 + random.integer(4);
    const a = product(normalMatrix(random, 9, rank), normalMatrix(random, rank, 6));
    assert.is(numericalRank(a), rank, `seed ${seed}`);
    assert.is(numericalRank(transpose(a)), rank, `seed ${seed}`);
  }
  assert.is(numericalRank(diagonal([1, 1e-3, 1e-6])), 3);
  assert.is(numericalRank(diagonal([1, 1e-3, 1e-6]), 1e-4), 2);
});

test('ml-matrix out and back gives the same numbers in storage of their own', () => {
  const a = normalMatrix(new Random('ml'), 3, 2);
  const out = toMlMatrix(a);
  assert.instance(out, MlMatrix);
  assert.equal([out.rows, out.columns, out.get(2, 1)], [3, 2, a.at(2, 1)]);
  out.set(0, 0, 42);
  assert.is.not(a.at(0, 0), 42);
  const back = fromMlMatrix(out);
  assert.equal([back.precision, back.shape, back.at(0, 0), back.at(1, 1)], ['double', [3, 2], 42, a.at(1, 1)]);
  const single = fromMlMatrix(out, 'single');
  assert.equal([single.precision, single.at(1, 1)], ['single', Math.fround(a.at(1, 1))]);
  assert.equal(fromMlMatrix(toMlMatrix(zeros([0, 2]))).shape, [0, 2]);
  assert.ok(Number.isNaN(toMlMatrix(tensor([[NaN]])).get(0, 0)));
  assert.throws(() => toMlMatrix(zeros([2])), /toMlMatrix: expected matrix to have two axes/);
});

test('the Laplacian of a path has eigenvalues 2 − 2cos(πj/k)', () => {
  for (const k of [2, 5, 40]) {
    const laplacian = matrix(k, k, (i, j) => {
      if (i === j) return i === 0 || i === k - 1 ? 1 : 2;
      return Math.abs(i - j) === 1 ? -1 : 0;
    });
    const { values } = symmetricEigen(laplacian);
    for (let j = 0; j < k; j++) {
      const exact = 2 - 2 * Math.cos((Math.PI * (k - 1 - j)) / k);
      // Eigenvalues are accurate to a few ε times the norm, which is 4.
      assert.ok(Math.abs(values[j] - exact) < 4 * 4 * epsilon, `${values[j]} for ${exact}`);
    }
  }
});

test('the normalized path, as the pencil (W, D), has eigenvalues cos(πj/(k−1))', () => {
  const k = 9;
  const w = matrix(k, k, (i, j) => (Math.abs(i - j) === 1 ? 1 : 0));
  const d = diagonal(Array.from({ length: k }, (_, i) => (i === 0 || i === k - 1 ? 1 : 2)));
  const { values, vectors } = generalizedEigen(w, d);
  for (let j = 0; j < k; j++) {
    assert.ok(Math.abs(values[j] - Math.cos((Math.PI * j) / (k - 1))) < 8 * epsilon, `value ${j}`);
    // Vector j is cos(πji/(k−1)) up to its norm: the trivial one is constant.
    const norm = vectors.at(0, j);
    for (let i = 0; i < k; i++) {
      const exact = Math.cos((Math.PI * j * i) / (k - 1));
      assert.ok(Math.abs(vectors.at(i, j) / norm - exact) < 100 * epsilon, `entry ${i} of vector ${j}`);
    }
  }
});

test.run();
