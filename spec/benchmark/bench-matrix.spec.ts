/** `benchMatrix` compares every kernel with its plain twin, times it by the clock it is given, and leaves no trace. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  benchMatrix,
  type BenchOptions,
  estimateBench,
  generateMatrix,
  type MatrixBenchmark,
  measureMachine,
} from '../../lib/doors/benchmark.ts';
import { fromTriplets, identity, symmetrize } from '../../lib/doors/sparse.ts';
import { plainSymmetric } from '../../lib/kernels/formats/symmetric.ts';
import { productKernels } from '../../lib/wasm/products-family.ts';
import { type CsrMatrix, disableSimd, enableSimd, Random, setThreads, simdStatus } from '../../lib/index.ts';
import { rejects } from '../rejects.ts';

const test = suite('benchMatrix');

/** A clock of which every reading takes 7 ms. */
function stepping(): () => number {
  let time = 0;
  return () => (time += 7);
}

const machine = { threads: 2, budget: 1, largest: 2 ** 16 };
const limits = await measureMachine(stepping(), machine);
const quick: BenchOptions = { limits, budget: 1, threads: 2, columns: [1, 3] };

const measure = (matrix: CsrMatrix, options: BenchOptions = {}): Promise<MatrixBenchmark> =>
  benchMatrix(matrix, stepping(), { ...quick, ...options });

/** Rows of 0 to 60 entries; row 3 is full. */
function irregular(rows: number, cols: number): CsrMatrix {
  const random = new Random(3);
  const entries: [row: number, column: number][] = [];
  for (let i = 0; i < rows; i++) {
    const count = i === 3 ? cols : i % 5 === 0 ? 0 : random.integer(60);
    for (let k = 0; k < count; k++) entries.push([i, i === 3 ? k : random.integer(cols)]);
  }
  const values = entries.map(() => random.uniform(-1, 1));
  return fromTriplets({ rows: entries.map(([i]) => i), columns: entries.map(([, j]) => j), values }, [rows, cols]);
}

test('the limits are rates of working sets and of arithmetic, for one thread and for all', () => {
  assert.is(limits.programs, 'simd');
  assert.is(limits.threads, 2);
  assert.equal(
    limits.bandwidth.map(({ bytes }) => bytes),
    [2 ** 14, 2 ** 16],
  );
  // At 7 ms a call: at least 16 MiB are read, and both threads multiply 8192 times 144 flops.
  for (const { one, all } of limits.bandwidth)
    assert.ok(Math.abs(one - 2 ** 24 / 7e6) < 1e-12 && all === one, `${one} ${all}`);
  assert.ok(Math.abs(limits.peak.single.one - (8192 * 144) / 7e6) < 1e-12);
  assert.ok(Math.abs(limits.peak.double.all - (8192 * 72 * 2) / 7e6) < 1e-12);
});

test('an interruption of any single sample leaves the limits as they are', async () => {
  const quiet = { threads: 1, budget: 1, largest: 2 ** 14 };
  const undisturbed = await measureMachine(stepping(), quiet);
  for (let interrupted = 1; interrupted <= 40; interrupted++) {
    let readings = 0;
    let time = 0;
    const clock = (): number => (time += ++readings === interrupted ? 10_000 : 7);
    assert.equal(await measureMachine(clock, quiet), undisturbed, `reading ${interrupted}`); // oxlint-disable-line no-await-in-loop -- few
  }
});

test('every product is measured and agrees with its plain twin', async () => {
  const matrix = irregular(400, 300);
  const { rows, failed, structure, reordering } = await measure(matrix, { columns: [1, 3, 64] });
  assert.equal(failed, []);
  assert.equal([structure.rows, structure.cols, reordering], [400, 300, null]);
  const names = rows.map(({ operation, precision, mode, columns }) => `${operation} ${precision} ${mode} ${columns}`);
  assert.is(new Set(names).size, names.length);
  for (const name of ['multiply single simd 3', 'multiply double simd 1', 'multiply double plain 64', 'transpose single simd 64', 'transpose double plain 1', 'transposedCopy double simd 3', 'transposedSlices single simd 1', 'sliced double simd 64', 'slice single simd 0', 'multiply single threads 64']) assert.ok(names.includes(name), name); // oxfmt-ignore
  const differing = rows.filter(({ difference }) => difference > 0);
  assert.ok(differing.length > 0 && differing.every(({ difference }) => difference < 1e-5), 'Float32 sums are rounded');
  for (const { time, gflops, flops, bytes, gbs, share } of rows) {
    assert.equal([time.median, time.samples], [7, 1]);
    assert.equal([gflops, gbs], [flops / 7 / 1e6, bytes / 7 / 1e6]);
    assert.ok(bytes > 0 && share > 0);
  }
});

