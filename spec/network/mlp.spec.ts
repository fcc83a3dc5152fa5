import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CsrMatrix, Random, Tensor } from '../../lib/index.ts';
import { addBias, gatherRows, matmul, relu, Tape, type Variable } from '../../lib/doors/autodiff.ts';
import { kernels } from '../../lib/doors/kernels.ts';
import { type Gradient, hiddenLayers, Mlp, Optimizer, type ProductGradient } from '../../lib/doors/network.ts';
import { fromDense } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { allocator } from '../../lib/kernels/table.ts';
import { initials } from '../../lib/network/layers/initial.ts';
import { toKernelFormat } from '../../lib/network/layers/inputs.ts';
import { chainOf, type LayerChain } from '../../lib/network/layers/chain.ts';
import { expandProduct } from '../../lib/network/optimizer/gradient.ts';
import { RowCompressor } from '../../lib/network/layers/compressed-rows.ts';
import { kernelMemory } from '../../lib/wasm/simd.ts';
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
    // 120,000 draws: the variance of a uniform or normal sample is within 2%, five standard deviations, of the true one.
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

test('a copy has a body, as the network itself', () => {
  const points = randomPoints(5, 2, 'p').copy('single');
  const mlp = new Mlp([2, 3, 1]);
  assert.equal(hiddenLayers(mlp.copy()).features(points), hiddenLayers(mlp).features(points));
});

test('many sparse points are evaluated block by block as the same points in a table', () => {
  const table = randomPoints(2100, 6, 'points', 0.5);
  const mlp = new Mlp([6, 9, 3], { activation: 'tanh', precision: 'double', seed: 1 });
  assert.ok(largestDifference(mlp.evaluate(fromDense(table)), mlp.evaluate(table)) < 1e-13);
});

for (const form of ['dense', 'sparse'] as const) {
  test(`at some places, the gradients of a ${form} chain are those of all rows with zeros elsewhere`, () => {
    const table = randomPoints(40, 6, 'points', 0.5);
    const points = form === 'sparse' ? fromDense(table) : table;
    const mlp = new Mlp([6, 9, 8, 3], { activation: 'tanh', precision: 'double', seed: 1 });
    const chain = chainOf('spec', mlp.layers, points);
    const support = Int32Array.of(3, 5, 8, 13, 21, 34, 39);
    const places = Int32Array.of(4, 1, 6);
    const delta = randomPoints(3, 3, 'delta');

    const everywhere = zeros([7, 3], 'double');
    for (const [i, place] of places.entries()) {
      for (let j = 0; j < 3; j++) everywhere.data[3 * place + j] = delta.at(i, j);
    }
    const values = chain.forward(support);
    const direct = mlp.evaluate(table);
    for (let i = 0; i < 7; i++) {
      for (let j = 0; j < 3; j++) {
        // Listed rows of a sparse matrix are summed in another order.
        const difference = Math.abs(values.at(i, j) - direct.at(support[i], j));
        assert.ok(form === 'dense' ? difference === 0 : difference < 1e-15);
      }
    }
    const expected = gradientsOf(mlp, chain, null, everywhere).map((gradient) => gradient.copy());
    chain.forward(support);
    for (const [i, gradient] of gradientsOf(mlp, chain, places, delta).entries()) {
      assert.ok(largestDifference(gradient, expected[i]) < 1e-14, `parameter ${i}`);
    }
  });
}

/** All gradients, as large as the parameters. */
function gradientsOf(
  { parameters }: Mlp,
  chain: LayerChain,
  places: Int32Array | null,
  delta: Tensor,
): readonly Tensor[] {
  const gradients = chain.backward(places, delta).compute();
  return gradients.map((gradient, i) => wholeOf(gradient, parameters[i]));
}

function wholeOf(gradient: Gradient, { shape, precision }: Tensor): Tensor {
  return gradient instanceof Tensor ? gradient : expandProduct(gradient!, zeros(shape, precision));
}

/** Compares every entry of every parameter with a central difference of `value`. */
function assertGradients(mlp: Mlp, gradients: readonly Tensor[], value: () => number): void {
  const kept = gradients.map((gradient) => gradient.copy());
  for (const [p, { data }] of mlp.parameters.entries()) {
    for (let i = 0; i < data.length; i++) {
      const slope = centralDifference(data, i, value);
      assert.ok(Math.abs(slope - kept[p].data[i]) < 1e-8, `parameter ${p}, entry ${i}`);
    }
  }
}

const inner = (a: Tensor, b: Tensor): number => kernels.dot(a.size, a.data, b.data);

