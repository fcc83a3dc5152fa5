/** Sparse products of doubles, of rows of any length, and on any number of threads. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/core/random.ts';
import { plainSlice } from '../../lib/kernels/batch/slice.ts';
import { pieceEntries, type ProductKernels } from '../../lib/kernels/formats/products.ts';
import { allocator, heap } from '../../lib/kernels/table.ts';
import { fromCsr } from '../../lib/sparse/build.ts';
import { multiplyTo } from '../../lib/sparse/formats/multiply.ts';
import { toTransposedSlices } from '../../lib/sparse/formats/sliced.ts';
import { allocateIndices } from '../../lib/sparse/indices.ts';
import { sliceKernels } from '../../lib/wasm/families.ts';
import { productKernels } from '../../lib/wasm/products-family.ts';
import { setThreads } from '../../lib/wasm/set-threads.ts';
import { kernelMemory } from '../../lib/wasm/simd.ts';
import { balancedShares, splitAtLongRows } from '../../lib/wasm/simd/products/shares.ts';
import { arena, maker } from './twins/arguments.ts';
import { type AnyKernel, compare } from './twins/compare.ts';
import { productArguments } from './twins/product-cases.ts';
import { startSimd } from './twins/start.ts';

const test = suite('sparse products');
const names = Object.keys(productArguments) as (keyof ProductKernels)[];
/** Eight roundings of doubles, in units of those of singles. */
const doubles = 8 * 2 ** -29;

test.before(startSimd);

test('products of doubles agree with their plain twins to the last digits', () => {
  const inside = arena();
  for (const name of names) {
    const make = maker(new Random(name), inside);
    for (const rows of [0, 1, 3, 4, 7, 8, 17, 65]) {
      for (const width of [1, 2, 3, 4, 7, 8, 9, 17]) {
        inside.reset();
        compare(name, productArguments[name](make, make.normals64, rows, width), doubles);
      }
    }
  }
});

test('arrays of different precisions are multiplied by the plain kernels', () => {
  const make = maker(new Random(1), heap);
  for (const name of names) {
    const operands = productArguments[name](make, make.normals64, 9, 2);
    const at = operands.findIndex((operand) => operand instanceof Float64Array);
    operands[at] = Float32Array.from(operands[at] as Float64Array);
    compare(name, operands, 0);
  }
});

/** A matrix with rows of 0, 1, `pieceEntries` and more entries, in kernel memory. */
function unequalRows() {
  const lengths = [0, 1, pieceEntries, 3 * pieceEntries + 5, pieceEntries + 1, 7, 0, ...new Array<number>(900).fill(40), 60_000, 2]; // oxfmt-ignore
  const cols = 60_000;
  const starts = allocator.int32(lengths.length + 1);
  for (const [i, length] of lengths.entries()) starts[i + 1] = starts[i] + length;
  const columns = allocator.int32(starts[lengths.length]);
  for (const [i, length] of lengths.entries())
    for (let k = 0; k < length; k++) columns[starts[i] + k] = Math.floor((k * cols) / length);
  return { rows: lengths.length, cols, starts, columns };
}

test('long rows are summed in pieces, in the same bits on one, two and three threads', () => {
  const { rows, cols, starts, columns } = unequalRows();
  const random = new Random(2);
  const filled = <T extends Float32Array | Float64Array>(array: T): T => {
    random.fillNormal(array);
    return array;
  };
  try {
    for (const allocate of [allocator.float32, allocator.float64]) {
      const values = filled(allocate(columns.length));
      for (const width of [1, 3, 34]) {
        const [x, y] = [filled(allocate(cols * width)), filled(allocate(rows * width))];
        const [product, transposed] = [allocate(rows * width), allocate(cols * width)];
        const bits = [1, 2, 3].map((threads) => {
          setThreads(threads);
          product.fill(7);
          transposed.fill(7);
          const { csrProduct, csrTransposeProduct } = productKernels();
          csrProduct(rows, width, starts, columns, values, x, product);
          csrTransposeProduct(rows, cols, width, starts, columns, values, y, transposed);
          return [product.slice(), transposed.slice()];
        });
        assert.equal(bits[1], bits[0]);
        assert.equal(bits[2], bits[0]);
        const ulps = allocate === allocator.float32 ? 64 : 64 * 2 ** -29;
        compare('csrProduct', [rows, width, starts, columns, values, x, product], ulps);
        compare('csrTransposeProduct', [rows, cols, width, starts, columns, values, y, transposed], ulps);
      }
    }
  } finally {
    setThreads(1);
  }
});

