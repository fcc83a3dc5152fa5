/** What every estimator and method must do, in the manner of scikit-learn's estimator checks. */

import { spawnSync } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { twoMoons } from '../../datasets/index.ts';
import {
  DiffusionMap,
  enableSimd,
  type FittedEmbedding,
  Random,
  setThreads,
  SpectralClustering,
  SpectralEmbedding,
  type SpectralEmbeddingOptions,
  Tensor,
} from '../../lib/index.ts';
import { runAsync } from '../../lib/core/task.ts';
import { fitEmbeddingSteps } from '../../lib/embedding/spectral-embedding.ts';
import { runFits } from '../checks/campaign/fits.ts';
import { forEachInOrder } from '../for-each.ts';

const test = suite('estimator checks');

const n = 60;
const { points } = twoMoons({ n, noise: 0.1, seed: 3 });
const random = new Random('estimator checks');

/** What is compared: coordinates, or the labels of clusters, whose numbers are free. */
interface Result {
  readonly kind: 'coordinates' | 'labels';
  readonly data: ArrayLike<number>;
  readonly columns: number;
}
type Fit = (points: Tensor, signal?: AbortSignal) => Promise<Result>;

const whole = { epochs: 2, batch: n };
/** Each way to learn. The batch is all points, so that their order does not matter. */
const ways: Record<string, SpectralEmbeddingOptions> = {
  'regression on landmarks': { components: 2 },
  'ritz on landmarks': { method: 'ritz' },
  'regression, network': { method: 'regression', hidden: [8], training: { ...whole, rate: 1e-3 } },
  'ritz, network': { method: 'ritz', hidden: [8], activation: 'tanh' },
  'ritz, trained network': { method: 'ritz', hidden: [8], training: whole },
  specnet1: { method: 'specnet1', hidden: [8], training: { ...whole, scheme: 'full' } },
  specnet2: { method: 'specnet2', hidden: [8], training: { ...whole, scheme: 'neighbor' } },
};

const fitOf = {
  SpectralEmbedding:
    (options: SpectralEmbeddingOptions): Fit =>
    async (table, signal) => {
      const { embedding } = await new SpectralEmbedding(options).fit(table, { signal });
      return { kind: 'coordinates', data: embedding.data, columns: embedding.cols };
    },
  DiffusionMap:
    (options: SpectralEmbeddingOptions): Fit =>
    async (table, signal) => {
      const { embedding } = await new DiffusionMap({ ...options, time: 2 }).fit(table, { signal });
      return { kind: 'coordinates', data: embedding.data, columns: embedding.cols };
    },
  SpectralClustering:
    (options: SpectralEmbeddingOptions): Fit =>
    async (table, signal) => {
      const { labels } = await new SpectralClustering({ ...options, clusters: 2 }).fit(table, { signal });
      return { kind: 'labels', data: labels, columns: 1 };
    },
};

/** Every estimator by every way. */
const estimators = Object.entries(fitOf).flatMap(([name, make]) =>
  Object.entries(ways).map(([way, options]) => ({ name: `${name}, ${way}`, options, make, fit: make(options) })),
);
const embeddings = estimators.filter(({ make }) => make === fitOf.SpectralEmbedding);

const sameBits = (a: Result, b: Result): boolean =>
  a.data.length === b.data.length && Array.from(a.data).every((value, i) => Object.is(value, b.data[i]));

/**
 * The largest difference, where `rows[i]` of `a` belongs to row i of `b`. The sign of a column is free, and a difference is relative to
 * its root mean square. Labels differ by 0 if they are the same clusters, else by 1.
 */
function difference(a: Result, b: Result, rows: ArrayLike<number>): number {
  if (b.kind === 'labels') return areRenamed(a.data, b.data, rows) ? 0 : 1;
  let largest = 0;
  for (let k = 0; k < b.columns; k++) {
    let [plus, minus, square] = [0, 0, 0];
    for (let i = 0; i < rows.length; i++) {
      const [x, y] = [a.data[rows[i] * a.columns + k], b.data[i * b.columns + k]];
      plus = Math.max(plus, Math.abs(x - y));
      minus = Math.max(minus, Math.abs(x + y));
      square += y * y;
    }
    largest = Math.max(largest, Math.min(plus, minus) / Math.sqrt(square / rows.length));
  }
  return largest;
}