for (const form of ['dense', 'sparse'] as const) {
  for (const sizes of [
    [4, 6, 2],
    [4, 2],
  ]) {
    test(`gradients of a ${form} chain of ${sizes.length - 1} layers are those of central differences`, () => {
      const mlp = new Mlp(sizes, { activation: 'softplus', precision: 'double', seed: 9 });
      const table = randomPoints(12, 4, 'points', 0.4);
      const points = form === 'sparse' ? fromDense(table) : table;
      const chain = chainOf('spec', mlp.layers, points);
      // Runs twice, because the places of one step must not affect the next.
      for (const batch of [Int32Array.of(1, 7), Int32Array.of(9, 4)]) {
        const delta = randomPoints(2, 2, 'delta');
        const support = Int32Array.of(1, 4, 7, 9);
        chain.forward(support);
        const places = batch.map((row) => support.indexOf(row));
        const gradients = gradientsOf(mlp, chain, places, delta);
        assertGradients(mlp, gradients, () => inner(delta, gatherRows(mlp.evaluate(table), batch)));
      }
      const all = randomPoints(12, 2, 'all');
      chain.forward(null);
      assertGradients(mlp, gradientsOf(mlp, chain, null, all), () => inner(all, mlp.evaluate(table)));
    });
  }
}

test('a step has the same bits for sparse points, whose first gradient has few rows, and for the same with all of them', () => {
  const points = fromDense(randomPoints(30, 40, 'points', 0.1).copy('single'));
  for (const kind of ['adam', 'adamw', 'sgd'] as const) {
    const [few, all] = [1, 2].map(() => new Mlp([40, 33, 3], { seed: 5 }));
    const optimizers = [few, all].map(({ parameters }) => new Optimizer(parameters, { kind }));
    const chain = chainOf('spec', few.layers, points);
    for (let step = 0; step < 4; step++) {
      chain.forward(Int32Array.of(2 + step, 11, 20, 29));
      const delta = randomPoints(2, 3, `delta ${step}`).copy('single');
      const pending = chain.backward(Int32Array.of(0, 2), delta);
      const gradients = pending.compute();
      const expanded = gradients.map((gradient, i) => wholeOf(gradient, few.parameters[i]).copy());
      assert.not(gradients[0] instanceof Tensor);
      assert.equal((gradients[0] as ProductGradient).starts, pending.starts[0], 'known before');
      optimizers[0].step(pending, 0.01);
      optimizers[1].step(expanded, 0.01);
    }
    for (const [i, { data }] of few.parameters.entries()) assert.equal(data, all.parameters[i].data, `${kind}, ${i}`);
  }
});

for (const form of ['sparse', 'dense'] as const) {
  test(`a step by products moves a network on ${form} points as one by whole gradients does`, () => {
    const table = randomPoints(50, 40, 'points', form === 'sparse' ? 0.1 : 1).copy('single');
    const points = form === 'sparse' ? fromDense(table) : table;
    for (const kind of ['adam', 'adamw', 'sgd'] as const) {
      const [few, all] = [1, 2].map(() => new Mlp([40, 37, 33, 3], { seed: 5 }));
      const optimizers = [few, all].map(({ parameters }) => new Optimizer(parameters, { kind }));
      const chain = chainOf('spec', few.layers, points);
      for (const [step, rows] of [1, 3, 32, 2, 33, 5].entries()) {
        const support = Int32Array.from({ length: 40 }, (_, i) => (i + 3 * step) % 50);
        const places = Int32Array.from({ length: rows }, (_, i) => i);
        chain.forward(support);
        const delta = randomPoints(rows, 3, `delta ${step}`).copy('single');
        const gradients = chain.backward(places, delta).compute();
        assert.is(gradients[0] instanceof Tensor, form === 'dense');
        assert.is(gradients[2] instanceof Tensor, rows > 32);
        const expanded = gradients.map((gradient, i) => wholeOf(gradient, all.parameters[i]).copy());
        optimizers[0].step(gradients, 0.01);
        optimizers[1].step(expanded, 0.01);
      }
      for (const [i, parameter] of few.parameters.entries()) {
        // Sums of a few terms are taken in another order.
        assert.ok(largestDifference(parameter, all.parameters[i]) < 1e-6, `${kind}, ${i}`);
      }
    }
  });
}

test('after relu the gradient for few rows is a product, for many it is made, and both are the same', () => {
  const mlp = new Mlp([3, 40, 36, 33, 2], { seed: 7 });
  const points = randomPoints(60, 3, 'points').copy('single');
  const chain = chainOf('spec', mlp.layers, points);
  const support = Int32Array.from({ length: 40 }, (_, i) => i);
  const gradients = [32, 33].map((rows) => {
    const places = support.slice(0, rows);
    const delta = randomPoints(rows, 2, 'delta').copy('single');
    delta.data.fill(0, 2 * 32); // the 33rd row counts for nothing
    chain.forward(support);
    const found = chain.backward(places, delta).compute();
    const kinds = found.map((gradient) => gradient instanceof Tensor);
    // Weights and biases alternate. The first layer reads points, and the last one has two columns.
    assert.equal(kinds, [true, true, rows > 32, true, rows > 32, true, true, true]);
    return found.map((gradient, i) => wholeOf(gradient, mlp.parameters[i]).copy());
  });
  for (const [p, gradient] of gradients[0].entries()) {
    assert.ok(gradient.data.some((value) => value !== 0));
    assert.ok(largestDifference(gradient, gradients[1][p]) < 1e-5, `parameter ${p}`);
  }
});