test('a square matrix is reordered, also if its pattern is not symmetric', async () => {
  const { rows, reordering, failed, recommendations } = await measure(irregular(300, 300), { precisions: ['single'] });
  assert.equal(failed, []);
  assert.is(reordering!.milliseconds, 7);
  assert.ok(rows.some(({ order }) => order === 'reordered'));
  assert.equal(
    recommendations.map(({ product, columns, mode }) => [product, columns, mode]),
    [
      ['A·X', 1, 'plain'],
      ['A·X', 3, 'plain'],
      ['Aᵀ·X', 1, 'plain'],
      ['Aᵀ·X', 3, 'plain'],
    ],
    'all take the same time by this clock, so the simplest is best',
  );
  const kept = await measure(irregular(300, 300), { precisions: ['single'], reorder: false });
  assert.equal([kept.reordering, kept.rows.every(({ order }) => order === 'given')], [null, true]);
  const shuffled = await measure(await generateMatrix('knn-small'), { columns: [1], precisions: ['single'] });
  assert.ok(shuffled.reordering!.meanDistance < shuffled.structure.meanDistance / 3);
});

test('a kernel that computes something else is found, and is not timed', async () => {
  const twins = productKernels();
  const { csrProduct } = twins;
  twins.csrProduct = (rows, width, starts, columns, values, x, out) => {
    csrProduct(rows, width, starts, columns, values, x, out);
    out[out.length - 1] *= 1.001;
  };
  try {
    const { rows, failed } = await measure(irregular(50, 50), { precisions: ['single'], reorder: false });
    assert.equal(
      failed.map(({ operation, columns, mode, isWrong }) => [operation, columns, mode, isWrong]),
      ['multiply', 'transposedCopy'].flatMap((operation) =>
        [1, 3].map((columns) => [operation, columns, 'simd', true]),
      ),
    );
    assert.match(failed[0].reason, /^the result differs by .* from that of the plain kernel, and .* is allowed$/);
    assert.ok(rows.every(({ operation, mode }) => operation !== 'multiply' || mode === 'plain'));
  } finally {
    twins.csrProduct = csrProduct;
  }
});

test('the half of a symmetric matrix is compared with the whole of it', async () => {
  const symmetric = symmetrize(irregular(60, 60));
  const { rows, failed } = await measure(symmetric, { columns: [1, 3, 16, 40] });
  assert.equal(failed, []);
  const halves = rows.filter(({ operation }) => operation === 'symmetric');
  assert.equal(new Set(halves.map(({ mode, precision }) => `${mode} ${precision}`)), new Set(['simd single', 'simd double'])); // oxfmt-ignore
  assert.ok(halves.every(({ format, difference }) => format === 'half' && difference < 1e-5));
  const { csrSymmetricMatmul } = plainSymmetric;
  plainSymmetric.csrSymmetricMatmul = (size, width, diagonal, starts, ...others) =>
    csrSymmetricMatmul(size, width, diagonal.map((entry) => 2 * entry), starts, ...others); // oxfmt-ignore
  disableSimd();
  try {
    const wrong = await measure(symmetric, { precisions: ['double'], columns: [2] });
    assert.equal(
      wrong.failed.map(({ operation, mode, isWrong }) => [operation, mode, isWrong]),
      [['symmetric', 'plain', true]],
    );
  } finally {
    plainSymmetric.csrSymmetricMatmul = csrSymmetricMatmul;
    enableSimd();
  }
});

