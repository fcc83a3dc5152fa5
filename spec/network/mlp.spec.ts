import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addBias, gatherRows, matmul, relu } from '../../lib/autodiff/functions.ts';
import type { Variable } from '../../lib/autodiff/tape.ts';
import { Random } from '../../lib/core/random.ts';
import { kernels } from '../../lib/kernels/table.ts';
import { initials } from '../../lib/network/initial.ts';
import { bestForm } from '../../lib/network/inputs.ts';
import { Mlp } from '../../lib/network/mlp.ts';
import { Pass } from '../../lib/network/pass.ts';
import { fromDense } from '../../lib/sparse/build.ts';
import { CsrMatrix } from '../../lib/sparse/csr.ts';
import { type Tensor, zeros } from '../../lib/tensor/tensor.ts';
import { onEveryBackend } from '../backends.ts';
import { centralDifference } from './difference.ts';

const test = suite('mlp');

function randomPoints(rows: number, cols: number, seed: string, nonzeros = 1): Tensor<Float64Array> {
  const random = new Random(seed);
  const points = zeros([rows, cols], 'double');
  for (let i = 0; i < points.size; i++) if (random.uniform() < nonzeros) points.data[i] = random.normal();
  return points;
}

const largestDifference = (a: Tensor, b: Tensor): number =>
  Float64Array.from(a.data, (value, i) => Math.abs(value - b.data[i])).reduce((worst, x) => Math.max(worst, x), 0);

onEveryBackend(test, 'the output is layer after layer of product, bias and relu, the last one linear', () => {
  const mlp = new Mlp([3, 20, 7, 2], { seed: 4 });
  const points = randomPoints(2500, 3, 'points').copy('single'); // more than one block
  const [first, second, third] = mlp.layers;
  const h1 = relu(addBias(matmul(points, first.weights), first.bias));
  const h2 = relu(addBias(matmul(h1, second.weights), second.bias));
  const expected = addBias(matmul(h2, third.weights), third.bias);
  const computed = mlp.evaluate(points);
  assert.equal(computed.shape, [2500, 2]);
  assert.ok(largestDifference(computed, expected) < 1e-5);
  assert.ok(largestDifference(mlp.evaluate(fromDense(points)), expected) < 1e-5);
});

test('weights begin as their rule says, the same for the same seed', () => {
  const sizes = [400, 300, 5];
  const make = (initial: keyof typeof initials, seed: number) => new Mlp(sizes, { initial, seed }).layers[0];
  const variance = ({ size, data }: Tensor): number => kernels.dot(size, data, data) / size;
  const expected = { 'fan-in': 1 / (3 * 400), he: 2 / 400, glorot: 2 / 700 };
  for (const initial of Object.keys(initials) as (keyof typeof initials)[]) {
    const { weights, bias } = make(initial, 1);
    // 120,000 draws: the variance of a uniform or normal sample is within 2 %, five deviations, of the true one.
    assert.ok(Math.abs(variance(weights) / expected[initial] - 1) < 0.02, initial);
    assert.is(
      bias.data.every((x) => x === 0),
      initial !== 'fan-in',
    );
    assert.equal(make(initial, 1).weights.data, weights.data);
    assert.not.equal(make(initial, 2).weights.data, weights.data);
  }
});

test('a copy learns alone', () => {
  const mlp = new Mlp([2, 3, 1]);
  const twin = mlp.copy();
  const points = randomPoints(5, 2, 'p').copy('single');
  assert.equal(twin.evaluate(points).data, mlp.evaluate(points).data);
  twin.parameters[0].data[0] += 1;
  assert.not.equal(twin.evaluate(points).data, mlp.evaluate(points).data);
});