/** Whether there is one label of `b` for each label of `a`, and the other way around. */
function areRenamed(a: ArrayLike<number>, b: ArrayLike<number>, rows: ArrayLike<number>): boolean {
  const pairs = new Set(Array.from(rows, (row, i) => `${a[row]} ${b[i]}`));
  return pairs.size === new Set(Array.from(a)).size && pairs.size === new Set(Array.from(b)).size;
}

const identity = Array.from({ length: n }, (_, i) => i);

function changed(change: (value: number, column: number) => number): Tensor {
  return new Tensor(
    points.data.map((value, at) => change(value, at % points.cols)),
    points.shape,
  );
}

const known = new Map<string, Promise<Result>>();
/** The fit of the points themselves, computed once. */
function original({ name, fit }: { name: string; fit: Fit }): Promise<Result> {
  if (!known.has(name)) known.set(name, fit(points));
  return known.get(name)!;
}

/** Coordinates are sums of up to 30 times their size, in single precision. Measured: 7e-6 for landmarks, 7e-7 for networks. */
const rounding = 30 * 2 ** -20;

for (const one of estimators) {
  test(`${one.name}: permuting points permutes the result`, async () => {
    const order = random.permutation(n);
    const data = Float32Array.from({ length: 2 * n }, (_, at) => points.data[2 * order[at >> 1] + (at & 1)]);
    const [before, after] = [await original(one), await one.fit(new Tensor(data, [n, 2]))];
    const off = difference(before, after, order);
    assert.ok(off < rounding, `${off}`);
    assert.ok(difference(before, after, identity) > 0.1, 'the order was another one');
  });

  test(`${one.name}: equal points have equal results`, async () => {
    const twice = Float32Array.from({ length: 2 * n }, (_, at) => points.data[at % n]); // the first half of the points
    const { data, columns } = await one.fit(new Tensor(twice, [n, 2]));
    const all = Array.from(data);
    const middle = (n / 2) * columns;
    assert.equal(all.slice(0, middle), all.slice(middle));
    assert.ok(new Set(all).size > 1);
  });

  test(`${one.name}: a constant column is allowed, and changes nothing where only distances count`, async () => {
    const data = Float32Array.from({ length: 3 * n }, (_, at) =>
      at % 3 === 2 ? 7 : points.data[2 * Math.floor(at / 3) + (at % 3)],
    );
    const found = await one.fit(new Tensor(data, [n, 3]));
    assert.ok(Array.from(found.data).every(Number.isFinite));
    if (!one.options.hidden) assert.ok(sameBits(found, await original(one)));
  });

  if (one.options.hidden) continue;
  test(`${one.name}: neither the unit nor the origin of the points matters`, async () => {
    const scaled = await one.fit(changed((value) => 1024 * value));
    assert.ok(sameBits(scaled, await original(one)), 'a power of two changes no bit');
    const off = difference(
      await original(one),
      await one.fit(changed((value, column) => 3 * value + 5 + column)),
      identity,
    );
    assert.ok(off < rounding, `${off}`);
  });
}

for (const one of estimators) {
  test(`${one.name}: the order of options does not matter, and a fit can be repeated`, async () => {
    const reversed = Object.fromEntries(Object.entries(one.options).toReversed());
    assert.ok(sameBits(await one.make(reversed)(points), await original(one)));
  });
}

