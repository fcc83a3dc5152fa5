import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { add, addBias, gatherRows, matmul, relu, sum } from '../../lib/autodiff/functions.ts';
import type { Variable } from '../../lib/autodiff/tape.ts';
import { Random } from '../../lib/core/random.ts';
import { allocator, kernels } from '../../lib/kernels/table.ts';
import { initials } from '../../lib/network/layers/initial.ts';
import { bestForm } from '../../lib/network/layers/inputs.ts';
import { Mlp } from '../../lib/network/bodies/mlp.ts';
import { Optimizer } from '../../lib/network/optimizer/optimizer.ts';
import { Pass } from '../../lib/network/layers/pass.ts';
import { expandProduct, type ProductGradient } from '../../lib/network/optimizer/product-gradient.ts';
import { ZeroSkipper } from '../../lib/network/layers/zero-skipper.ts';
import { fromDense } from '../../lib/sparse/build.ts';
import { CsrMatrix } from '../../lib/sparse/csr.ts';
import { Tensor, zeros } from '../../lib/tensor/tensor.ts';
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
    const expected = gradientsOf(mlp, pass).map((gradient) => gradient.copy());

    pass.evaluate(support);
    const part = pass.restrict(places, batch);
    pass.tape.backward(part, seed);
    const direct = mlp.evaluate(table);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        const [here, there] = [part.value.at(i, j), direct.at(batch[i], j)];
        // Listed rows of a sparse matrix are summed in another order.
        if (form === 'dense') assert.is(here, there);
        else assert.ok(Math.abs(here - there) < 1e-15);
      }
    }
    for (const [i, gradient] of gradientsOf(mlp, pass).entries()) {
      assert.ok(largestDifference(gradient, expected[i]) < 1e-14, `parameter ${i}`);
    }
  });
}

/** All of them, as large as the parameters. */
function gradientsOf({ parameters }: Mlp, pass: Pass): readonly Tensor[] {
  return pass.gradients().map((gradient, i) => wholeOf(gradient, parameters[i]));
}

function wholeOf(gradient: Tensor | ProductGradient | null, { shape, precision }: Tensor): Tensor {
  return gradient instanceof Tensor ? gradient : expandProduct(gradient!, zeros(shape, precision));
}

/** Every entry of every parameter against a central difference of `value`. */
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
    test(`gradients of a restricted ${form} pass of ${sizes.length - 1} layers are those of central differences`, () => {
      const mlp = new Mlp(sizes, { activation: 'softplus', precision: 'double', seed: 9 });
      const table = randomPoints(12, 4, 'points', 0.4);
      const points = form === 'sparse' ? fromDense(table) : table;
      const pass = new Pass(mlp.layers, points);
      // Twice, for the places of one step must be forgotten in the next.
      for (const batch of [Int32Array.of(1, 7), Int32Array.of(9, 4)]) {
        const seed = randomPoints(2, 2, 'seed');
        const support = Int32Array.of(1, 4, 7, 9);
        pass.evaluate(support);
        pass.tape.backward(
          pass.restrict(
            batch.map((row) => support.indexOf(row)),
            batch,
          ),
          seed,
        );
        assertGradients(mlp, gradientsOf(mlp, pass), () => inner(seed, gatherRows(mlp.evaluate(table), batch)));
      }
      const all = randomPoints(12, 2, 'all');
      pass.tape.backward(pass.evaluate(null), all);
      assertGradients(mlp, gradientsOf(mlp, pass), () => inner(all, mlp.evaluate(table)));
    });
  }
}

