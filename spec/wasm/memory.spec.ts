/** Buffers in the kernels' memory are allocated and freed like arrays, and everything works when the memory is full. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TableKernels } from '../../lib/kernels/table.ts';
import { plainKernels } from '../../lib/wasm/all-kernels.ts';
import { plainGradient } from '../../lib/kernels/batch/gradient.ts';
import { plainMovingRows } from '../../lib/kernels/batch/moving-rows.ts';
import { plainSlice } from '../../lib/kernels/batch/slice.ts';
import { plainSparseRows } from '../../lib/kernels/batch/sparse-rows.ts';
import { plainBlocks } from '../../lib/kernels/blocks.ts';
import { combineWork, plainVectors } from '../../lib/kernels/vectors.ts';
import { tensor } from '../../lib/tensor/convert.ts';
import { type Tensor, zeros } from '../../lib/tensor/tensor.ts';
import { KernelMemory } from '../../lib/wasm/memory/memory.ts';
import { limitGarbage } from '../../lib/wasm/set-memory.ts';
import { compile } from '../../lib/wasm/assembler/compile.ts';
import { marshalTo } from '../../lib/wasm/memory/marshal.ts';
import { defineGradient, gradientTwins } from '../../lib/wasm/simd/gradient/gradient.ts';
import { defineMovingRows, movingRowsTwins } from '../../lib/wasm/simd/moving-rows/moving-rows.ts';
import { defineOptimizers, optimizerTwins } from '../../lib/wasm/simd/optimizer/optimizer.ts';
import { definePullbacks, pullbackTwins } from '../../lib/wasm/simd/pullbacks/pullbacks.ts';
import { defineReduce, reduceTwins } from '../../lib/wasm/simd/reduce/reduce.ts';
import { defineSlices, sliceTwins } from '../../lib/wasm/simd/slice/slice.ts';
import { defineSparseRows } from '../../lib/wasm/simd/sparse-rows/products.ts';
import { sparseRowsTwins } from '../../lib/wasm/simd/sparse-rows/sparse-rows.ts';
import { defineTable, tableTwins } from '../../lib/wasm/simd/table.ts';
import { type Executor, inline } from '../../lib/wasm/threads/executor.ts';
import { blockTwins, defineBlocks } from '../../lib/wasm/simd/blocks/blocks.ts';
import { defineVectors, vectorTwins } from '../../lib/wasm/simd/vectors/vectors.ts';

const test = suite('kernel memory');

/** The SIMD kernels of the table on this memory. */
function twinsOn(memory: KernelMemory, executor = inline): TableKernels {
  return tableTwins(compile(memory, defineTable).routines, {
    ...marshalTo(memory),
    chooseExecutor: () => executor,
  });
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const nextTimer = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test('arrays start as zeros, in memory that was used before too', async () => {
  const memory = new KernelMemory([16]);
  for (let round = 0; round < 50; round++) {
    const array = memory.allocator.float32(100_000);
    assert.ok(
      array.every((x) => x === 0),
      `round ${round}`,
    );
    array.fill(round + 1);
    collect();
    await nextTimer();
  }
});

test('memory whose arrays are gone is used again: a hundred times its size passes through it', async () => {
  const memory = new KernelMemory([64]);
  let inside = 0;
  for (let round = 0; round < 100; round++) {
    if (memory.allocator.float64(300_000).buffer === memory.buffer) inside++;
    collect();
    await nextTimer();
  }
  assert.is(inside, 100);
});

test('a view keeps its storage when the original tensor is collected', async () => {
  const viewOf = (value: number): Tensor => {
    const whole = zeros([1000, 100]);
    whole.data.fill(value);
    return whole.rowRange(10, 20).reshape([100, 10]);
  };
  const views = Array.from({ length: 20 }, (_, i) => viewOf(i + 1));
  for (let round = 0; round < 3; round++) {
    collect();
    await nextTimer();
    for (let i = 0; i < 20; i++) zeros([1000, 100]).data.fill(-1);
  }
  for (const [i, view] of views.entries())
    assert.ok(
      view.data.every((x) => x === i + 1),
      `view ${i}`,
    );
});

test('results dropped in a loop that never pauses do not pile up', async () => {
  const a = zeros([512, 512]);
  const before = process.memoryUsage().rss;
  for (let i = 0; i < 3000; i++) zeros([512, 512]).data.fill(i);
  const grown = (process.memoryUsage().rss - before) / 2 ** 20;
  assert.ok(grown < 1600, `${grown} MiB more for 3000 tensors of 1 MiB`);
  for (let i = 0; i < 200_000; i++) zeros([]);
  assert.is.not(zeros([2]).data.buffer, a.data.buffer, 'the budget is spent');
  collect();
  await nextTimer();
  assert.is(zeros([2]).data.buffer, a.data.buffer, 'and there again once garbage has been collected');
});

test('beyond the limit on garbage, small arrays come from the heap, and large ones once more as much', () => {
  const memory = new KernelMemory([1024]);
  memory.mostGarbage = 2 ** 23;
  const isInside = (bytes: number): boolean => memory.allocator.float32(bytes / 4).buffer === memory.buffer;
  assert.ok(isInside(2 ** 23), 'up to the limit');
  assert.not.ok(isInside(2 ** 21), 'small');
  assert.ok(isInside(2 ** 22) && isInside(2 ** 22), 'large');
  assert.not.ok(isInside(2 ** 22), 'beyond twice the limit');
});

test('of several limits on garbage the least counts, in whatever order they are lifted', () => {
  for (const firstLifted of [0, 1]) {
    const memory = new KernelMemory([1024]);
    const lift = [2 ** 22, 2 ** 20].map((bytes) => limitGarbage(bytes, memory));
    const isInside = (bytes: number): boolean => memory.allocator.float32(bytes / 4).buffer === memory.buffer;
    assert.not.ok(isInside(2 ** 21), 'both limits');
    lift[firstLifted]();
    assert.is(isInside(2 ** 21), firstLifted === 1, 'the other limit');
    lift[1 - firstLifted]();
    assert.ok(isInside(2 ** 24), 'no limit');
  }
});

test('kernels that read a few rows of a large array on the heap do not copy it', () => {
  const memory = new KernelMemory([64]);
  const twins = {
    ...twinsOn(memory),
    ...sliceTwins(compile(memory, defineSlices).routines, { ...marshalTo(memory), chooseExecutor: () => inline }),
  };
  const copied: number[] = [];
  const take = memory.take.bind(memory);
  memory.take = (bytes) => {
    copied.push(bytes);
    return take(bytes);
  };
  const size = 1000;
  const [starts, columns] = [Int32Array.from({ length: size + 1 }, (_, i) => i), new Int32Array(size).fill(3)];
  const list = Int32Array.of(5, 2);
  for (const values of [new Float32Array(size).fill(7), new Float64Array(size).fill(7)]) {
    const [outStarts, out] = [new Int32Array(3), values.slice(0, 2).fill(0)];
    twins.csrSlice(2, list, starts, columns, values, outStarts, new Int32Array(2), out);
    assert.equal([...outStarts, ...out], [0, 1, 2, 7, 7]);
  }
  const row = new Float32Array(2);
  twins.gatherRows(2, 1, list, new Float32Array(size).fill(7), row);
  assert.equal([...row], [7, 7]);
  twins.neighborUnion(2, list, starts, columns, 1, new Int32Array(size), new Int32Array(size + 1));
  assert.ok(
    copied.every((bytes) => bytes < size),
    `copied ${copied} bytes`,
  );
});

test('when it is full, arrays come from the heap', () => {
  const { allocator, buffer } = new KernelMemory([2]);
  const kept = [];
  for (let i = 0; i < 10; i++) kept.push(allocator.float32(10_000));
  assert.ok(kept.some((array) => array.buffer === buffer));
  assert.ok(kept.some((array) => array.buffer !== buffer));
  assert.is(allocator.int32(0).length, 0);
  assert.is(kept[9].length, 10_000);
});

test('on a machine that refuses every size, the error of the engine is reported', () => {
  assert.throws(() => new KernelMemory([10 ** 9]), /WebAssembly\.Memory/);
  assert.is(new KernelMemory([10 ** 9, 3]).pages, 3);
});

test('a product that fails half-way frees its memory', () => {
  const memory = new KernelMemory([64]);
  const failing: Executor = {
    ...inline,
    finish() {
      throw new Error('half-way');
    },
  };
  const twins = twinsOn(memory, failing);
  const [m, n, k] = [100, 32, 400];
  const [a, b, out] = [k * m, k * n, m * n].map((length) => memory.allocator.float32(length));
  // A copy of a takes 160 KB of 4 MB.
  for (let i = 0; i < 100; i++) assert.throws(() => twins.matmulTransposeA(m, n, k, a, b, out, false), /half-way/);
  assert.ok(memory.take(2 ** 21) > 0);
});

/** SIMD kernels on a memory that holds only their constants. */
function crampedTwins() {
  const memory = new KernelMemory([1]);
  memory.take(64_000);
  const host = { ...marshalTo(memory), chooseExecutor: () => inline };
  return {
    ...twinsOn(memory),
    ...reduceTwins(compile(memory, defineReduce).routines, host),
    ...pullbackTwins(compile(memory, definePullbacks).routines, host),
    ...optimizerTwins(compile(memory, defineOptimizers).routines, host),
    ...vectorTwins(compile(memory, defineVectors).routines, host),
    ...blockTwins(compile(memory, defineBlocks).routines, host),
    ...sliceTwins(compile(memory, defineSlices).routines, host),
    ...sparseRowsTwins(compile(memory, defineSparseRows).routines, host),
    ...movingRowsTwins(compile(memory, defineMovingRows).routines, host),
    ...gradientTwins(compile(memory, defineGradient).routines, host),
  };
}

test('without room for copies or scratch every kernel still computes', () => {
  const twins = crampedTwins();
  const n = 90;
  const numbers = (length: number): Float32Array => Float32Array.from({ length }, (_, i) => Math.sin(i + 1));
  const doubles = (length: number): Float64Array => Float64Array.from({ length }, (_, i) => 1 + Math.cos(i) ** 2);
  const a = numbers(n * n);
  const b = numbers(n * n);
  const list = Int32Array.from({ length: n }, (_, i) => (i * 7) % n);
  const starts = Int32Array.from({ length: n + 1 }, (_, i) => i);
  const calls: {
    [Name in keyof ReturnType<typeof crampedTwins>]: (out: Float32Array, out64: Float64Array) => unknown[];
  } = {
    matmul: (out) => [n, n, n, a, b, out, false],
    matmulTransposeA: (out) => [n, n, n, a, b, out, false],
    matmulTransposeB: (out) => [n, n, n, a, b, out, false],
    dense: (out) => ['tanh', n, n, n, a, b, numbers(n), out],
    squaredDistances: (out) => [n, n, n, a, b, out],
    add: (out) => [n * n, a, b, out],
    subtract: (out) => [n * n, a, b, out],
    multiply: (out) => [n * n, a, b, out, false],
    scale: (out) => [n * n, 2, a, out, false],
    activate: (out) => ['sigmoid', n * n, a, out],
    activateBackward: (out) => ['tanh', n * n, a, b, out, false],
    gatherRows: (out) => [n, n, list, a, out],
    scatterAddRows: (out) => [n, n, list, a, out],
    scaleRows: (out) => [n, n, doubles(n), a, out, false],
    addBias: (out) => [n, n, a, numbers(n), out],
    columnSums: (out) => [n, n, a, out, false],
    transpose: (out) => [n, n, a, out, false],
    gram: (_, out64) => [n, n, n, numbers(n), a, b, out64],
    weightedColumnSums: (_, out64) => [n, n, numbers(n), a, out64],
    dot: () => [n * n, a, b],
    sum: () => [n * n, a],
    sgdStep: (out) => [n * n, 0.1, 0.9, a, numbers(n * n), out],
    adamStep: (out) => [n * n, 0.1, 0.9, 0.99, 1e-8, 0, a, numbers(n * n), numbers(n * n).map(Math.abs), out],
    csrMatmul: (out) => [n, n, starts, list, numbers(n), a, out, false],
    csrRowsMatmul: (out) => [n, n, list, starts, list, numbers(n), a, null, -Infinity, out],
    csrSlice: (out) => [n, list, starts, list, numbers(n), new Int32Array(n + 1), new Int32Array(n), out],
    neighborUnion: (_, out64) => [n, list, starts, list, 5, new Int32Array(n), new Int32Array(out64.buffer)],
    replaceRows: (out, out64) => [n, 6, list, doubles(n), doubles(n), a, out, out64, new Float64Array(6)],
    moveRows: (out, out64) => {
      const numbers64 = [doubles(n), null, doubles(36), doubles(36), doubles(6)];
      return [n, 6, list, ...numbers64, 1, 0.5, a, out, out64, new Float64Array(6)];
    },
    multiplyRows: (out) => [n, 9, doubles(n), a, doubles(81), out],
    mapRows: (_, out64) => {
      const [p, q, s] = [81, 81, 9].map(doubles);
      return [n, 9, doubles(n), null, p, q, s, 1, doubles(9 * n), doubles(9 * n), out64];
    },
    followRows: (_, out64) => [n, 9, doubles(n), null, doubles(9 * n), doubles(9 * n), out64, new Float64Array(9)],
    transposeRows: (out) => [n, n, starts, list, numbers(n), new Int32Array(n + 1), new Int32Array(n), out],
    maskedProduct: (out) => [n, n, 3, a, b, a, out],
    sampledProduct: (out) => [n, n, n, starts, list, a, b, out],
    orderedProduct: (out) => [n, n, starts, list, numbers(n), a, out],
    adamProduct: (out) => {
      const moments = [numbers(n * n), numbers(n * n).map(Math.abs)];
      return [n, n, starts, list, numbers(n), a, 0.1, 0.9, 0.99, 1e-8, 0, ...moments, out, n >> 1];
    },
    finishAdam: () => [],
    startAdam: (out) => {
      const moments = [numbers(n * n), numbers(n * n).map(Math.abs)];
      return [n, n, starts.map((at) => at >> 1), 0.1, 0.9, 0.99, 1e-8, ...moments, out];
    },
    csrTransposeMatmul: (out) => [n, n, n, starts, list, numbers(n), a, out, false],
    dotVectors: () => [n, doubles(n), doubles(n)],
    multiplyVectors: (_, out64) => [n, doubles(n), doubles(n), out64],
    scaleVector: (_, out64) => [n, 2, doubles(n), out64, true],
    csrTimesVector: (_, out64) => [n, starts, list, numbers(n), doubles(n), doubles(n), out64],
    rowDots: (_, out64) => [n, n, doubles(n * n), doubles(n), out64],
    subtractRows: (_, out64) => [n, n, doubles(n), doubles(n * n), out64],
    combineRows: (_, out64) => [9, 3, n, doubles(81), out64.fill(2), new Float64Array(combineWork(3))],
    blockProduct: (_, out64) => {
      const gaps = [starts.slice(1), starts.slice(1)];
      return [1, n, 3, starts, starts.slice(1), ...gaps, list, numbers(n), -1, doubles(n), null, doubles(3 * n), out64];
    },
    blockSweep: (_, out64) => {
      const own = Int32Array.from({ length: n }, (_unused, i) => i);
      return [0, n, 7, true, 3, starts, starts.slice(1), own, numbers(n), doubles(n), doubles(3 * n), out64.fill(1)];
    },
    blockResidual: (_, out64) => [n, 3, doubles(3), doubles(n), doubles(3 * n), doubles(3 * n), out64],
    blockCenter: (_, out64) => [n, 3, list, doubles(3 * n), out64],
    blockGram: (_, out64) => [n, 3, 4, doubles(3 * n), doubles(4 * n), null, out64],
    blockCombine: (_, out64) => [n, 3, 0, 2, 4, doubles(3 * n), null, doubles(2 * n), doubles(20), out64],
    csrRowSums: (_, out64) => [4000, Int32Array.from({ length: 4001 }, (_unused, i) => i), a, out64],
  };
  const batch = { ...plainSlice, ...plainSparseRows, ...plainMovingRows, ...plainGradient };
  const plain = { ...plainKernels, ...plainVectors, ...plainBlocks, ...batch };
  for (const name of Object.keys(calls) as (keyof typeof plain)[]) {
    const results = [plain[name], twins[name]].map((kernel) => {
      const out = new Float32Array(n * n);
      const out64 = new Float64Array(n * n);
      const value = (kernel as (...args: unknown[]) => unknown)(...calls[name](out, out64));
      return { out, out64, value };
    });
    assert.equal(results[1], results[0], name);
  }
});

test('resident arrays without room for scratch fall back on the plain product', () => {
  const memory = new KernelMemory([2]);
  const { matmulTransposeB } = twinsOn(memory);
  const a = memory.allocator.float32(100 * 100).fill(1);
  const out = memory.allocator.float32(100 * 100);
  assert.is(out.buffer, memory.buffer);
  memory.take(45_000);
  matmulTransposeB(100, 100, 100, a, a, out, false);
  assert.ok(out.every((x) => x === 100));
});

test('kernels reach arrays above 2 GiB, where addresses no longer fit a signed number', () => {
  const memory = new KernelMemory();
  if (memory.pages < 65536) return assert.ok(memory.pages > 0, 'this machine does not promise 4 GiB of addresses');
  memory.take(2 ** 31 + 2 ** 20);
  const { matmul, add } = twinsOn(memory);
  const x = memory.allocator.float32(17 * 17);
  assert.ok(x.byteOffset > 2 ** 31);
  x.set(tensor({ data: Float32Array.from({ length: 289 }, (_, i) => i % 5), shape: [17, 17] }).data);
  const out = memory.allocator.float32(289);
  const want = new Float32Array(289);
  matmul(17, 17, 17, x, x, out, false);
  plainKernels.matmul(17, 17, 17, x.slice(), x.slice(), want, false);
  assert.equal(out.slice(), want);
  add(289, x, x, out);
  assert.is(out[7], 2 * x[7]);
});

test.run();