test('threads that change a bit are found', async () => {
  const twins = productKernels();
  const { csrProduct } = twins;
  twins.csrProduct = (rows, width, starts, columns, values, x, out) => {
    csrProduct(rows, width, starts, columns, values, x, out);
    const status = simdStatus();
    if (status.enabled && status.threads > 1) out[0] += 2 ** -20;
  };
  try {
    const { failed } = await measure(irregular(400, 300), { precisions: ['single'], columns: [64] });
    assert.equal(
      failed.map(({ operation, mode, reason }) => [operation, mode, reason]),
      ['multiply', 'transposedCopy'].map((operation) => [operation, 'threads', 'the result on several threads has other bits than on one']), // oxfmt-ignore
    );
  } finally {
    twins.csrProduct = csrProduct;
  }
});

test('without SIMD there are plain rows, and limits of plain loops', async () => {
  disableSimd();
  try {
    const plain = await measureMachine(stepping(), machine);
    assert.equal([plain.programs, plain.threads], ['plain', 1]);
    const { rows, failed } = await measure(irregular(40, 40), { limits: plain, threads: 2 });
    assert.ok(rows.length > 0 && rows.every(({ mode }) => mode === 'plain'));
    assert.equal(failed, []);
  } finally {
    enableSimd();
  }
});

test('the number of threads is as before, after a success as after a failure', async () => {
  setThreads(3);
  await measure(identity(20), { precisions: ['single'], columns: [1] });
  await measureMachine(stepping(), machine);
  assert.is((simdStatus() as { threads: number }).threads, 3);
  const stopped = new AbortController();
  const progress = (): void => stopped.abort(new Error('enough'));
  const slow = benchMatrix(identity(1000), () => performance.now(), { ...quick, budget: 100, progress, signal: stopped.signal }); // oxfmt-ignore
  await rejects(() => slow, /^enough$/);
  assert.is((simdStatus() as { threads: number }).threads, 3);
  setThreads(1);
});

test('the estimate counts rows and their budget', () => {
  const seconds = estimateBench(identity(50), { ...quick, budget: 1000 });
  assert.ok(seconds > 30 && seconds < 60, `${seconds}`);
});

test('wrong arguments are refused in words', async () => {
  const matrix = identity(3);
  const refused = (options: BenchOptions, pattern: RegExp) => rejects(() => measure(matrix, options), pattern);
  await refused({ columns: [0] }, /^benchMatrix: expected columns to be a whole number, at least 1, got 0\.$/);
  await refused({ columns: [] }, /^benchMatrix: expected columns and precisions, got an empty list\.$/);
  await refused({ precisions: ['half' as never] }, /^benchMatrix: expected precisions to be 'single' or 'double', got half\.$/); // oxfmt-ignore
  await refused({ budget: 0 }, /^benchMatrix: expected budget to be milliseconds above 0, got 0\.$/);
  await refused({ threads: 0 }, /^benchMatrix: expected threads to be a whole number, at least 1, got 0\.$/);
  const empty = fromTriplets({ rows: [], columns: [], values: [] }, [2, 3]);
  await rejects(() => measure(empty), /^benchMatrix: expected a matrix with entries, got 2×3 without any\.$/);
  await rejects(() => benchMatrix(matrix, 5 as never), /^benchMatrix: expected a clock: a function that returns milliseconds, got 5\.$/); // oxfmt-ignore
  await rejects(() => measureMachine(stepping(), { largest: 5 }), /^measureMachine: expected largest to be a whole number, at least 16384, got 5\.$/); // oxfmt-ignore
});

test('edges: one entry, one row, one column, a full row beside empty ones', async () => {
  const single = fromTriplets({ rows: [0], columns: [0], values: [2] }, [1, 1]);
  const wide = fromTriplets({ rows: [0, 0], columns: [2, 6], values: [1, 2] }, [1, 7]);
  const tall = fromTriplets({ rows: [3], columns: [0], values: [1] }, [7, 1]);
  for (const matrix of [single, wide, tall]) {
    // oxlint-disable-next-line no-await-in-loop -- one at a time, so that a failure names its matrix
    const { failed, rows } = await measure(matrix, { columns: [1, 2, 7] });
    assert.equal(failed, []);
    assert.ok(rows.length > 10);
  }
});

test.run();