for (const form of ['dense', 'sparse'] as const) {
  test(`restricted to some rows, the ${form} pass has the gradients of the whole and computes no row twice`, () => {
    const table = randomPoints(40, 6, 'points', 0.5);
    const points = form === 'sparse' ? fromDense(table) : table;
    const mlp = new Mlp([6, 9, 8, 3], { activation: 'tanh', precision: 'double', seed: 1 });
    const pass = new Pass(mlp.layers, points);
    const support = Int32Array.of(3, 5, 8, 13, 21, 34, 39);
    const places = Int32Array.of(4, 1, 6);
    const batch = places.map((place) => support[place]);
    const seed = randomPoints(3, 3, 'seed');

    const whole = pass.evaluate(support);
    pass.tape.backward(gatherRows(whole, places), seed);
    const expected = pass.gradients.map((gradient) => gradient!.copy());

    pass.evaluate(support);
    const part = pass.restrict(places, batch);
    pass.tape.backward(part, seed);
    const direct = mlp.evaluate(table);
    for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) assert.is(part.value.at(i, j), direct.at(batch[i], j));
    for (const [i, gradient] of pass.gradients.entries()) {
      assert.ok(largestDifference(gradient!, expected[i]) < 1e-14, `parameter ${i}`);
    }
  });
}

/** Every entry of every parameter against a central difference of `value`. */
function assertGradients(mlp: Mlp, gradients: readonly (Tensor | null)[], value: () => number): void {
  const kept = gradients.map((gradient) => gradient!.copy());
  for (const [p, { data }] of mlp.parameters.entries()) {
    for (let i = 0; i < data.length; i++) {
      const slope = centralDifference(data, i, value);
      assert.ok(Math.abs(slope - kept[p].data[i]) < 1e-8, `parameter ${p}, entry ${i}`);
    }
  }
}

const inner = (a: Tensor, b: Tensor): number => kernels.dot(a.size, a.data, b.data);

test('the gradients of a restricted pass are those of central differences', () => {
  const mlp = new Mlp([4, 6, 2], { activation: 'softplus', precision: 'double', seed: 9 });
  const points = randomPoints(12, 4, 'points');
  const batch = Int32Array.of(1, 7);
  const seed = randomPoints(2, 2, 'seed');
  const pass = new Pass(mlp.layers, points);
  pass.evaluate(Int32Array.of(1, 4, 7, 9));
  pass.tape.backward(pass.restrict(Int32Array.of(0, 2), batch), seed);
  assertGradients(mlp, pass.gradients, () => inner(seed, gatherRows(mlp.evaluate(points), batch)));
});

test('what is computed from the output of a pass is differentiated through', () => {
  const mlp = new Mlp([3, 4, 2], { activation: 'tanh', precision: 'double', seed: 2 });
  const points = randomPoints(6, 3, 'points');
  const seed = randomPoints(2, 2, 'seed');
  const gramOf = <X extends Tensor | Variable>(x: X) => matmul(x, x, { transposeA: true });
  const pass = new Pass(mlp.layers, points);
  pass.tape.backward(gramOf(pass.evaluate(null)), seed);
  assertGradients(mlp, pass.gradients, () => inner(seed, gramOf(mlp.evaluate(points)) as Tensor));
});

test('mostly zeros become sparse, and nothing else does', () => {
  assert.instance(bestForm(randomPoints(50, 40, 'p', 0.2)), CsrMatrix);
  const many = randomPoints(50, 40, 'p', 0.8);
  assert.is(bestForm(many), many);
  const narrow = randomPoints(50, 3, 'p', 0.1);
  assert.is(bestForm(narrow), narrow);
});

test('what does not fit is refused in words', () => {
  assert.throws(() => new Mlp([3]), /^Mlp: expected sizes of at least input and output, got an array of length 1\.$/);
  assert.throws(() => new Mlp([3, 0]), /^Mlp: expected a size to be a whole number, at least 1, got 0\.$/);
  assert.throws(() => new Mlp([3, 1], { activation: 'cube' as never }), /^Mlp: expected activation to be 'relu' or/);
  const mlp = new Mlp([3, 4, 1]);
  assert.throws(() => mlp.evaluate(zeros([5, 2])), /^Mlp\.evaluate: expected points of 3 columns, got 2\.$/);
  assert.throws(() => mlp.evaluate(zeros([0, 3])), /^Mlp\.evaluate: expected at least one point, got none\.$/);
  const bad = zeros([2, 3]);
  bad.data[4] = NaN;
  assert.throws(
    () => mlp.evaluate(bad),
    /^Mlp\.evaluate: expected finite numbers in points, got NaN at row 1, column 1/,
  );
  assert.throws(() => new Pass(mlp.layers, zeros([5, 2])), /^Pass: expected points of 3 columns, .* got 2\.$/);
});

test.run();