test('fits at the same time, and fits that are aborted at any moment, change no bit of others', async () => {
  const chosen = estimators.filter((_, i) => i % 3 !== 1);
  const expected = await Promise.all(chosen.map(original));
  const big = twoMoons({ n: 1500, noise: 0.1, seed: 4 }).points;
  const aborted = await Promise.all(
    embeddings.map(async ({ fit }) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), random.integer(60));
      const outcome = fit(big, controller.signal).then(
        () => 'finished',
        (error: Error) => error.name,
      );
      const others = await Promise.all(chosen.map((one) => one.fit(points)));
      for (const [i, found] of others.entries()) assert.ok(sameBits(found, expected[i]), chosen[i].name);
      return outcome;
    }),
  );
  assert.ok(aborted.includes('AbortError'), aborted.join());
  assert.equal(
    [...new Set(aborted)].filter((name) => name !== 'AbortError' && name !== 'finished'),
    [],
  );
});

test('fits whose steps alternate change no bit of each other', async () => {
  const other = changed((value, column) => value * value + column);
  const startSteps = (table: Tensor, options: SpectralEmbeddingOptions) => fitEmbeddingSteps('fit', table, options, {});
  for (const { name, options } of embeddings) {
    const tasks = [startSteps(points, options), startSteps(other, options)];
    const found: (FittedEmbedding | null)[] = [null, null];
    while (found.includes(null)) {
      for (const [i, task] of tasks.entries()) {
        const step = found[i] ? null : task.next();
        if (step?.done) found[i] = step.value;
        else await step?.value; // a number, or a solver that is loaded
      }
    }
    for (const [i, table] of [points, other].entries()) {
      assert.equal(found[i]!.embedding.data, (await runAsync(startSteps(table, options), {})).embedding.data, name);
    }
  }
});

test('nothing of a fit is kept after it', async () => {
  const references: WeakRef<object>[] = [];
  const fitAndForget = async (options: SpectralEmbeddingOptions): Promise<void> => {
    const fitted = await new SpectralEmbedding(options).fit(points);
    for (const part of [fitted, fitted.graph, fitted.model, fitted.embedding]) references.push(new WeakRef(part));
  };
  await forEachInOrder(embeddings, ({ options }) => fitAndForget(options));
  await new Promise((resolve) => setTimeout(resolve)); // references live until the end of an iteration of the event loop
  setFlagsFromString('--expose_gc');
  (runInNewContext('gc') as () => void)();
  const kept = references.filter((reference) => reference.deref());
  assert.equal([references.length, kept.length], [4 * embeddings.length, 0]);
});

test('the number of threads, changed between and during fits, changes no bit', async () => {
  const big = twoMoons({ n: 700, noise: 0.1, seed: 5 }).points;
  const few = embeddings.filter(({ name }) => /regression on landmarks|ritz, network|specnet2/.test(name));
  const results: Result[][] = [];
  for (const threads of [1, 3, 2]) {
    setThreads(threads);
    const fits = Promise.all(few.map(({ fit }) => fit(big)));
    if (threads === 2) setTimeout(() => setThreads(1), 5);
    // oxlint-disable-next-line no-await-in-loop -- the number of threads is that of the process
    results.push(await fits);
  }
  for (const [i, { name }] of few.entries()) {
    for (const found of results) assert.ok(sameBits(found[i], results[0][i]), name);
  }
});

test('memory stays flat over many fits', async () => {
  const { unequal, growthMegabytes, failures } = await runFits(60);
  assert.equal([unequal, failures], [0, []], `${growthMegabytes} MB`);
});

test('a program that fits on several threads ends by itself', () => {
  const code = `
    import { oneMoon } from './dist/datasets/index.js';
    import { matmul } from './dist/lib/doors/autodiff.js';
    import { zeros } from './dist/lib/doors/tensor.js';
    import { setThreads, SpectralEmbedding } from './dist/lib/index.js';
    setThreads(3);
    await new SpectralEmbedding().fit(oneMoon({ n: 900, seed: 1 }).points);
    matmul(zeros([300, 300]), zeros([300, 300])); // a call that threads share for sure
    console.log('done');`;
  const options = { env: { ...process.env, NODE_V8_COVERAGE: '' }, timeout: 60_000, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], options);
  assert.equal([status, stdout, stderr], [0, 'done\n', '']);
});

test.after(() => void enableSimd());

test.run();
