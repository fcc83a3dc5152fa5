import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tensor } from '../../lib/index.ts';
import { formatFromName, readNpyTensor, readPoints, writeIdx, writeNpyTensor } from '../../lib/doors/formats.ts';
import { writeNpy } from '../../lib/formats/numpy/npy.ts';
import { joinHeader } from '../../lib/formats/numpy/npy-header.ts';
import { chunks, refusal } from './sources.ts';

const test = suite('points');

const six = [1, 2, 3, 4, 5, 6];

test('every element type of NPY becomes a tensor, in the precision that is asked for', async () => {
  const arrays = [Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, Uint8Array, Uint16Array, Uint32Array];
  for (const type of arrays) {
    const bytes = writeNpy(type.from(six), [2, 3]);
    assert.equal(await readNpyTensor(bytes), tensor({ data: six, shape: [2, 3] }));
    assert.equal(
      await readNpyTensor(gzipSync(bytes), { precision: 'double' }),
      tensor({ data: six, shape: [2, 3] }, 'double'),
    );
  }
});

test('big-endian, Fortran order and 64-bit integers are converted', async () => {
  const content = new DataView(new ArrayBuffer(48));
  six.forEach((x, i) => content.setFloat64(8 * i, x));
  const big = joinHeader('>f8', [2, 3], new Uint8Array(content.buffer));
  assert.equal((await readNpyTensor(big)).toArray(), [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  const rows = writeNpy(Float32Array.from(six), [2, 3]);
  const fortran = new TextEncoder().encode(
    new TextDecoder('latin1').decode(rows.slice(10, 80)).replace('False', 'True '),
  );
  const columns = rows.slice();
  columns.set(fortran, 10);
  assert.equal((await readNpyTensor(columns)).toArray(), [
    [1, 3, 5],
    [2, 4, 6],
  ]);
  six.forEach((x, i) => content.setBigInt64(8 * i, BigInt(-x)));
  const whole = joinHeader('>i8', [6], new Uint8Array(content.buffer));
  assert.equal((await readNpyTensor(whole)).toArray(), [-1, -2, -3, -4, -5, -6]);
});

test('a tensor is written as f4 or f8, and comes back bit for bit', async () => {
  for (const precision of ['single', 'double'] as const) {
    const original = tensor({ data: [0.1, -0, NaN, 1e30, 5, 6], shape: [1, 3, 2] }, precision);
    const back = await readNpyTensor(chunks(writeNpyTensor(original), 50), { precision });
    assert.ok(back.data.every((x, i) => Object.is(x, original.data[i])));
    assert.equal(back.shape, [1, 3, 2]);
  }
  assert.throws(() => writeNpyTensor([1] as never), /^writeNpyTensor: expected a Tensor, got an array of length 1/);
});

test('the format is recognized by the first bytes, also compressed or in pieces', async () => {
  const files = [
    new TextEncoder().encode('1,2,3\n4,5,6\n'),
    writeNpy(Int16Array.from(six), [2, 3]),
    writeIdx(Uint8Array.from(six), [2, 3]),
  ];
  for (const bytes of files) {
    for (const source of [bytes, gzipSync(bytes), chunks(bytes, 1), chunks(gzipSync(bytes), 2), [bytes]]) {
      const { points, name } = await readPoints(source);
      assert.equal(
        [name, points.precision, points.toArray()],
        [
          'points',
          'single',
          [
            [1, 2, 3],
            [4, 5, 6],
          ],
        ],
      );
    }
    assert.is((await readPoints(bytes, { precision: 'double', name: 'own' })).points.precision, 'double');
  }
});

test('other axes become columns, images keep their shape, one axis is one column', async () => {
  const images = await readPoints(writeIdx(Uint8Array.from([...six, ...six]), [2, 3, 2]));
  assert.equal(
    [images.points.shape, images.imageShape],
    [
      [2, 6],
      [3, 2],
    ],
  );
  assert.equal((await readPoints(writeNpy(Float32Array.from(six), [6]))).points.shape, [6, 1]);
});

test('the format follows from the file name', () => {
  const expected = {
    'a.csv': 'csv',
    'a.TSV.gz': 'csv',
    'b.txt': 'csv',
    'c.npy.gz': 'npy',
    'd.idx': 'idx',
    'train-images-idx3-ubyte': 'idx',
    't.idx1-ubyte.gz': 'idx',
  };
  for (const [name, format] of Object.entries(expected)) assert.is(formatFromName(name), format);
  for (const name of ['data', 'x.parquet', 'a.csv/b', 'x.constructor']) assert.is(formatFromName(name), undefined);
});

test('anything but points is refused', async () => {
  const npy = (data: number[], shape: number[]) => writeNpy(Float64Array.from(data), shape);
  const message = (source: Uint8Array | string, options = {}) => refusal(readPoints(source, options));
  assert.is(
    await message(npy([1, NaN], [1, 2])),
    'readPoints: expected finite numbers in points, got NaN at row 0, column 1.',
  );
  assert.match(await message(npy([1e39], [1])), /finite numbers in points, got Infinity at index 0/);
  assert.match(
    await message(npy([1], [])),
    /^readPoints: expected an array with at least one axis, got a single number/,
  );
  assert.match(await message(npy([], [0, 3])), /^readPoints: expected at least one point of one coordinate, got 0×3/);
  assert.match(
    await message(writeIdx(new Uint8Array(0), [0, 3])),
    /^readPoints: expected at least one point .* got 0×3/,
  );
  assert.match(
    await message(npy([1], [1]), { label: 0 }),
    /^readPoints: expected a label column with CSV only, got label with NPY/,
  );
  assert.match(await message('1,2', { format: 'npy' }), /^readPoints: expected a \.npy array/);
  assert.match(await message('1,2\n', { format: 'idx' }), /^readPoints: expected an IDX file/);
  assert.match(
    await message('1,2', { format: 'xls' }),
    /^readPoints: expected format to be 'csv' or 'npy' or 'idx', got xls/,
  );
  assert.match(await message(''), /^readPoints: expected at least one row of numbers, got an empty file/);
  assert.match(
    await message(joinHeader('<f4', [0, 99999999999], new Uint8Array(0))),
    /^readPoints: expected size 1 of the shape/,
  );
  assert.match(await refusal(readNpyTensor('x')), /^readNpyTensor: expected a \.npy array/);
});

test('a source is closed when its reader gives up', async () => {
  let closed = false;
  const source = (function* () {
    try {
      for (;;) yield new TextEncoder().encode('1,x\n'.repeat(99_999));
    } finally {
      closed = true;
    }
  })();
  await refusal(readPoints(source));
  assert.ok(closed);
});

test.run();
