/** A·X on a graphics card: programs in WGSL, comparison before times, and the reason where there is no card. Chromium runs the programs in spec/docs/page.spec.ts. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeFindings, tableOfRows } from '../../lib/benchmark/report/describe.ts';
import { measureOnCard } from '../../lib/benchmark/webgpu/bench-webgpu.ts';
import { type Card, openCard, type WebGpu } from '../../lib/benchmark/webgpu/device.ts';
import { groupCount, groupSize, lanesOf, productShader, type ProductShape } from '../../lib/benchmark/webgpu/shader.ts';
import { benchMatrix, benchWebGpu, generateMatrix, measureMachine, plotBenchmark } from '../../lib/doors/benchmark.ts';
import type { CsrMatrix } from '../../lib/sparse/csr.ts';
import { rejects } from '../rejects.ts';

const test = suite('WebGPU');

let time = 0;
const now = (): number => (time += 7);
const matrix = await generateMatrix('banded-small');
const pace = { now, budget: 1, sample: 1 };
const settings = { columns: [1, 8] };

/** A card that multiplies in Float64, and multiplies its results by `factor`. */
function fakeCard(factor: number, loaded: ProductShape[] = []): Card {
  const load = async ({ starts, columns, values }: CsrMatrix, shape: ProductShape, x: Float32Array) => {
    loaded.push(shape);
    const { rows, width } = shape;
    const result = new Float32Array(rows * width);
    for (let i = 0; i < rows; i++) {
      for (let c = 0; c < width; c++) {
        let sum = 0;
        for (let e = starts[i]; e < starts[i + 1]; e++) sum += values[e] * x[columns[e] * width + c];
        result[i * width + c] = factor * sum;
      }
    }
    return { run: async () => {}, read: async () => result, close: () => {} };
  };
  return { name: 'a fake', load, close: () => {} };
}

test('every shape has as many invocations as it needs, and programs with and without shared rows', () => {
  for (const width of [1, 2, 3, 4, 8, 30, 64]) {
    for (const lanes of [1, 2, 32]) {
      const shape = { rows: 1000, width, lanes };
      const source = productShader(shape);
      const vector = width % 4 === 0 ? 4 : width % 2 === 0 ? 2 : 1;
      assert.is(groupCount(shape), Math.ceil((1000 * (width / vector) * lanes) / groupSize));
      assert.is(
        source.split('workgroupBarrier').length - 1,
        Math.log2(lanes),
        'a barrier before each addition of pairs',
      );
      assert.ok(source.includes(vector === 1 ? 'x: array<f32>' : `x: array<vec${vector}<f32>>`), source);
    }
  }
  assert.equal([0, 1, 4, 10, 40, 1e6].map((mean) => lanesOf(mean, 1)), [1, 1, 1, 2, 8, 32]); // oxfmt-ignore
  assert.equal([8, 32].map((width) => lanesOf(40, width)), [4, 1], 'blocks of columns share rows as well'); // oxfmt-ignore
});

test('without WebGPU, or without a card, the result says so', async () => {
  const { card, reason, rows } = await benchWebGpu(matrix, now);
  assert.equal([card, rows.length], [null, 0]);
  assert.match(reason, /no WebGPU|no graphics card/);
  const none: WebGpu = { requestAdapter: async () => null };
  assert.match(String(await openCard(none)), /found no graphics card/);
  const broken = { requestAdapter: () => Promise.reject(new Error('lost')) };
  assert.match(String(await openCard(broken)), /WebGPU does not start: lost/);
});

test('a right result is timed, a wrong one is not, and both are reported', async () => {
  const loaded: ProductShape[] = [];
  const right = await measureOnCard(fakeCard(1, loaded), matrix, pace, settings);
  assert.equal([right.card, right.failed, right.rows.map(({ columns }) => columns)], ['a fake', [], [1, 8]]);
  assert.equal(loaded.map(({ rows, width }) => [rows, width]), [[1600, 1], [1600, 8]]); // oxfmt-ignore
  const [{ time: timing, gflops }] = right.rows;
  assert.is(gflops, (2 * matrix.nonzeros) / timing.median / 1e6);
  const wrong = await measureOnCard(fakeCard(1.001), matrix, pace, settings);
  assert.equal(wrong.rows, []);
  assert.ok(wrong.failed.every(({ isWrong, reason }) => isWrong && /differs by .* is allowed/.test(reason)));
  const limits = await measureMachine(now, { threads: 1, budget: 1, largest: 2 ** 14 });
  const found = await benchMatrix(matrix, now, { limits, columns: [1, 8], budget: 1, threads: 1, reorder: false });
  const { header, lines } = tableOfRows({ ...found, webgpu: right }, 1);
  const at = header.indexOf('WebGPU');
  const timed = lines.filter((line) => line[at] !== '').map((line) => line.slice(0, 4).join(' '));
  assert.equal(timed, ['A·X single given 1', 'A·X single given 8']);
  assert.ok(!tableOfRows(found, 1).header.includes('WebGPU'));
  const words = (webgpu: typeof right): string => describeFindings({ ...found, webgpu }, 1).join('\n');
  assert.match(words(right), /^WebGPU: a fake; agrees with the plain kernel to .*; first result after/m);
  assert.match(words(wrong), /^Not timed: A·X, 8 columns, single, given, WebGPU: the result differs/m);
  assert.match(words({ card: null, reason: 'none', rows: [], failed: [] }), /^No WebGPU here: none\.$/m);
  const machine = { processor: 'p', processors: 1, system: 's', engine: 'e' };
  const report = { format: 'specnet-benchmark', version: 1, specnet: '0', machine, limits, matrices: [{ ...found, webgpu: right }] } as const; // oxfmt-ignore
  assert.match(plotBenchmark(report, 'svg'), /WebGPU/);
  const [light, dark] = (['light', 'dark'] as const).map((theme) => plotBenchmark(report, 'svg', theme));
  assert.ok(light.includes('#ffffff') && !light.includes('#0d1117') && dark.includes('#0d1117'));
});

test('an abort ends the measurement, and options are checked', async () => {
  const controller = new AbortController();
  const progress = (): void => controller.abort(new Error('enough'));
  await rejects(() => measureOnCard(fakeCard(1), matrix, pace, { ...settings, progress, signal: controller.signal }), /enough/); // oxfmt-ignore
  await rejects(() => benchWebGpu(matrix, now, { columns: [0] }), /benchWebGpu: expected columns/);
  await rejects(() => benchWebGpu(matrix, now, { sample: 0 }), /sample to be milliseconds above 0/);
});

test.run();
