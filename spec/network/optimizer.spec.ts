import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, setThreads, simdStatus, tensor, type Tensor } from '../../lib/index.ts';
import { Optimizer, type OptimizerOptions } from '../../lib/doors/network.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { checkRate, rateAt } from '../../lib/network/optimizer/schedule.ts';
import { allocateIndices } from '../../lib/sparse/indices.ts';

const test = suite('optimizer');

const gradientsAt = (step: number): Tensor[] => {
  const random = new Random(step);
  return [zeros([2, 3], 'double'), zeros([4], 'double')].map((gradient) => {
    random.fillNormal(gradient.data);
    return gradient;
  });
};

const begin = (): Tensor[] => [zeros([2, 3], 'double'), tensor([1, 2, 3, 4], 'double')];

function run(options: OptimizerOptions, steps: number, rate: number): Tensor[] {
  const parameters = begin();
  const optimizer = new Optimizer(parameters, options);
  for (let step = 0; step < steps; step++) optimizer.step(gradientsAt(step), rate);
  return parameters;
}

/** The textbook formulas, number by number. */
function transcribed(options: OptimizerOptions, steps: number, rate: number): Tensor[] {
  return begin().map((parameter, k) => {
    const result = parameter.copy();
    for (let i = 0; i < result.size; i++) {
      let [p, m, v] = [result.data[i], 0, 0];
      for (let t = 1; t <= steps; t++) {
        const g = gradientsAt(t - 1)[k].data[i];
        if (options.kind === 'sgd') {
          m = (options.momentum ?? 0) * m + g;
          p -= rate * m;
          continue;
        }
        m = 0.9 * m + 0.1 * g;
        v = 0.999 * v + 0.001 * g * g;
        if (options.kind === 'adamw') p -= rate * (options.decay ?? 0.01) * p;
        p -= (rate * (m / (1 - 0.9 ** t))) / (Math.sqrt(v / (1 - 0.999 ** t)) + 1e-8);
      }
      result.data[i] = p;
    }
    return result;
  });
}

const kinds: OptimizerOptions[] = [
  { kind: 'sgd' },
  { kind: 'sgd', momentum: 0.8 },
  { kind: 'adam' },
  { kind: 'adamw', decay: 0.3 },
];

for (const options of kinds) {
  test(`${JSON.stringify(options)} moves as the textbook says`, () => {
    const computed = run(options, 30, 0.05);
    for (const [k, expected] of transcribed(options, 30, 0.05).entries()) {
      for (let i = 0; i < expected.size; i++) {
        assert.ok(Math.abs(computed[k].data[i] - expected.data[i]) < 1e-13, `${k}, ${i}`);
      }
    }
  });

  test(`${JSON.stringify(options)} continues from its state with the same bits`, () => {
    const parameters = begin();
    const first = new Optimizer(parameters, options);
    for (let step = 0; step < 12; step++) first.step(gradientsAt(step), 0.05);
    const second = new Optimizer(parameters, options);
    second.restore(first.state());
    for (let step = 12; step < 30; step++) second.step(gradientsAt(step), 0.05);
    assert.is(second.steps, 30);
    const whole = run(options, 30, 0.05);
    for (const k of [0, 1]) assert.equal(parameters[k].data, whole[k].data);
  });

  test(`${JSON.stringify(options)} moves by a product as by the multiplied matrix`, () => {
    const sparse = begin();
    const whole = begin();
    const [byProduct, byMatrix] = [sparse, whole].map((parameters) => new Optimizer(parameters, options));
    for (let step = 0; step < 5; step++) {
      const [delta, ofBias] = gradientsAt(step);
      // The first input occurs in both rows of the batch, with 2 and −1, and the second in none.
      const product = {
        starts: Int32Array.of(0, 2, 2),
        columns: Int32Array.of(0, 1),
        values: Float64Array.of(2, -1),
        delta,
      };
      const matrix = zeros([2, 3], 'double');
      for (let j = 0; j < 3; j++) matrix.data[j] = 2 * delta.at(0, j) - delta.at(1, j);
      byProduct.step([product, ofBias], 0.05);
      byMatrix.step([matrix, ofBias], 0.05);
    }
    for (const k of [0, 1]) assert.equal(sparse[k].data, whole[k].data);
  });
}

test('to start with rows that have no gradient changes no bit, on any number of threads and for any rule', async () => {
  // Large enough for threads to share.
  const [rows, cols, batch] = [1000, 160, 4];
  const step = (optimizer: Optimizer, k: number, isAnnounced: boolean): void => {
    const random = new Random(k);
    const starts = allocateIndices(rows + 1);
    for (let i = 0; i < rows; i++) starts[i + 1] = starts[i] + Number((i * 7 + k) % 3 === 0);
    const columns = allocateIndices(starts[rows]);
    for (let e = 0; e < columns.length; e++) columns[e] = random.integer(batch);
    const [values, delta] = [zeros([starts[rows]]), zeros([batch, cols])];
    for (const { data } of [values, delta]) random.fillNormal(data);
    const gradients = [{ starts, columns, values: values.data, delta }];
    optimizer.step(isAnnounced ? { starts: [starts], compute: () => gradients } : gradients, 0.01);
  };
  const before = simdStatus();
  for (const options of kinds) {
    const runs = [1, 2, 3].flatMap((threads) => [false, true].map((isAnnounced) => ({ threads, isAnnounced })));
    const results: Float32Array[] = [];
    for (const { threads, isAnnounced } of runs) {
      setThreads(threads);
      const parameter = zeros([rows, cols]);
      const optimizer = new Optimizer([parameter], options);
      for (let k = 0; k < 12; k++) {
        step(optimizer, k, isAnnounced);
        // oxlint-disable-next-line no-await-in-loop -- workers start
        if (k === 0 && threads > 1) await new Promise((resolve) => setTimeout(resolve, 50));
      }
      results.push(parameter.data.slice());
    }
    for (const [r, result] of results.entries()) {
      const differing = result.findIndex((value, p) => value !== results[0][p]);
      assert.is(differing, -1, `${JSON.stringify([options, runs[r]])} at ${differing}`);
    }
    assert.ok(results[0].some((value) => value !== 0));
  }
  setThreads(before.enabled ? before.threads : 1);
});

