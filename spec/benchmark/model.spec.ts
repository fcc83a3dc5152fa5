/** The bytes model, the roofline, the plan of rows and the recommendation, on figures by hand. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BenchmarkRow, MachineLimits, Measured, Operation } from '../../lib/doors/benchmark.ts';
import { matrixStructure } from '../../lib/doors/benchmark.ts';
import { bitsOf, differenceOf, largestSums, roundingBound } from '../../lib/benchmark/measure/agreement.ts';
import { operationRules } from '../../lib/benchmark/measure/operations.ts';
import { estimateSeconds, planRows, type Wanted } from '../../lib/benchmark/measure/plan.ts';
import { recommend } from '../../lib/benchmark/measure/recommend.ts';
import { bandwidthOf, rate } from '../../lib/benchmark/measure/roofline.ts';
import { fromDense, fromTriplets, identity } from '../../lib/doors/sparse.ts';
import { tensor } from '../../lib/index.ts';

const test = suite('model of sparse products');

const limits: MachineLimits = {
  programs: 'simd',
  threads: 2,
  peak: { single: { one: 40, all: 80 }, double: { one: 20, all: 40 } },
  bandwidth: [
    { bytes: 1000, one: 100, all: 200 },
    { bytes: 100_000, one: 50, all: 100 },
    { bytes: 10_000_000, one: 10, all: 16 },
  ],
};

/** 3×4 with 5 entries, without entries in row 1 and in column 2. */
const matrix = fromTriplets({ rows: [0, 0, 0, 2, 2], columns: [0, 1, 3, 0, 3], values: [1, -2, 3, 4, -5] }, [3, 4]);

test('bytes: every array once, and of X only what the entries reach', () => {
  const structure = matrixStructure(matrix);
  const listed = { rows: 2, entries: 3 };
  const bytes = (operation: Operation, width: number, valueBytes: number): number =>
    operationRules[operation].bytes(structure, listed, width, valueBytes);
  const csr = 4 * 4 + 5 * (4 + 4);
  assert.is(bytes('multiply', 1, 4), csr + 4 * (3 + 3));
  assert.is(bytes('multiply', 8, 4), csr + 4 * 8 * (3 + 3));
  assert.is(bytes('transpose', 8, 4), csr + 4 * 8 * (2 + 4));
  assert.is(bytes('transposedCopy', 8, 4), 4 * 5 + 5 * 8 + 4 * 8 * (2 + 4), 'one start more than columns');
  assert.is(bytes('transposedSlices', 8, 4), 4 * 2 + 5 * 8 + 4 * 8 * (2 + 4), 'one slice');
  assert.is(bytes('multiply', 2, 8), 4 * 4 + 5 * (4 + 8) + 8 * 2 * (3 + 3));
  assert.is(bytes('slice', 0, 4), 16 * 2 + 2 * 3 * 8);
  const path = matrixStructure(fromTriplets({ rows: [0, 0, 1, 1, 2], columns: [0, 1, 0, 2, 1], values: [3, 1, 1, 1, 1] }, [3, 3])); // oxfmt-ignore
  const half = operationRules.symmetric.bytes(path, listed, 2, 4);
  assert.is(half, 4 * 4 + 2 * (4 + 4) + 4 * 3 + 4 * 2 * (3 + 3), 'half the entries, and the diagonal');
  assert.is(bytes('sliced', 1, 4), 4 * 2 + 5 * (4 + 4) + 4 * (3 + 3), 'one slice');
  assert.is(bytes('blocked', 2, 4), 4 * 2 + 4 + 16 * 4 + 4 * 2 * (3 + 3), 'one block');
  assert.is(operationRules.multiply.flops(structure, 8), 80);
  assert.is(operationRules.slice.flops(structure, 0), 0);
});

test('bandwidth is that of the level that holds the working set', () => {
  assert.is(bandwidthOf(limits, 10, 'one'), 100);
  assert.is(bandwidthOf(limits, 1000, 'all'), 200);
  assert.is(bandwidthOf(limits, 10_000, 'one'), 75, 'half way, by the logarithm');
  assert.is(bandwidthOf(limits, 1e9, 'all'), 16);
});

