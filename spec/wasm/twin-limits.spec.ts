/** SIMD kernels beyond the sizes of `twins.spec.ts`, the bits of their results, and numbers at the ends of their range. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/core/random.ts';
import { allocator, heap } from '../../lib/kernels/table.ts';
import { gramChunk } from '../../lib/kernels/blocks.ts';
import { activations } from '../../lib/kernels/types.ts';
import { plainNearest } from '../../lib/kernels/nearest/nearest.ts';
import { plainVectors } from '../../lib/kernels/vectors.ts';
import { kernels, type Kernels, plainKernels } from '../../lib/wasm/all-kernels.ts';
import { nearestKernels, sparseRowsKernels, vectorKernels } from '../../lib/wasm/families.ts';
import { disableSimd, enableSimd } from '../../lib/wasm/simd.ts';
import { piece } from '../../lib/wasm/simd/vectors/vectors.ts';
import { arena, type Arg, maker } from './twins/arguments.ts';
import { type AnyKernel, cases, compare, epsilon, near } from './twins/compare.ts';
import { startSimd } from './twins/start.ts';

const test = suite('limits of SIMD twins');

test.before(startSimd);

let shared: ReturnType<typeof arena> | null = null;

test('products larger than every block agree', () => {
  const made = maker(new Random('blocks'), allocator);
  for (const [m, n, k] of [
    [101, 37, 1100],
    [13, 2060, 9],
    [600, 2, 700],
    [2, 300, 1300],
    [3, 5, 2000],
  ]) {
    for (const name of ['matmul', 'matmulTransposeA', 'matmulTransposeB', 'squaredDistances'] as const) {
      for (const args of cases[name].make(made, m, n, k)) compare(name, args, 32);
    }
  }
});

test('a row of a product has the same bits at every position in the list, and in all columns', () => {
  const made = maker(new Random('listed'), allocator);
  const { starts, columns, values } = made.csr(60, 11);
  const { csrRowsMatmul } = sparseRowsKernels();
  for (const width of [1, 2, 3, 6, 34]) {
    const x = made.single(11 * width).subarray(0, 11 * width);
    const bias = made.single(width);
    const times = (rows: number[]): Float32Array => {
      const list = made.placed(Int32Array.from(rows));
      const out = allocator.float32(rows.length * width);
      csrRowsMatmul(rows.length, width, list, starts, columns, values, x, bias, -Infinity, out);
      return out;
    };
    const alone = Array.from({ length: 60 }, (_, row) => times([row]));
    for (let count = 1; count < 14; count++) {
      for (let first = 0; first < 60; first += 7) {
        const rows = Array.from({ length: count }, (_, i) => (first + 17 * i) % 60);
        const want = rows.flatMap((row) => Array.from(alone[row]));
        assert.equal([...times(rows)], want, `${count} rows from ${first} on, ${width} columns`);
      }
    }
    if (width !== 34) continue;
    // The last two columns of a wide product equal a product with two columns.
    const pairs = allocator.float32(22);
    for (let i = 0; i < 22; i++) pairs[i] = x[(i >> 1) * 34 + 32 + (i % 2)];
    const [list, out] = [made.placed(Int32Array.from(alone.keys())), allocator.float32(120)];
    csrRowsMatmul(60, 2, list, starts, columns, values, pairs, bias.subarray(32), -Infinity, out);
    assert.equal(
      [...out],
      alone.flatMap((row) => Array.from(row.subarray(32))),
    );
  }
});

test('listed rows for panels, for panels with columns left over, and for blocks of rows agree', () => {
  const made = maker(new Random('panels'), allocator);
  for (const [rows, width] of [
    [300, 256],
    [180, 200],
    [1300, 70],
  ]) {
    for (const args of cases.csrRowsMatmul.make(made, rows, width, 0)) compare('csrRowsMatmul', args, 8);
  }
});

test('wide sparse products agree', () => {
  const made = maker(new Random('wide'), allocator);
  for (const width of [6, 33, 100, 256]) {
    for (const args of cases.csrMatmul.make(made, 20, width, 0)) compare('csrMatmul', args, 8);
    for (const args of cases.csrTransposeMatmul.make(made, 20, width, 0)) compare('csrTransposeMatmul', args, 16);
  }
});

test('vectors longer than the pieces they are worked on in agree', () => {
  const made = maker(new Random('long'), allocator);
  for (const name of ['rowDots', 'subtractRows', 'combineRows'] as const) {
    for (const args of cases[name].make(made, 7, 2 * piece + 3, 0)) compare(name, args);
  }
});

test('Gram matrices of blocks longer than a chunk agree', () => {
  const made = maker(new Random('tall'), allocator);
  for (const args of cases.blockGram.make(made, 2 * gramChunk + 3, 5, 6)) compare('blockGram', args);
  for (const args of cases.blockCombine.make(made, gramChunk + 3, 5, 6)) compare('blockCombine', args);
});

test('entries after a row of a sparse matrix do not enter its product', () => {
  const [starts, columns] = [allocator.int32(3), allocator.int32(5)];
  starts.set([0, 2, 5]);
  columns.set([1, 2, 0, 0, 0]);
  const x = allocator.float64(3);
  x.set([NaN, 2, 3]);
  for (const values of [allocator.float32(5).fill(1), allocator.float64(5).fill(1)]) {
    const out = allocator.float64(2);
    vectorKernels().csrTimesVector(2, starts, columns, values, null, x, out);
    assert.equal([...out], [5, NaN]);
  }
});

test('elementwise kernels may write over an input', () => {
  const calls: [keyof Kernels, (a: Float32Array, b: Float32Array, out: Float32Array) => Arg[]][] = [
    ['add', (a, b, out) => [37, a, b, out]],
    ['subtract', (a, b, out) => [37, a, b, out]],
    ['multiply', (a, b, out) => [37, a, b, out, false]],
    ['multiply', (a, b, out) => [37, a, b, out, true]],
    ['scale', (a, _, out) => [37, 3, a, out, false]],
    ['scale', (a, _, out) => [37, 3, a, out, true]],
    ['addBias', (a, b, out) => [1, 37, a, b, out]],
    ...activations.flatMap(
      (kind): [keyof Kernels, (a: Float32Array, b: Float32Array, out: Float32Array) => Arg[]][] => [
        ['activate', (a, _, out) => [kind, 37, a, out]],
        ['activateBackward', (a, b, out) => [kind, 37, a, b, out, false]],
      ],
    ),
  ];
  for (const memory of [(shared ??= arena()), heap]) {
    if (memory !== heap) shared.reset();
    for (const [name, call] of calls) {
      const [a, b] = [memory.float32(37), memory.float32(37)];
      for (let i = 0; i < 37; i++) [a[i], b[i]] = [Math.sin(i), Math.cos(i) / 2];
      const want = new Float32Array(37).fill(0);
      want.set(a); // the values that accumulating kernels add to
      (plainKernels[name] as AnyKernel)(...call(a.slice(), b.slice(), want));
      (kernels[name] as AnyKernel)(...call(a, b, a));
      for (let i = 0; i < 37; i++) near(a[i], want[i], 1, 4, name, i);
    }
  }
});

test('long sums of one sign keep their digits', () => {
  const k = 2 ** 20;
  const x = allocator.float32(2 * k).fill(0.1);
  const ones = allocator.float32(k).fill(1);
  const out = allocator.float32(2);
  const want = k * Math.fround(0.1);
  const isNear = (label: string): void => {
    for (const value of out) assert.ok(Math.abs(value / want - 1) < 1e-4, `${label}: ${value}, not ${want}`);
  };
  kernels.matmulTransposeA(1, 2, k, ones, x, out, false);
  isNear('Aᵀ·B');
  kernels.matmulTransposeB(1, 2, k, ones, x, out, false);
  isNear('A·Bᵀ');
  kernels.matmul(1, 2, k, ones, x, out, false);
  isNear('A·B');
  kernels.columnSums(k, 2, x, out, false);
  isNear('column sums');
});

test('a call that failed leaves nothing behind', () => {
  const a = new Float32Array([1, 2, 3, 4]);
  assert.throws(() => kernels.gram(2, 2, -2, null, a, a, new Float64Array(4)));
  a.fill(100);
  assert.is(kernels.sum(4, a), 400);
});

test('activations keep their digits at both ends, and a NaN stays one', () => {
  const x = allocator.float32(12);
  x.set([0, -0, 1e-30, -1e-30, 1e-4, -1e-4, 20, -20, 80, -80, 1000, -1000]);
  for (const activation of activations) {
    const got = allocator.float32(12);
    const want = new Float32Array(12);
    kernels.activate(activation, 12, x, got);
    plainKernels.activate(activation, 12, x, want);
    for (let i = 0; i < 12; i++) {
      const allowed = 4 * epsilon * Math.abs(want[i]) + 2e-38;
      assert.ok(Math.abs(got[i] - want[i]) <= allowed, `${activation}(${x[i]}) = ${got[i]}, not ${want[i]}`);
    }
    const nan = allocator.float32(5).fill(NaN);
    kernels.activate(activation, 5, nan, nan);
    assert.ok(nan.every(Number.isNaN), activation);
  }
});

test('products and Gram matrices of Float64 have the bits of the plain twins', () => {
  const made = maker(new Random('double'), allocator);
  const all = [1, 6, 19, 36];
  const sameBits = (name: keyof Kernels, args: Arg[]): void => compare(name, args, 0);
  for (const m of all) {
    for (const n of all) {
      for (const k of [3, 130]) {
        for (const add of [false, true]) {
          const [a, b, out] = [m * k, k * n, m * n].map(made.normals64);
          for (const name of ['matmul', 'matmulTransposeA', 'matmulTransposeB'] as const) {
            sameBits(name, [m, n, k, a, b, out, add]);
          }
        }
        const [a, b] = [k * m, k * n].map(made.normals64);
        for (const weights of [null, made.double(k), made.single(k)]) {
          sameBits('gram', [k, m, n, weights, a, b, made.normals64(m * n)]);
          sameBits('gram', [k, m, m, weights, a, a, made.normals64(m * m)]);
        }
      }
    }
  }
});

test('a Gram matrix has the same bits whether its columns are read in place or copied first', () => {
  const made = maker(new Random('columns'), allocator);
  const [rows, few, many] = [150, 8, 21];
  const wide = made.single(rows * many);
  const narrow = allocator.float32(rows * few);
  for (let i = 0; i < rows; i++) narrow.set(wide.subarray(i * many + 8, i * many + 8 + few), i * few);
  for (const weights of [null, made.double(rows), made.single(rows)]) {
    const [all, some] = [new Float64Array(many ** 2), new Float64Array(few ** 2)];
    kernels.gram(rows, many, many, weights, wide, wide, all);
    kernels.gram(rows, few, few, weights, narrow, narrow, some);
    for (let s = 0; s < few; s++) {
      for (let t = 0; t < few; t++) assert.is(all[(s + 8) * many + t + 8], some[s * few + t]);
    }
  }
});

test('a product of mixed precision goes to the plain twin', () => {
  const a = Float64Array.of(1, 1e-12, 3, 4);
  const out = new Float32Array(4);
  kernels.matmul(2, 2, 2, a, a, out, false);
  assert.equal([...out], [1 + 3e-12, 1e-12 + 4e-12, 15, 3e-12 + 16].map(Math.fround));
});

test('switched off, the table holds the plain kernels and arrays from before still work', () => {
  const inside = allocator.float32(3).fill(2);
  disableSimd();
  const names = Object.keys(plainKernels) as (keyof Kernels)[];
  assert.equal(Object.keys(kernels), names);
  for (const name of names) assert.is(kernels[name], plainKernels[name], name);
  assert.is(nearestKernels(), plainNearest);
  assert.is(vectorKernels(), plainVectors);
  assert.is.not(allocator.float32(1).buffer, inside.buffer);
  kernels.add(3, inside, inside, inside);
  assert.equal([...inside], [4, 4, 4]);
  enableSimd();
  for (const name of names) assert.is.not(kernels[name], plainKernels[name], name);
  kernels.add(3, inside, inside, inside);
  assert.equal([...inside], [8, 8, 8]);
  assert.is(allocator.float32(1).buffer, inside.buffer);
});

test.run();