test('slices whose columns mostly follow each other give the same sums, however the other layers differ from a run', () => {
  const [rows, cols, layers] = [83, 200, 9];
  const slices = Math.ceil(rows / 8);
  const random = new Random(6);
  const starts = allocator.int32(slices + 1);
  for (let s = 0; s <= slices; s++) starts[s] = layers * s;
  const order = allocator.int32(8 * slices);
  for (let k = 0; k < order.length; k++) order[k] = k < rows ? k : 8 * (slices - 1);
  const columns = allocator.int32(8 * layers * slices);
  for (let layer = 0; layer < layers * slices; layer++) {
    const first = random.integer(cols - 10);
    for (let lane = 0; lane < 8; lane++) columns[8 * layer + lane] = first + lane;
    // One layer of nine is no run: a lane is off by one or far away, or two have changed places.
    const lane = 1 + (Math.floor(layer / layers) % 7);
    if (layer % layers === 4) columns[8 * layer + lane] += layer % 2 === 0 ? 1 : -first;
    if (layer % (2 * layers) === 7) columns.subarray(8 * layer, 8 * layer + 8).subarray(lane - 1, lane + 1).reverse(); // oxfmt-ignore
  }
  for (const allocate of [allocator.float32, allocator.float64]) {
    // Whole numbers, so that sums are exact.
    const whole = <T extends Float32Array | Float64Array>(array: T): T => array.map(() => random.integer(9) - 4) as T;
    const values = allocate(columns.length);
    values.set(whole(values));
    const x = allocate(cols);
    x.set(whole(x));
    for (let s = slices - 1, place = 8 * layers * s; place < columns.length; place += 8) {
      for (let lane = rows - 8 * s; lane < 8; lane++) [columns[place + lane], values[place + lane]] = [columns[place], values[place]]; // oxfmt-ignore
    }
    const out = allocate(rows).fill(7);
    compare('slicedProduct', [rows, 1, true, starts, order, columns, values, x, out], 0);
  }
});

test('slices and blocks have the same bits on one and two threads', () => {
  const make = maker(new Random(3), { ...allocator });
  const cases = [
    { name: 'slicedProduct', rows: 101_003, width: 1 },
    { name: 'slicedProduct', rows: 20_003, width: 11 },
    { name: 'blockedProduct', rows: 20_003, width: 3 },
  ] as const;
  try {
    for (const { name, rows, width } of cases) {
      for (const numbers of [make.single, make.normals64]) {
        const operands = productArguments[name](make, numbers, rows, width);
        const out = operands.at(-1) as Float32Array;
        const results = [1, 2].map((threads) => {
          setThreads(threads);
          out.fill(7);
          (productKernels()[name] as AnyKernel)(...operands);
          return out.slice();
        });
        assert.equal(results[1], results[0], name);
      }
    }
  } finally {
    setThreads(1);
  }
});

test('shares have equal weight, and a row that is longer stands alone', () => {
  const memory = kernelMemory()!;
  const { rows, starts } = unequalRows();
  const shares = balancedShares(memory, starts.byteOffset, rows, 8);
  let next = 0;
  for (const { first, count } of shares) {
    assert.is(first, next);
    next += count;
  }
  assert.is(next, rows);
  const weight = starts[rows] + rows;
  for (const { first, count } of shares)
    assert.ok(count === 1 || starts[first + count] - starts[first] + count <= weight / 8, `${first} ${count}`);
  assert.ok(shares.some(({ first, count }) => count === 1 && starts[first + 1] - starts[first] === 60_000));
  assert.ok(shares.length <= 20);
});

test('long rows stand alone, and all other rows stay together', () => {
  const memory = kernelMemory()!;
  const { rows, starts } = unequalRows();
  const split = (first: number, count: number) =>
    splitAtLongRows(memory, starts.byteOffset, { first, count }, pieceEntries).map((share) => [
      share.first,
      share.count,
    ]);
  assert.equal(split(0, rows), [[0, 3], [3, 1], [4, 1], [5, 902], [907, 1], [908, 1]]); // oxfmt-ignore
  assert.equal(split(3, 1), [[3, 1]]);
  assert.equal(split(5, 902), [[5, 902]]);
  assert.equal(split(5, 0), []);
});