test('a step has the same bits for sparse points, whose first gradient has few rows, and for the same with all of them', () => {
  const points = fromDense(randomPoints(30, 40, 'points', 0.1).copy('single'));
  for (const kind of ['adam', 'adamw', 'sgd'] as const) {
    const [few, all] = [1, 2].map(() => new Mlp([40, 33, 3], { seed: 5 }));
    const optimizers = [few, all].map(({ parameters }) => new Optimizer(parameters, { kind }));
    const pass = new Pass(few.layers, points);
    for (let step = 0; step < 4; step++) {
      pass.evaluate(Int32Array.of(2 + step, 11, 20, 29));
      const seed = randomPoints(2, 3, `seed ${step}`).copy('single');
      pass.tape.backward(pass.restrict(Int32Array.of(0, 2), Int32Array.of(2 + step, 20)), seed);
      const expanded = gradientsOf(few, pass).map((gradient) => gradient.copy());
      assert.not(pass.gradients()[0] instanceof Tensor);
      optimizers[0].step(pass.gradients(), 0.01);
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
      const pass = new Pass(few.layers, points);
      for (const [step, rows] of [1, 3, 32, 2, 33, 5].entries()) {
        const support = Int32Array.from({ length: 40 }, (_, i) => (i + 3 * step) % 50);
        const places = Int32Array.from({ length: rows }, (_, i) => i);
        pass.evaluate(support);
        const seed = randomPoints(rows, 3, `seed ${step}`).copy('single');
        pass.tape.backward(pass.restrict(places, support.slice(0, rows)), seed);
        const gradients = pass.gradients();
        assert.is(gradients[0] instanceof Tensor, form === 'dense');
        assert.is(gradients[2] instanceof Tensor, rows > 32);
        const expanded = gradients.map((gradient, i) => wholeOf(gradient, all.parameters[i]).copy());
        optimizers[0].step(gradients, 0.01);
        optimizers[1].step(expanded, 0.01);
      }
      for (const [i, parameter] of few.parameters.entries()) {
        // Sums of a few terms in another order.
        assert.ok(largestDifference(parameter, all.parameters[i]) < 1e-6, `${kind}, ${i}`);
      }
    }
  });
}

test('a root of all rows and of some has the gradients of both, and some are chosen once', () => {
  const mlp = new Mlp([3, 40, 36, 2], { seed: 7 });
  const points = randomPoints(20, 3, 'points').copy('single');
  const pass = new Pass(mlp.layers, points);
  const support = Int32Array.from({ length: 12 }, (_, i) => i);
  const places = Int32Array.of(4, 1, 6);
  const gradientsBy = (rootOf: (whole: Variable) => Variable): Tensor[] => {
    pass.tape.backward(rootOf(pass.evaluate(support)));
    pass.gradients(); // to ask changes nothing
    return gradientsOf(mlp, pass).map((gradient) => gradient.copy());
  };
  const both = gradientsBy((whole) => add(sum(whole), sum(pass.restrict(places, places))));
  const twice = gradientsBy((whole) => add(sum(whole), sum(gatherRows(whole, places))));
  for (const [p, gradient] of both.entries()) assert.ok(largestDifference(gradient, twice[p]) < 1e-5, `parameter ${p}`);
  pass.evaluate(support);
  pass.restrict(places, places);
  assert.throws(() => pass.restrict(places, places), /^Pass\.restrict: expected one call after evaluate/);
});

test('to know early where the first layer has a gradient changes none, and holds for one step', () => {
  const mlp = new Mlp([30, 40, 3], { seed: 5 });
  const pass = new Pass(mlp.layers, fromDense(randomPoints(50, 30, 'points', 0.2).copy('single')));
  const [support, places] = [Int32Array.from({ length: 40 }, (_, i) => i + 3), Int32Array.of(1, 7, 20, 33)];
  const rows = places.map((place) => support[place]);
  const seed = randomPoints(4, 3, 'seed').copy('single');
  const gradientsBy = (early: boolean): Tensor[] => {
    pass.evaluate(support);
    const starts = early ? pass.startsFor(rows)!.slice() : null;
    pass.tape.backward(pass.restrict(places, rows), seed);
    const [first] = pass.gradients() as [ProductGradient];
    if (starts) assert.equal(first.starts, starts);
    return gradientsOf(mlp, pass).map((gradient) => gradient.copy());
  };
  const [early, late, again] = [gradientsBy(true), gradientsBy(false), gradientsBy(true)];
  assert.ok(early[0].data.some((value) => value !== 0));
  assert.equal(early, late);
  assert.equal(again, late);
  // The rows of one step are not those of the next.
  pass.evaluate(support);
  pass.startsFor(rows.subarray(1));
  assert.equal(gradientsBy(false), late);
  assert.is(new Pass(mlp.layers, zeros([5, 30])).startsFor(rows), null);
});

