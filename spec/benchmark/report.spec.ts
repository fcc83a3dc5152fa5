/** Reports are read back, compared and drawn; what is not a report, or not the same matrix, is refused or named. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Benchmark,
  type BenchmarkRow,
  benchMatrix,
  compareBenchmarks,
  measureMachine,
  plotBenchmark,
  readBenchmark,
} from '../../lib/doors/benchmark.ts';
import {
  describeComparison,
  describeMachine,
  describeMatrix,
  formatBytes,
} from '../../lib/benchmark/report/describe.ts';
import { stackCharts } from '../../lib/charts/stack.ts';
import { identity } from '../../lib/doors/sparse.ts';

const test = suite('benchmark reports');

let time = 0;
const now = (): number => (time += 7);
const limits = await measureMachine(now, { threads: 2, budget: 1, largest: 2 ** 16 });
const matrix = await benchMatrix(identity(9), now, {
  name: 'diagonal',
  limits,
  budget: 1,
  threads: 2,
  columns: [1, 8],
});
const machine = { processor: 'P', processors: 2, system: 'linux x64', engine: 'Node v20' };
const benchmark: Benchmark = {
  format: 'specnet-benchmark',
  version: 1,
  specnet: '0.1.0',
  machine,
  limits,
  matrices: [matrix],
};

/** The same benchmark with other times. */
function retimed(change: (row: BenchmarkRow, i: number) => number, other: Partial<Benchmark> = {}): Benchmark {
  const rows = matrix.rows.map((row, i) => {
    const factor = change(row, i);
    const { median, lower, upper } = row.time;
    return { ...row, time: { ...row.time, median: factor * median, lower: factor * lower, upper: factor * upper } };
  });
  return { ...benchmark, matrices: [{ ...matrix, rows }], ...other };
}

test('a report survives JSON', () => {
  assert.equal(readBenchmark(JSON.stringify(benchmark)), benchmark);
});

test('other texts are refused, with what is wrong', () => {
  const refuse = (text: string, pattern: RegExp) => assert.throws(() => readBenchmark(text), pattern);
  assert.throws(() => compareBenchmarks(benchmark, {} as never), /^compareBenchmarks: expected the format 'specnet-benchmark', got undefined\.$/); // oxfmt-ignore
  refuse('{', /^readBenchmark: expected the JSON of a benchmark, got /);
  refuse('null', /^readBenchmark: expected the format 'specnet-benchmark', got undefined\.$/);
  refuse('{"format":"specnet-graph"}', /got specnet-graph\.$/);
  refuse(
    JSON.stringify({ ...benchmark, version: 2 }),
    /expected version 1 of specnet-benchmark, got 2\. Measure anew\.$/,
  );
  for (const wrong of [
    { matrices: {} },
    { matrices: [{ name: 'x' }] },
    { matrices: [{ ...matrix, rows: [{}] }] },
    { limits: undefined },
  ]) {
    refuse(JSON.stringify({ ...benchmark, ...wrong }), /expected machine, limits and matrices with their rows, got a report without some of them\.$/); // oxfmt-ignore
  }
});

test('equal rows are compared: above 1 is faster now', () => {
  const { notes, matrices } = compareBenchmarks(benchmark, retimed(() => 2)); // oxfmt-ignore
  assert.equal(notes, []);
  assert.is(matrices.length, 1);
  assert.ok(Math.abs(matrices[0].mean - 2) < 1e-12);
  assert.is(matrices[0].rows.length, matrix.rows.length);
  assert.ok(matrices[0].rows.every(({ ratio, isClear }) => ratio === 2 && isClear));
  const mixed = compareBenchmarks(benchmark, retimed((_, i) => (i === 0 ? 4 : 1))); // oxfmt-ignore
  assert.ok(Math.abs(mixed.matrices[0].mean - 4 ** (1 / matrix.rows.length)) < 1e-12, 'the geometric mean');
  assert.equal(mixed.matrices[0].rows.map(({ isClear }) => isClear).indexOf(true), 0);
  assert.match(
    describeComparison(mixed),
    /diagonal +\d+ +1\.\d+× +1 +1\.00× .* +4\.00× A·X, 1 column, single, given, plain/,
  );
});