test('the roof is bandwidth times flops per byte, or the peak', () => {
  // 100,000 bytes are read at 50 GB/s in 2 µs.
  const memory = rate(limits, 'simd', 'single', 20_000, 100_000, 0.004);
  assert.equal([memory.bound, memory.roof, memory.share, memory.gflops, memory.gbs], ['memory', 10, 0.5, 5, 25]);
  const arithmetic = rate(limits, 'threads', 'double', 1_000_000, 100_000, 0.05);
  assert.equal([arithmetic.bound, arithmetic.roof, arithmetic.share], ['arithmetic', 40, 0.5]);
  const copied = rate(limits, 'plain', 'single', 0, 100_000, 0.004);
  assert.equal([copied.bound, copied.share, copied.gflops], ['memory', 0.5, 0]);
});

const wanted: Wanted = { columns: [1, 64], precisions: ['single'], orders: ['given'], threads: 2, simd: true };
const matrixOfOnes = (n: number) => fromDense(tensor(Array.from({ length: n }, () => new Array<number>(n).fill(1))));
const modesIn = (rows: readonly Measured[], operation: string, columns: number): string[] =>
  rows.filter((row) => row.operation === operation && row.columns === columns).map(({ mode }) => mode);

test('rows: only modes that differ, and threads last', () => {
  const structure = matrixStructure(identity(10_000)); // 64 columns are 1.28 million flops
  const rows = planRows(structure, wanted);
  assert.equal(modesIn(rows, 'multiply', 1), ['plain', 'simd']);
  assert.equal(modesIn(rows, 'multiply', 64), ['plain', 'simd', 'threads']);
  assert.equal(modesIn(rows, 'transpose', 64), ['plain', 'simd', 'threads']);
  assert.equal(modesIn(rows, 'transposedCopy', 64), ['simd', 'threads']);
  assert.equal(modesIn(rows, 'sliced', 1), ['simd'], 'other formats exist for their twins');
  assert.equal(modesIn(rows, 'sliced', 64), ['simd', 'threads']);
  assert.equal(modesIn(rows, 'transposedSlices', 64), ['simd', 'threads']);
  const long = planRows(matrixStructure(identity(200_000)), { ...wanted, columns: [4] });
  assert.equal(modesIn(long, 'multiply', 4), ['plain', 'simd', 'threads']);
  assert.equal(modesIn(long, 'transpose', 4), ['plain', 'simd'], 'threads share columns');
  assert.equal(modesIn(rows, 'blocked', 1), [], 'blocks of the identity are a quarter full');
  assert.equal(modesIn(planRows(matrixStructure(matrixOfOnes(9)), wanted), 'blocked', 64), ['simd']);
  assert.equal(modesIn(rows, 'slice', 0), ['plain', 'simd']);
  assert.is(rows.at(-1)!.mode, 'threads');
  assert.equal(modesIn(rows, 'symmetric', 64), ['simd']);
  const irregular = planRows(matrixStructure(matrix), wanted);
  assert.equal(modesIn(irregular, 'symmetric', 64), [], 'not of a matrix that is not symmetric');
  const double = planRows(structure, { ...wanted, precisions: ['double'] });
  assert.equal(modesIn(double, 'multiply', 64), ['plain', 'simd', 'threads']);
  assert.equal(modesIn(double, 'transpose', 64), ['plain', 'simd', 'threads']);
  assert.ok(planRows(structure, { ...wanted, threads: 1 }).every(({ mode }) => mode !== 'threads'));
  assert.ok(planRows(structure, { ...wanted, simd: false }).every(({ mode }) => mode === 'plain'));
  const both = planRows(structure, { ...wanted, orders: ['given', 'reordered'] });
  assert.equal(new Set(both.flatMap(({ order, operation }) => (order === 'reordered' ? [operation] : []))), new Set(['multiply', 'sliced'])); // oxfmt-ignore
});

test('the estimate is at least the budget of all rows, and grows with the matrix', () => {
  const [small, large] = [identity(10), identity(1_000_000)].map(matrixStructure);
  const rows = planRows(small, wanted);
  const seconds = estimateSeconds(small, rows, 50);
  assert.ok(seconds >= 0.05 * rows.length && seconds < 0.06 * rows.length, `${seconds}`);
  assert.ok(estimateSeconds(large, rows, 50) > 2 * seconds);
});