test('Aᵀ·x adds runs of four columns, and what only looks like one, to the right places', () => {
  const lists = [[0, 1, 2, 3], [0, 1, 2, 4], [0, 2, 3, 4], [1, 2, 3, 5, 6, 7, 8], [0, 1, 3, 4], [4, 5, 6, 7, 8, 9, 10, 11, 12]]; // oxfmt-ignore
  const starts = Int32Array.from([0, ...lists.map((_, i) => lists.slice(0, i + 1).flat().length)]);
  const columns = Int32Array.from(lists.flat());
  for (const Type of [Float32Array, Float64Array]) {
    const values = new Type(columns.map((_, e) => e + 1));
    const [x, out] = [new Type(lists.map((_, i) => 2 ** i)), new Type(13).fill(7)];
    productKernels().csrTransposeProduct(lists.length, 13, 1, starts, columns, values, x, out);
    const sums = new Type(13);
    for (const [i, list] of lists.entries()) for (const [k, j] of list.entries()) sums[j] += 2 ** i * values[starts[i] + k]; // oxfmt-ignore
    assert.equal(out, sums);
  }
});

test('slices of Aᵀ and the rows of A give the same bits of Aᵀ·X, on any number of threads', () => {
  const random = new Random(6);
  const { rows, cols, starts, columns } = unequalRows();
  const filled = <T extends Float32Array | Float64Array>(array: T): T => {
    random.fillNormal(array);
    return array;
  };
  try {
    for (const allocate of [allocator.float32, allocator.float64]) {
      const precision = allocate === allocator.float32 ? 'single' : 'double';
      const values = filled(allocate(columns.length));
      const matrix = fromCsr({ starts, columns, values }, [rows, cols], precision);
      const slices = toTransposedSlices(matrix);
      for (const width of [1, 3, 8, 21]) {
        const x = filled(allocate(rows * width));
        const results = [1, 2, 3].flatMap((threads) => {
          setThreads(threads);
          const [inPlace, bySlices] = [allocate(cols * width).fill(7), allocate(cols * width).fill(7)];
          productKernels().csrTransposeProduct(rows, cols, width, matrix.starts, matrix.columns, matrix.values, x, inPlace);
          multiplyTo(slices, width, x, bySlices);
          return [inPlace.slice(), bySlices.slice()];
        }); // oxfmt-ignore
        const [first, ...others] = results;
        for (const other of others) assert.is(other.findIndex((sum, at) => sum !== first[at]), -1, `${precision}, ${width}`); // oxfmt-ignore
      }
    }
  } finally {
    setThreads(1);
  }
});

test('a matrix without entries gives zeros', () => {
  for (const Type of [Float32Array, Float64Array]) {
    for (const width of [1, 2, 3, 8, 17]) {
      const [x, out] = [new Type(4 * width).fill(1), new Type(3 * width).fill(7)];
      productKernels().csrProduct(3, width, new Int32Array(4), new Int32Array(0), new Type(0), x, out);
      assert.equal(out, new Type(3 * width));
      const transposed = new Type(4 * width).fill(7);
      productKernels().csrTransposeProduct(
        3,
        4,
        width,
        new Int32Array(4),
        new Int32Array(0),
        new Type(0),
        x,
        transposed,
      );
      assert.equal(transposed, new Type(4 * width));
    }
  }
});

test('a slice of rows of doubles is that of the plain kernel', () => {
  const starts = allocateIndices(5);
  starts.set([0, 3, 3, 5, 9]);
  const columns = allocateIndices(9);
  const values = allocator.float64(9);
  for (let e = 0; e < 9; e++) [columns[e], values[e]] = [(7 * e) % 11, Math.sqrt(e + 2)];
  const rows = allocateIndices(3);
  rows.set([3, 1, 0]);
  const [plain, simd] = [plainSlice, sliceKernels()].map(({ csrSlice }) => {
    const out = [allocateIndices(4), allocateIndices(7), allocator.float64(7)] as const;
    csrSlice(3, rows, starts, columns, values, ...out);
    return out.map((array) => Array.from(array));
  });
  assert.equal(simd, plain);
  assert.equal(plain[2].slice(0, 2), [Math.sqrt(7), Math.sqrt(8)]);
});

test.run();