test('another machine, another version and another matrix are named', () => {
  const other = { specnet: '0.0.9', machine: { ...machine, engine: 'Node v22' }, limits: { ...limits, threads: 4 } };
  const { notes } = compareBenchmarks(benchmark, retimed(() => 1, other)); // oxfmt-ignore
  assert.equal(notes, [
    'Another version of specnet: 0.1.0 now, 0.0.9 earlier.',
    'Another engine: Node v20 now, Node v22 earlier.',
    'Another number of threads: 2 now, 4 earlier.',
  ]);
  const larger = { ...matrix, structure: { ...matrix.structure, nonzeros: 10 } };
  const changed = compareBenchmarks(benchmark, { ...benchmark, matrices: [larger] });
  assert.equal([changed.matrices, changed.notes], [[], ['diagonal is another matrix than in the earlier benchmark, and is not compared.']]); // oxfmt-ignore
  const missing = compareBenchmarks(benchmark, { ...benchmark, matrices: [] });
  assert.equal(missing.notes, ['diagonal is not in the earlier benchmark.']);
  assert.match(describeComparison(missing), /^No row is in both benchmarks\.\n\ndiagonal is not in the earlier benchmark\.$/); // oxfmt-ignore
});

test('the text has the machine, the structure, one line per product and the advice', () => {
  const limitsText = describeMachine(machine, limits);
  assert.match(limitsText, /^P, linux x64, Node v20\n\nlimits +1 thread +2 threads\n/);
  assert.match(limitsText, /read 64 KiB +2\.40 GB\/s/);
  const text = describeMatrix(matrix, 2);
  assert.match(text, /^diagonal: 9×9 with 9 entries, symmetric\n {2}entries per row: 1 to 1, median 1, /);
  assert.match(text, /\nproduct +precision +order +columns +plain +SIMD +spread +GFLOP\/s +GB\/s +of the roofline\n/);
  assert.match(text, /\nA·X +single +given +8 +7\.00 ms +7\.00 ms +±0 % +/);
  assert.match(text, /\nUse for A·X, single, 1, 8 columns: plain, in the given order; 1\.00× as fast as plain\.\n/);
  const failed = [{ ...matrix.rows[0], reason: 'the reason', isWrong: true }];
  assert.match(
    describeMatrix({ ...matrix, failed }, 2),
    /\nNot timed: A·X, 1 column, single, given, plain: the reason\.$/,
  );
  assert.equal([2 ** 14, 2 ** 22, 1500].map(formatBytes), ['16 KiB', '4 MiB', '1.46 KiB']);
});

test('the chart has roofs, a mark for each product in the given order, and bars', () => {
  const svg = plotBenchmark(benchmark, 'svg');
  assert.match(svg, /^<svg xmlns="[^"]+" viewBox="0 0 1080 \d+(\.\d+)?"/);
  for (const text of [
    'A·X, single precision',
    'A·X, double precision',
    'flops per byte',
    'limit, 64 KiB, 2 threads',
    'SIMD',
  ]) {
    assert.ok(svg.includes(`>${text}<`), text);
  }
  const marks = [...svg.matchAll(/<path d="(M[^"]*)" fill="var\(--blue\)"\/>/g)].map(
    ([, path]) => path.match(/M/g)!.length,
  );
  assert.equal(marks, [1, 2, 2], 'one in the legend, two in each panel');
  assert.is(svg.match(/<rect [^>]*height="18"/g)!.length, 2, 'one bar for each number of columns');
  const page = plotBenchmark(benchmark, 'html');
  assert.match(page, /<title>Sparse products: diagonal on P<\/title>/);
  assert.ok(page.includes(describeMatrix(matrix, 2)), 'the page has the tables');
  assert.throws(
    () => plotBenchmark(benchmark, 'png' as never),
    /^plotBenchmark: expected format to be 'svg' or 'html', got png\./,
  );
  assert.throws(() => plotBenchmark({} as never, 'svg'), /^plotBenchmark: expected the format 'specnet-benchmark', got undefined\./); // oxfmt-ignore
});

test('stacked charts follow each other', () => {
  const chart = (height: number): string => `<svg class="chart" viewBox="0 0 1080 ${height}"></svg>\n`;
  const stacked = stackCharts('A & B', [chart(300), chart(200)]);
  assert.match(stacked, /viewBox="0 0 1080 500".*<title>A &amp; B<\/title>/);
  assert.match(stacked, /<svg y="0" width="1080" height="300" class.*<svg y="300" width="1080" height="200" class/);
});

test.run();
