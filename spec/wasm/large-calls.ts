/** Calls of kernels that are worth sharing between threads. */

import { Random } from '../../lib/core/random.ts';
import { clearBest } from '../../lib/kernels/nearest/heap.ts';
import { allocateIndices } from '../../lib/sparse/indices.ts';
import { allocate } from '../../lib/tensor/tensor.ts';

/** Sizes above the limit for sharing, with partial tiles. */
export function largeCalls(): [name: string, args: unknown[], out: Float32Array | Float64Array][] {
  const random = new Random('threads');
  const single = (length: number): Float32Array => {
    const array = allocate(length, 'single');
    random.fillNormal(array);
    return array;
  };
  const [m, n, k] = [203, 131, 1030];
  const out = single(m * n);
  const lists = Int32Array.from({ length: m * 9 }, () => random.integer(n));
  const starts = Int32Array.from({ length: 5001 }, (_, i) => 9 * i + (i % 3));
  const columns = Int32Array.from({ length: starts[5000] }, () => random.integer(80));
  const sums = single(5000 * 45);
  const thin = single(9600 * 5);
  const exact = new Float64Array(m * n);
  const [a, b] = [single(m * k), single(n * k)];
  // A kernel multiplies long vectors if all arrays are in its memory.
  const held = (list: Int32Array): Int32Array => {
    const copy = allocateIndices(list.length);
    copy.set(list);
    return copy;
  };
  const long = 20_011;
  const longStarts = held(Int32Array.from({ length: long + 1 }, (_, i) => 10 * i + (i % 3)));
  const longColumns = held(Int32Array.from({ length: longStarts[long] }, () => random.integer(long)));
  const [x, y] = [allocate(long, 'double'), allocate(long, 'double')];
  random.fillNormal(x);
  /** Listed rows of a matrix with about 40 entries per row, times an x with `width` columns, with bias and ReLU. */
  const listed = (count: number, width: number): [string, unknown[], Float32Array] => {
    const list = held(Int32Array.from({ length: count }, (_, i) => (7 * i) % count));
    const begin = held(Int32Array.from({ length: count + 1 }, (_, i) => 40 * i + (i % 3)));
    const entries = held(Int32Array.from({ length: begin[count] }, () => random.integer(90)));
    const product = single(count * width);
    const by = [single(entries.length), single(90 * width), single(width), 0];
    return ['csrRowsMatmul', [count, width, list, begin, entries, ...by, product], product];
  };
  // First moments, second moments and parameters, all of which change.
  const state = single(3 * 300 * 160);
  const [first, second, parameters] = [0, 1, 2].map((part) => state.subarray(part * 48_000, (part + 1) * 48_000));
  for (let i = 0; i < second.length; i++) second[i] **= 2;
  const moved = [0.01, 0.9, 0.999, 1e-8, 0.01];
  const few = held(Int32Array.from({ length: 301 }, (_, i) => 2 * (i - (i % 2))));
  const places = held(Int32Array.from({ length: few[300] }, () => random.integer(7)));
  // Blocks of five vectors; the entries of a sweep are in its chunk of 5,000 rows.
  const doubles = (length: number): Float64Array => {
    const array = allocate(length, 'double');
    random.fillNormal(array);
    return array;
  };
  // Fifty groups of up to 40 members, 20 of them new, and the heaps of all rows.
  const groups = [
    held(Int32Array.from({ length: 50 * 40 }, () => random.integer(m))),
    held(Int32Array.from({ length: 50 }, (_, g) => 20 - (g % 5))),
    held(Int32Array.from({ length: 50 }, (_, g) => 40 - (g % 7))),
  ];
  const [surplus, limits] = [single(50 * 40), single(50 * 40).fill(2 * k)];
  const [found, pairs, near] = [allocateIndices(50), allocateIndices(2 * 50 * 600), allocate(50 * 600, 'single')];
  // Distances and indices in one array, which a repeated call starts from.
  const heaps = allocate(2 * 8 * m, 'single');
  const nearest = heaps.subarray(0, 8 * m);
  const tagged = new Int32Array(heaps.buffer, heaps.byteOffset + nearest.byteLength, 8 * m);
  clearBest(tagged, nearest);
  const longEnds = longStarts.subarray(1);
  const inChunk = held(longColumns);
  for (let i = 0; i < long; i++) {
    const begin = i - (i % 5000);
    for (let e = longStarts[i]; e < longStarts[i + 1]; e++)
      inChunk[e] = begin + (longColumns[e] % Math.min(5000, long - begin));
  }
  const [block, others, result] = [doubles(5 * long), doubles(5 * long), doubles(5 * long)];
  const by = doubles(long).map((factor) => factor / 50);
  const factors = doubles(long);
  factors.set(by);
  const rows = [longStarts, longEnds];
  const weights = single(longColumns.length);
  // Eight chunks of 500 rows of a pencil, times about two entries of P for each of theirs.
  const pairStarts = held(Int32Array.from({ length: long + 1 }, (_, i) => 2 * i + (i % 2)));
  const pairColumns = held(Int32Array.from({ length: pairStarts[long] }, () => random.integer(700)));
  const sizes = [0, 4000, 500, 2 ** 14, 4000];
  const sumsOfPairs = doubles(2 * 8 * 2 ** 14);
  const regions = [allocateIndices(8 * 4000), allocateIndices(8 * 2 ** 14), sumsOfPairs, allocateIndices(4000)];
  const pencil = [longStarts, longColumns, weights, null, doubles(2 * long)];
  return [
    [
      'multiplyPencil',
      [...sizes, ...pencil, pairStarts, pairColumns, single(pairStarts[long]), ...regions],
      sumsOfPairs,
    ],
    [
      'restrictPencil',
      [...sizes, longStarts, longColumns, weights, pairStarts, pairColumns, single(2 * pairStarts[long]), ...regions],
      sumsOfPairs,
    ],
    [
      'blockProduct',
      [3, long, 5, ...rows, null, null, longColumns, weights, -1, factors, block, block, result],
      result,
    ],
    ['blockSweep', [0, long, 5000, true, 5, ...rows, inChunk, weights, factors, block, result], result],
    ['blockResidual', [long, 5, doubles(5), factors, block, others, result], result],
    ['blockCenter', [long, 5, longColumns, block, result], result],
    ['blockGram', [long, 5, 5, block, others, factors, result], result],
    ['blockCombine', [long, 5, 5, 0, 5, block, others, null, doubles(50), result], result],
    ['adamStep', [48_000, ...moved, single(48_000), first, second, parameters], state],
    [
      'adamProduct',
      [300, 160, few, places, single(places.length), single(7 * 160), ...moved, first, second, parameters],
      state,
    ],
    // Covers panels, panels with leftover columns, blocks of rows, and chunks.
    listed(100, 256),
    listed(90, 200),
    listed(600, 70),
    listed(2100, 9),
    ['csrTimesVector', [long, longStarts, longColumns, single(longColumns.length), x, x, y], y],
    ['matmul', [m, n, k, a, b, out, false], out],
    ['matmulTransposeA', [m, n, k, a, b, out, true], out],
    ['matmulTransposeB', [m, n, k, a, b, out, false], out],
    ['squaredDistances', [m, n, k, a, b, out], out],
    // Partial tiles only.
    ['matmulTransposeB', [9600, 5, 20, single(9600 * 20), single(5 * 20), thin, false], thin],
    ['listedDistances', [m, 9, k, lists, a, b, out], out],
    ['joinGroups', [50, 40, 600, k, ...groups, a, surplus, limits, found, pairs, near], near],
    ['offerPairs', [50, 600, 8, found, pairs, near, tagged, nearest], heaps],
    ['powerSums', [m, n, k, 3, a, b, exact], exact],
    ['csrMatmul', [5000, 45, starts, columns, single(columns.length), single(80 * 45), sums, false], sums],
    ['csrMatmul', [5000, 45, starts, columns, single(columns.length), single(80 * 45), sums, true], sums],
  ];
}
