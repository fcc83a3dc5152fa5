/** SIMD kernels that move parameters and rows: extreme gradients, moments, rows that stay. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/core/random.ts';
import { allocator } from '../../lib/kernels/table.ts';
import { kernels, plainKernels } from '../../lib/wasm/all-kernels.ts';
import { allPlain, inUse } from './twins/compare.ts';
import { startSimd } from './twins/start.ts';

const test = suite('steps of SIMD twins');

test.before(startSimd);

test('a huge gradient does not spoil the parameters', () => {
  for (const table of [kernels, plainKernels]) {
    const [gradient, first, second, parameters] = [3e19, 0, 0, 1].map((value) => allocator.float32(5).fill(value));
    for (let step = 0; step < 3; step++) {
      table.adamStep(5, 1e-3, 0.9, 0.999, 1e-8, 0, gradient, first, second, parameters);
      gradient.fill(1);
    }
    assert.ok(
      parameters.every((p) => p > 0.98 && p < 1),
      `${parameters}`,
    );
  }
});

test('no moment becomes a denormal, however long a unit is dead or its gradient tiny', () => {
  const isNormal = (x: number) => x === 0 || Math.abs(x) > 2 ** -126;
  for (const table of [kernels, plainKernels]) {
    for (const tiny of [0, 1e-22, 1e-38]) {
      const gradient = allocator.float32(6).fill(tiny);
      const [first, second, velocity, parameters] = [1, 2, 3, 4].map(() => allocator.float32(6).fill(1));
      for (let step = 0; step < 2000; step++) {
        table.adamStep(6, 0.1, 0.9, 0.9, 1e-8, 0, gradient, first, second, parameters);
        table.sgdStep(6, 0.1, 0.9, gradient, velocity, parameters);
        for (const moments of [first, second, velocity]) assert.ok(moments.every(isNormal), `step ${step}: ${moments}`);
      }
    }
  }
});

test('nor does one of a row that a product has no entries for', () => {
  for (const { adamProduct } of [inUse(), allPlain]) {
    const [starts, none] = [Int32Array.of(0, 0), Int32Array.of()];
    const [first, second, parameters] = [1, 2, 3].map(() => allocator.float32(6).fill(1));
    const x = allocator.float32(6);
    for (let step = 0; step < 2000; step++) {
      adamProduct(1, 6, starts, none, new Float32Array(0), x, 0.1, 0.9, 0.9, 1e-8, 0, first, second, parameters, 1);
    }
    assert.ok(first.every((value) => value === 0));
    assert.ok(second.every((value) => value > 1e-31 && value < 1e-29));
  }
});

test('rows of a table that no cache holds are replaced as those of a small one', () => {
  const [n, count, width] = [150_000, 300, 3];
  const random = new Random('large table');
  const rows = allocator.int32(count);
  for (let i = 0; i < count; i++) rows[i] = i * 499;
  const fresh = allocator.float32(count * width);
  const start = new Float32Array(n * width);
  const mass = allocator.float64(n);
  for (const each of [fresh, start, mass]) random.fillNormal(each);
  for (const eta of [null, mass]) {
    const [got, want] = [inUse(), allPlain].map(({ replaceRows }) => {
      const [kept, gram, mean] = [
        allocator.float32(n * width),
        allocator.float64(width ** 2),
        allocator.float64(width),
      ];
      kept.set(start);
      replaceRows(count, width, rows, mass, eta, fresh, kept, gram, mean);
      return { kept, sums: [...gram, ...mean] };
    });
    assert.ok(got.kept.every((value, p) => value === want.kept[p]));
    got.sums.forEach((value, p) => assert.ok(Math.abs(value - want.sums[p]) < 1e-11, `${value}, not ${want.sums[p]}`));
  }
});

test('a row of mass 0 does not move', () => {
  for (const { moveRows } of [inUse(), allPlain]) {
    const rows = Int32Array.of(1, 0);
    const [p, q, s] = [0, Infinity, NaN].map((value) => Float64Array.of(value));
    const [kept, gram, mean] = [Float32Array.of(2, 3), Float64Array.of(13), Float64Array.of(5)];
    moveRows(
      2,
      1,
      rows,
      new Float64Array(2),
      Float64Array.of(1, 1),
      p,
      q,
      s,
      1,
      1,
      new Float32Array(2),
      kept,
      gram,
      mean,
    );
    assert.equal([...kept, ...gram, ...mean], [2, 3, 13, 5]);
  }
});

test.run();