test('gradients pass from a tape into the chain that computed its input', () => {
  const mlp = new Mlp([3, 4, 2], { activation: 'tanh', precision: 'double', seed: 2 });
  const points = randomPoints(6, 3, 'points');
  const seed = randomPoints(2, 2, 'seed');
  const gramOf = <X extends Tensor | Variable>(x: X) => matmul(x, x, { transposeA: true });
  const chain = chainOf('spec', mlp.layers, points);
  const tape = new Tape();
  const outputs = tape.watch(chain.forward(null));
  tape.backward(gramOf(outputs), seed);
  const gradients = gradientsOf(mlp, chain, null, outputs.gradient!);
  assertGradients(mlp, gradients, () => inner(seed, gramOf(mlp.evaluate(points)) as Tensor));
});

test('few rows are compressed, and then many', () => {
  const compressor = new RowCompressor();
  for (const rows of [1, 50, 3]) {
    const x = randomPoints(rows, 9, `rows ${rows}`, 0.4).copy('single');
    const { starts, columns, values, nonzeros } = fromDense(x);
    const compressed = compressor.compress(x);
    assert.is(compressed.entries, nonzeros);
    for (let i = 0; i < rows; i++) {
      const [start, end] = compressed.starts.subarray(compressed.list[i]);
      assert.equal(compressed.columns.slice(start, end), columns.slice(starts[i], starts[i + 1]));
      assert.equal(compressed.values.slice(start, end), values.slice(starts[i], starts[i + 1]));
    }
  }
});

test('however many rows are evaluated, no more arrays are made', () => {
  const mlp = new Mlp([40, 33, 2], { seed: 3 });
  const [dense, few] = [randomPoints(9000, 40, 'p', 0.1), randomPoints(2000, 40, 'p', 0.1)].map((x) =>
    x.copy('single'),
  );
  const { float32 } = allocator;
  const made = [few, dense, fromDense(few), fromDense(dense)].map((points) => {
    let count = 0;
    allocator.float32 = (length) => {
      count++;
      return float32(length);
    };
    try {
      mlp.evaluate(points);
    } finally {
      allocator.float32 = float32;
    }
    return count;
  });
  assert.is(made[1], made[0]);
  assert.ok(made[3] <= made[2] + 2, 'but for rows that have more entries');
});

test('mostly zeros become sparse, and nothing else does', () => {
  assert.instance(toKernelFormat(randomPoints(50, 40, 'p', 0.2)), CsrMatrix);
  const many = randomPoints(50, 40, 'p', 0.8);
  assert.is(toKernelFormat(many), many);
  const narrow = randomPoints(50, 3, 'p', 0.1);
  assert.is(toKernelFormat(narrow), narrow);
});

test('a table from the ordinary heap is copied once, so that no step copies it', () => {
  const heap = new Tensor(Float32Array.from({ length: 60 }, (_, i) => i), [20, 3]); // oxfmt-ignore
  const best = toKernelFormat(heap) as Tensor;
  assert.is(best.data.buffer, kernelMemory()!.buffer);
  assert.equal([...best.data], [...heap.data]);
  assert.is(toKernelFormat(best), best);
  const double = heap.copy('double');
  assert.is(toKernelFormat(double), double, 'plain kernels read it where it is');
});

test('invalid input is refused', () => {
  assert.throws(() => new Mlp([3]), /^Mlp: expected sizes of at least input and output, got an array of length 1\.$/);
  assert.throws(() => new Mlp([3, 0]), /^Mlp: expected a size to be a whole number, at least 1, got 0\.$/);
  assert.throws(() => new Mlp([3, 1], { activation: 'cube' as never }), /^Mlp: expected activation to be 'relu' or/);
  const mlp = new Mlp([3, 4, 1]);
  assert.throws(() => mlp.evaluate(zeros([5, 2])), /^Mlp\.evaluate: expected points of 3 columns, got 2\.$/);
  assert.throws(() => mlp.evaluate(zeros([0, 3])), /^Mlp\.evaluate: expected at least one point, got none\.$/);
  for (const points of [zeros([2, 3], 'double'), fromDense(randomPoints(2, 3, 'p'))]) {
    assert.throws(
      () => mlp.evaluate(points),
      /^Mlp\.evaluate: expected points of single precision, as the network's, got double\. copy\(\) changes it\.$/,
    );
  }
  const bad = zeros([2, 3]);
  bad.data[4] = NaN;
  assert.throws(
    () => mlp.evaluate(bad),
    /^Mlp\.evaluate: expected finite numbers in points, got NaN at row 1, column 1/,
  );
  assert.throws(() => chainOf('spec', mlp.layers, zeros([5, 2])), /^spec: expected points of 3 columns, .* got 2\.$/);
  assert.throws(
    () => chainOf('spec', mlp.layers, zeros([5, 3], 'double')),
    /^spec: expected points of single precision/,
  );
});

test.run();