function timed(mode: BenchmarkRow['mode'], order: BenchmarkRow['order'], median: number, spread = 0.01): BenchmarkRow {
  const time = {
    median,
    lower: median * (1 - spread),
    upper: median * (1 + spread),
    least: median,
    samples: 9,
    calls: 1,
  };
  const measured = { operation: 'multiply', columns: 8, precision: 'single', format: 'csr', order, mode } as const;
  return { ...measured, time, difference: 0, ...rate(limits, mode, 'single', 1e6, 1e6, median) };
}

test('the fastest way is recommended, with its gain and the products after which reordering has paid', () => {
  const rows = [
    timed('plain', 'given', 10),
    timed('simd', 'given', 4),
    timed('threads', 'given', 3),
    timed('simd', 'reordered', 2),
  ];
  const [advice, ...others] = recommend(rows, 100);
  assert.equal(others, []);
  assert.equal([advice.mode, advice.order, advice.gain, advice.breakEven], ['simd', 'reordered', 5, 100]);
});

test('another format is recommended with the products after which its conversion has paid', () => {
  const way = { ...timed('simd', 'given', 2), operation: 'sliced', format: 'sliced' } as const;
  const conversion = { format: 'sliced', precision: 'single', order: 'given', milliseconds: 30, size: 1 } as const;
  const [advice] = recommend([timed('plain', 'given', 10), timed('simd', 'given', 4), way], null, [conversion]);
  assert.equal([advice.format, advice.mode, advice.breakEven], ['sliced', 'simd', 15]);
  const [both] = recommend([timed('plain', 'given', 10), timed('simd', 'given', 4), { ...way, order: 'reordered' }], 100, [{ ...conversion, order: 'reordered' }]); // oxfmt-ignore
  assert.equal([both.format, both.order, both.breakEven], ['sliced', 'reordered', 65]);
});

test('Aᵀ·X is recommended apart from A·X, from a transposed copy if that is faster', () => {
  const inPlace = (mode: BenchmarkRow['mode'], median: number) => ({ ...timed(mode, 'given', median), operation: 'transpose' }) as const; // oxfmt-ignore
  const copied = { ...timed('simd', 'given', 3), operation: 'transposedCopy', format: 'transposed' } as const;
  const conversion = { format: 'transposed', precision: 'single', order: 'given', milliseconds: 30, size: 1 } as const;
  const rows = [
    inPlace('plain', 12),
    inPlace('simd', 6),
    copied,
    timed('plain', 'given', 10),
    timed('simd', 'given', 2),
  ];
  assert.equal(
    recommend(rows, null, [conversion]).map(({ product, format, gain, breakEven }) => [product, format, gain, breakEven]), // oxfmt-ignore
    [
      ['A·X', 'csr', 5, null],
      ['Aᵀ·X', 'transposed', 4, 10],
    ],
  );
});

test('a way that is not clearly faster is not worth its effort', () => {
  const near = recommend(
    [timed('plain', 'given', 10), timed('simd', 'given', 4), timed('threads', 'given', 3.9)],
    null,
  );
  assert.equal([near[0].mode, near[0].breakEven], ['simd', null]);
  const noisy = recommend(
    [timed('plain', 'given', 10), timed('simd', 'given', 4, 0.4), timed('threads', 'given', 3, 0.4)],
    null,
  );
  assert.is(noisy[0].mode, 'simd');
});

test('differences are relative to the largest possible result, and NaN is never small', () => {
  const { row: rows, column } = largestSums(matrix);
  assert.equal(
    [rows, column],
    [
      { sum: 9, count: 3 },
      { sum: 8, count: 2 },
    ],
  );
  assert.is(differenceOf(Float64Array.of(1, 2.5), Float64Array.of(1, 2), 10), 0.05);
  assert.is(differenceOf(Float64Array.of(1, NaN), Float64Array.of(1, 2), 10), Infinity);
  assert.is(roundingBound(3, true), 8 * 2 ** -24);
  assert.is(roundingBound(3, false), 8 * 2 ** -53);
  assert.is.not(bitsOf(Float32Array.of(0, 1)), bitsOf(Float32Array.of(-0, 1)));
});

test.run();
