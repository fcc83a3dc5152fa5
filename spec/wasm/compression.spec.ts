/** Compressed rows and columns keep every nonzero entry: all kernels against a search by entry, and sparse layers against dense ones. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/core/random.ts';
import { plainCompression, sectionRows, startOf } from '../../lib/kernels/batch/compression.ts';
import { allocator, heap, kernels } from '../../lib/kernels/table.ts';
import { Mlp } from '../../lib/network/bodies/mlp.ts';
import { DenseLayer } from '../../lib/network/layers/dense-layer.ts';
import type { Layer } from '../../lib/network/layers/layer.ts';
import { type Tensor, zeros } from '../../lib/tensor/tensor.ts';
import { Workspace } from '../../lib/tensor/workspace.ts';
import { compressionKernels } from '../../lib/wasm/families.ts';

const test = suite('compression');
const sizes = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 64, 65];
const densities = [0, 0.1, 0.5, 1];
/** How many guard numbers follow the space for all entries. They must not change. */
const margin = 3;

/** Numbers and zeros, including −0. One of several entries is NaN. */
function fillWithGaps(x: Float32Array, density: number, random: Random): void {
  random.fillNormal(x);
  for (let i = 0; i < x.length; i++) if (random.uniform() >= density) x[i] = i % 2 === 0 ? 0 : -0;
  if (density > 0 && x.length > 9) x[7] = NaN;
}

test('both twins find the entries, section by section, wherever the arrays are', () => {
  zeros([1]);
  const twins = [plainCompression, compressionKernels()];
  assert.is.not(twins[1].compressRows, plainCompression.compressRows);
  const random = new Random('gaps');
  for (const memory of [heap, allocator]) {
    for (const rows of sizes) {
      for (const cols of sizes) {
        for (const density of densities) {
          const x = memory.float32(rows * cols);
          fillWithGaps(x, density, random);
          const there = [...x.keys()].filter((i) => x[i] !== 0);
          const where = `${rows}×${cols}, density ${density}`;
          for (const { compressRows, compressColumns } of twins) {
            const starts = memory.int32(startOf(rows) + 2 + margin).fill(-7);
            const columns = memory.int32(x.length + margin).fill(-7);
            const values = memory.float32(x.length + margin).fill(-7);
            assert.is(compressRows(rows, cols, x, starts, columns, values), there.length, where);
            for (let i = 0; i < rows; i++) {
              const expected = there.filter((p) => Math.floor(p / cols) === i);
              const [start, end] = starts.subarray(startOf(i));
              if (i % sectionRows === 0) assert.is(start, i * cols, where);
              assert.equal([...columns.subarray(start, end)], expected.map((p) => p % cols), where); // oxfmt-ignore
              assert.equal([...values.subarray(start, end)], expected.map((p) => x[p]), where); // oxfmt-ignore
            }
            // Column by column, without unused entries.
            const ofColumns = [memory.int32(cols + 1), memory.int32(x.length), memory.float32(x.length)] as const;
            assert.is(compressColumns(rows, cols, x, ...ofColumns), there.length, where);
            const byColumn = there.toSorted((p, q) => (p % cols) - (q % cols) || p - q);
            assert.equal([...ofColumns[1].subarray(0, there.length)], byColumn.map((p) => Math.floor(p / cols)), where); // oxfmt-ignore
            assert.equal([...ofColumns[2].subarray(0, there.length)], byColumn.map((p) => x[p]), where); // oxfmt-ignore
            const before = Array.from({ length: cols + 1 }, (_, j) => there.filter((p) => p % cols < j).length);
            assert.equal([...ofColumns[0]], before, where);
            const beyond = [starts, columns, values].map((array) => array.subarray(-margin));
            assert.ok(beyond.every((rest) => rest.every((number) => number === -7)), where); // oxfmt-ignore
          }
        }
      }
    }
  }
});

/** The result of the kernel that does not skip zeros. */
function densely(x: Tensor, { weights, bias, activation }: Layer): Tensor {
  const out = zeros([x.rows, weights.cols]);
  kernels.dense(activation, x.rows, weights.cols, x.cols, x.data, weights.data, bias.data, out.data);
  return out;
}

for (const activation of ['relu', 'tanh', 'identity'] as const) {
  test(`a layer with ${activation} after relu is the same however many zeros there are`, () => {
    // The last two sizes have several blocks of rows.
    for (const [rows, cols, width] of [
      [1, 32, 40],
      [46, 256, 256],
      [3000, 400, 32],
      [20_000, 64, 33],
    ]) {
      const layer: Layer = { ...new Mlp([cols, width, 1], { seed: 1 }).layers[0], activation };
      for (const density of [0, 0.1, 0.5, 0.9]) {
        const x = zeros([rows, cols]);
        fillWithGaps(x.data, density, new Random(cols));
        for (let i = 0; i < x.size; i++) x.data[i] = Math.abs(x.data[i]) || 0;
        const out = new DenseLayer(layer, true).forward(x, new Workspace());
        const expected = densely(x, layer);
        for (let p = 0; p < out.size; p++) {
          const error = Math.abs(out.data[p] - expected.data[p]);
          assert.ok(error < 1e-5, `${rows}×${cols} to ${width}, density ${density}: ${error} at ${p}`);
        }
      }
    }
  });
}

test('narrow layers and double precision have the bits of a dense product', () => {
  for (const [units, precision] of [
    [[40, 20, 1], 'single'],
    [[64, 40, 1], 'double'],
  ] as const) {
    const [layer] = new Mlp(units, { seed: 1, precision }).layers;
    const x = zeros([5, units[0]], precision);
    new Random(1).fillUniform(x.data, 0.1, 1);
    x.data.fill(0, 0, 3 * units[0]);
    const out = new DenseLayer(layer, true).forward(x, new Workspace());
    const expected = zeros([5, units[1]], precision);
    const { weights, bias, activation } = layer;
    kernels.dense(activation, 5, units[1], units[0], x.data, weights.data, bias.data, expected.data);
    assert.equal(out.data, expected.data);
  }
});

test('the gradient of the weights is the same number by number, whether zeros are skipped or not', () => {
  const layer = new Mlp([40, 37, 1], { seed: 1 }).layers[0];
  for (const rows of [33, 64, 256, 257]) {
    for (const density of [0, 0.3, 0.9]) {
      const x = zeros([rows, 40]);
      fillWithGaps(x.data, density, new Random(rows));
      for (let i = 0; i < x.size; i++) x.data[i] = Math.abs(x.data[i]) || 0;
      const delta = zeros([rows, 37]);
      new Random('delta').fillNormal(delta.data);
      const given = { x, value: delta, delta, isPulled: true, isPicked: false };
      const { weights } = new DenseLayer(layer, true).backward(given, false, new Workspace());
      const expected = zeros([40, 37]);
      kernels.matmulTransposeA(40, 37, rows, x.data, delta.data, expected.data, false);
      // 0 and −0 are equal here.
      assert.ok(
        (weights as Tensor).data.every((value, p) => value === expected.data[p]),
        `${rows}, ${density}`,
      );
    }
  }
});

test.run();