test('after relu the gradient for few rows is a product, for many it is made, and both are the same', () => {
  const mlp = new Mlp([3, 40, 36, 33, 2], { seed: 7 });
  const points = randomPoints(60, 3, 'points').copy('single');
  const pass = new Pass(mlp.layers, points);
  const support = Int32Array.from({ length: 40 }, (_, i) => i);
  const gradients = [32, 33].map((rows) => {
    const places = support.slice(0, rows);
    const seed = randomPoints(rows, 2, 'seed').copy('single');
    seed.data.fill(0, 2 * 32); // the 33rd row counts for nothing
    pass.evaluate(support);
    pass.tape.backward(pass.restrict(places, places), seed);
    const kinds = pass.gradients().map((gradient) => gradient instanceof Tensor);
    // Weights and bias in turn; the first layer sees points, the last one has two columns.
    assert.equal(kinds, [true, true, rows > 32, true, rows > 32, true, true, true]);
    return gradientsOf(mlp, pass).map((gradient) => gradient.copy());
  });
  for (const [p, gradient] of gradients[0].entries()) {
    assert.ok(gradient.data.some((value) => value !== 0));
    assert.ok(largestDifference(gradient, gradients[1][p]) < 1e-5, `parameter ${p}`);
  }
});

test('what is computed from the output of a pass is differentiated through', () => {
  const mlp = new Mlp([3, 4, 2], { activation: 'tanh', precision: 'double', seed: 2 });
  const points = randomPoints(6, 3, 'points');
  const seed = randomPoints(2, 2, 'seed');
  const gramOf = <X extends Tensor | Variable>(x: X) => matmul(x, x, { transposeA: true });
  const pass = new Pass(mlp.layers, points);
  pass.tape.backward(gramOf(pass.evaluate(null)), seed);
  assertGradients(mlp, gradientsOf(mlp, pass), () => inner(seed, gramOf(mlp.evaluate(points)) as Tensor));
});

test('what relu leaves is found in few rows and then in many', () => {
  const skipper = new ZeroSkipper();
  for (const rows of [1, 50, 3]) {
    const x = randomPoints(rows, 9, `rows ${rows}`, 0.4).copy('single');
    const { starts, columns, values, nonzeros } = fromDense(x);
    const left = skipper.compress(x);
    assert.is(left.entries, nonzeros);
    for (let i = 0; i < rows; i++) {
      const [start, end] = left.starts.subarray(left.places[i]);
      assert.equal(left.columns.slice(start, end), columns.slice(starts[i], starts[i + 1]));
      assert.equal(left.values.slice(start, end), values.slice(starts[i], starts[i + 1]));
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
  assert.instance(bestForm(randomPoints(50, 40, 'p', 0.2)), CsrMatrix);
  const many = randomPoints(50, 40, 'p', 0.8);
  assert.is(bestForm(many), many);
  const narrow = randomPoints(50, 3, 'p', 0.1);
  assert.is(bestForm(narrow), narrow);
});

test('a table from the ordinary heap is copied once, so that no step copies it', () => {
  const heap = new Tensor(Float32Array.from({ length: 60 }, (_, i) => i), [20, 3]); // prettier-ignore
  const best = bestForm(heap) as Tensor;
  assert.is(best.data.buffer, kernelMemory()!.buffer);
  assert.equal([...best.data], [...heap.data]);
  assert.is(bestForm(best), best);
  const double = heap.copy('double');
  assert.is(bestForm(double), double, 'plain kernels read it where it is');
});

test('what does not fit is refused in words', () => {
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
  assert.throws(() => new Pass(mlp.layers, zeros([5, 2])), /^Pass: expected points of 3 columns, .* got 2\.$/);
});

test.run();
