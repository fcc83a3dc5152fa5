/** The model of sparse products: caches and branches as by hand, counts of products that are known, and costs that are found again. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Cache, Predictor } from '../../bench/model/caches.ts';
import { countsOf } from '../../bench/model/counts.ts';
import { fitModel, type ModelRow } from '../../bench/report/sparse-model.ts';
import { fromTriplets, identity } from '../../lib/doors/sparse.ts';
import { Random } from '../../lib/index.ts';

const test = suite('model of the time of sparse products');

test('a full set of a cache loses the line that was not used for the longest time', () => {
  const cache = new Cache(256, 2); // two sets of two lines
  assert.equal([0, 2, 0, 4, 0, 2, 1].map((line) => cache.use(line)), [false, false, true, false, true, false, false]); // oxfmt-ignore
  assert.equal(
    [0, 1, 2, 3, 4].map((line) => cache.has(line)),
    [true, true, true, false, false],
  );
});

test('branches that repeat are predicted, random ones are not', () => {
  const [steady, wild] = [new Predictor(10), new Predictor(10)];
  const random = new Random(1);
  for (let i = 0; i < 10_000; i++) {
    steady.branch(1, i % 5 !== 0);
    wild.branch(1, random.uniform() < 0.5);
  }
  assert.ok(steady.mispredicted < 100, `${steady.mispredicted}`);
  assert.ok(wild.mispredicted > 4000, `${wild.mispredicted}`);
});

test('a diagonal streams every array once; a permutation reads x in scattered lines', () => {
  const n = 80_000;
  const lines = n / 16;
  const diagonal = countsOf(identity(n), 'A·X', 1);
  // starts, columns, values, x and result, of which the first line of each follows no other.
  assert.ok(Math.abs(diagonal.streamsInLastLevel - 5 * lines) <= 5, `${diagonal.streamsInLastLevel}`);
  assert.ok(diagonal.scatteredInLastLevel <= 5 && diagonal.mispredicted <= 1);
  assert.is(diagonal.streamsInMemory + diagonal.scatteredInMemory, 0);
  const order = new Random(2).permutation(n);
  const rows = Int32Array.from({ length: n }, (_, i) => i);
  const shuffled = fromTriplets({ rows, columns: order, values: new Float64Array(n).fill(1) }, [n, n]).copy('double');
  // A row of X is a line of 64 bytes, and a fifth of X fits into the second-level cache.
  const scattered = countsOf(shuffled, 'A·X', 8);
  assert.ok(scattered.scatteredInLastLevel > 0.7 * n, `${scattered.scatteredInLastLevel}`);
  const transposed = countsOf(shuffled, 'Aᵀ·X', 8);
  assert.ok(transposed.scatteredInLastLevel > 0.7 * n, `${transposed.scatteredInLastLevel}`);
});

test('what does not fit into the last-level cache comes from memory, and what is written moves twice', () => {
  const n = 80_000;
  const { streamsInMemory } = countsOf(identity(n).copy('double'), 'A·X', 32);
  const lines = (4 + 4 + 8) / 64 + 4 + 2 * 4;
  assert.ok(Math.abs(streamsInMemory - lines * n) < 0.02 * n, `${streamsInMemory / n}`);
});

test('costs that made the times are found again', () => {
  const random = new Random(3);
  const count = (largest: number): number => Math.floor(random.uniform(0, largest));
  const names = ['a-small', 'b-medium', 'c-large'];
  const rows = Array.from({ length: 60 }, (_, k): ModelRow => {
    const counts = { mispredicted: count(1e5), streamsInLastLevel: count(1e6), streamsInMemory: count(1e6), scatteredInLastLevel: count(1e6), scatteredInMemory: count(1e5) }; // oxfmt-ignore
    const key = { matrix: names[k % 3], product: 'A·X', precision: k % 2 ? 'double' : 'single', columns: 8 } as const;
    const [entries, nodes] = [1e5 + count(1e7), 1e4 + count(1e6)];
    const branch = k % 3 === 0 ? 0.5 : 6;
    const nanoseconds = (k % 2 ? 0.7 : 0.4) * entries + 1.5 * nodes + branch * counts.mispredicted + 0.3 * counts.streamsInLastLevel + 1.2 * counts.streamsInMemory + 0.8 * counts.scatteredInLastLevel + 9 * counts.scatteredInMemory; // oxfmt-ignore
    return { ...key, rows: nodes, entries, milliseconds: nanoseconds / 1e6, counts };
  });
  const { kinds, work, shared, rows: predicted } = fitModel(rows);
  assert.equal(kinds, ['A·X, Float32, K = 8', 'A·X, Float64, K = 8']);
  const wanted = [0.4, 1.5, 0.7, 1.5, 0.5, 6, 0.3, 1.2, 0.8, 9];
  for (const [k, cost] of [...work.flat(), ...shared].entries()) assert.ok(Math.abs(cost / wanted[k] - 1) < 0.1, `${k}: ${cost}`); // oxfmt-ignore
  for (const row of predicted) assert.ok(Math.abs(row.predicted / (1e6 * row.milliseconds) - 1) < 0.01);
  for (const { parts, predicted: sum } of predicted) assert.ok(Math.abs(parts.reduce((a, b) => a + b) / sum - 1) < 1e-12); // oxfmt-ignore
});

test.run();