test('an announced product must come, and a failure while gradients are computed leaves the optimizer usable', () => {
  const parameters = [zeros([3, 2]), zeros([2])];
  const optimizer = new Optimizer(parameters);
  const starts = [allocateIndices(4)];
  for (const [given, got] of [
    [null, 'none'],
    [zeros([3, 2]), 'a tensor'],
  ] as const) {
    assert.throws(
      () => optimizer.step({ starts, compute: () => [given, null] }, 0.1),
      new RegExp(`^Optimizer\\.step: expected a product for parameter 0, as announced, got ${got}\\.$`),
    );
  }
  const failing = (): never => {
    throw new Error('no gradient');
  };
  assert.throws(() => optimizer.step({ starts, compute: failing }, 0.1), /^no gradient$/);
  assert.is(optimizer.steps, 0);
  const before = parameters[0].data.slice();
  assert.throws(() => optimizer.step({ starts, compute: failing }, NaN), /^Optimizer\.step: expected a finite rate/);
  assert.equal(parameters[0].data, before);
  optimizer.step([null, zeros([2])], 0.1);
  assert.is(optimizer.steps, 1);
});

test('a parameter without a gradient stays', () => {
  const parameters = begin();
  new Optimizer(parameters).step([null, gradientsAt(0)[1]], 0.1);
  assert.equal(parameters[0].data, begin()[0].data);
  assert.not.equal(parameters[1].data, begin()[1].data);
});

test('bad settings and states are refused', () => {
  assert.throws(() => new Optimizer(begin(), { kind: 'lion' as 'sgd' }), /^Optimizer: expected kind to be 'sgd' or/);
  assert.throws(() => new Optimizer(begin(), { kind: 'sgd', momentum: 1 }), /momentum from 0 to below 1, got 1\.$/);
  assert.throws(() => new Optimizer(begin(), { kind: 'adam', epsilon: 0 }), /epsilon above 0, got 0\.$/);
  assert.throws(() => new Optimizer(begin(), { kind: 'adamw', decay: -1 }), /decay of at least 0, got -1\.$/);
  const optimizer = new Optimizer(begin());
  assert.throws(() => optimizer.step([null], 0.1), /^Optimizer\.step: expected 2 gradients, .* got 1\.$/);
  const [matrix] = begin();
  const shape = `${matrix.rows}×${matrix.cols}`;
  const wrong = new RegExp(`^Optimizer\\.step: expected a gradient of parameter 0 to be ${shape}, as that is, got`);
  const product = { starts: allocateIndices(2), columns: allocateIndices(0), values: zeros([0]).data, delta: matrix };
  for (const gradient of [zeros([1, matrix.cols]), zeros([matrix.size]), product]) {
    assert.throws(() => optimizer.step([gradient, null], 0.1), wrong);
  }
  for (const rate of [NaN, -1, Infinity]) {
    assert.throws(
      () => optimizer.step([null, null], rate),
      /^Optimizer\.step: expected a finite rate of at least 0, got/,
    );
  }
  assert.is(optimizer.steps, 0);
  const other = new Optimizer([zeros([5])]).state();
  assert.throws(() => optimizer.restore(other), /^Optimizer\.restore: expected the state of an optimizer for these/);
  const decayed = new Optimizer(begin(), { kind: 'adamw' }).state();
  assert.throws(() => optimizer.restore(decayed), /^Optimizer\.restore: expected the state of adam, .* got adamw\.$/);
});

test('a rate goes from one value to another and stays', () => {
  assert.is(rateAt(0.1, 1000), 0.1);
  for (const shape of ['linear', 'cosine', 'exponential'] as const) {
    const rate = { from: 0.1, to: 0.001, steps: 50, shape };
    checkRate('spec', 'rate', rate);
    const rates = Array.from({ length: 60 }, (_, step) => rateAt(rate, step));
    assert.ok(Math.abs(rates[0] - 0.1) < 1e-15);
    assert.ok(rates.slice(50).every((value) => Math.abs(value - 0.001) < 1e-15));
    for (let step = 1; step <= 50; step++) assert.ok(rates[step] < rates[step - 1], shape);
    const middle = { linear: 0.0505, cosine: 0.0505, exponential: 0.01 }[shape];
    assert.ok(Math.abs(rates[25] - middle) < 1e-12, shape);
  }
  assert.throws(() => checkRate('fit', 'rate', 0), /^fit: expected rate to be a positive number, got 0\.$/);
  assert.throws(
    () => checkRate('fit', 'rate', 'fast' as never),
    /^fit: expected a rate or \{ from, to, steps \}, got fast\.$/,
  );
  assert.throws(
    () => checkRate('fit', 'rate', { from: 1, to: 0, steps: 3 }),
    /rate\.to to be a positive number, got 0\.$/,
  );
  assert.throws(
    () => checkRate('fit', 'rate', { from: 1, to: 1, steps: 0 }),
    /rate\.steps to be a whole number, at least 1/,
  );
});

test.run();
