import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readNpy, writeNpy } from '../../lib/formats/numpy/npy.ts';
import { bytesOf, npyFixtures } from '../sparse/fixtures.ts';

const test = suite('npy');

const read = (name: keyof typeof npyFixtures) => readNpy(bytesOf(npyFixtures[name]));

/** A file of version 1 with this header dictionary. */
function file(dictionary: string, content: number[] = []): Uint8Array {
  const header = new TextEncoder().encode(`${dictionary}\n`);
  return Uint8Array.of(
    0x93,
    0x4e,
    0x55,
    0x4d,
    0x50,
    0x59,
    1,
    0,
    header.length & 255,
    header.length >> 8,
    ...header,
    ...content,
  );
}

test('an array that was written is read back, in every type of number and any shape', () => {
  for (const data of [
    Float32Array.of(1, -0, 3.5, NaN, Infinity, 1e-45),
    Float64Array.of(1, -0, 3.5, 5e-324, 1e300, 0.1),
    Int8Array.of(-128, 127, 0, 1, 2, 3),
    Int16Array.of(-32768, 32767, 0, 1, 2, 3),
    Int32Array.of(-(2 ** 31), 2 ** 31 - 1, 0, 1, 2, 3),
    Uint8Array.of(0, 255, 1, 2, 3, 4),
    Uint16Array.of(0, 65535, 1, 2, 3, 4),
    Uint32Array.of(0, 2 ** 32 - 1, 1, 2, 3, 4),
  ]) {
    for (const shape of [[6], [2, 3], [3, 2], [1, 6, 1], [2, 1, 3, 1]]) {
      const bytes = writeNpy(data, shape);
      const back = readNpy(bytes);
      assert.equal(back.shape, shape);
      assert.is(back.data.constructor, data.constructor);
      back.data.forEach((value, i) => assert.ok(Object.is(value, data[i])));
      assert.is((bytes.length - data.byteLength) % 64, 0, 'elements are aligned');
    }
  }
  assert.equal(readNpy(writeNpy(Float32Array.of(7), [])).shape, []);
  assert.equal(readNpy(writeNpy(new Float32Array(0), [0, 5])).shape, [0, 5]);
});

test('views into larger buffers are written and read', () => {
  const view = new Float64Array(10).fill(1).subarray(3, 5);
  view.set([8, 9]);
  const bytes = writeNpy(view, [2]);
  const shifted = new Uint8Array(bytes.length + 1);
  shifted.set(bytes, 1);
  assert.equal([...readNpy(shifted.subarray(1)).data], [8, 9]);
});

test('what NumPy writes is read: every type, either byte order', () => {
  for (const type of ['f4', 'f8', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8'] as const) {
    const array = read(type);
    assert.equal([array.dtype, array.shape, [...array.data]], [type, [2, 3], [1, 2, 3, 4, 5, 100]]);
  }
  for (const type of ['f4', 'f8', 'i2', 'i4', 'i8', 'u2', 'u4', 'u8'] as const) {
    const array = read(`big ${type}`);
    assert.equal([array.dtype, [...array.data]], [type, [1, 2, 100]]);
  }
  assert.instance(read('f4').data, Float32Array);
  assert.instance(read('i8').data, Float64Array);
  assert.equal([...read('b1').data], [1, 0, 1]);
  const truths = file("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", [2, 0, 255]);
  assert.equal([...readNpy(truths).data], [1, 0, 1]);
  assert.equal([...read('signed').data], [-1, -(2 ** 53) + 1, 2 ** 53 - 1]);
});

test('what NumPy writes is read: versions 2 and 3, columns first, one number, none', () => {
  assert.equal([...read('version 2').data], [0, 1, 2]);
  assert.equal([...read('version 3').data], [0, 1, 2]);
  assert.equal(
    [read('fortran').shape, [...read('fortran').data]],
    [
      [2, 3],
      [0, 1, 2, 3, 4, 5],
    ],
  );
  assert.equal(
    [...read('fortran 3').data],
    Array.from({ length: 24 }, (_, i) => i),
  );
  assert.equal([read('scalar').shape, [...read('scalar').data]], [[], [2.5]]);
  assert.equal([read('no rows').shape, read('no rows').data.length], [[0, 4], 0]);
});

test('keys in another order, spaces and the L of Python 2 are understood', () => {
  assert.equal(readNpy(file("{'shape': (2L, 1), 'descr':'|u1','fortran_order' :False}", [5, 6])).shape, [2, 1]);
  assert.equal(
    [...readNpy(file("  {'fortran_order': True, 'shape': (3,), 'descr': 'u1', }  ", [5, 6, 7])).data],
    [5, 6, 7],
  );
});

test('elements of other types are refused by name', () => {
  const rule =
    /^readNpy: expected elements of type f4, f8, i1, i2, i4, i8, u1, u2, u4, u8, b1, got (f2|c16|U1)\. Convert with array\.astype\('f8'\) in NumPy\.$/;
  assert.throws(() => read('half'), rule);
  assert.throws(() => read('complex'), rule);
  assert.throws(() => read('text'), rule);
  assert.throws(
    () => read('record'),
    /readNpy: expected a \.npy header with a plain 'descr', .* got \{'descr': \[\('a'/,
  );
  assert.throws(
    () => read('too wide'),
    /readNpy: expected integers of at most 53 bits, got 9007199254740992 at index 1\./,
  );
});

test('bad headers are refused', () => {
  const good = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }";
  assert.not.throws(() => readNpy(file(good, [1, 2])));
  assert.throws(() => readNpy(new Uint8Array(20)), /readNpy: expected a \.npy array/);
  assert.throws(() => readNpy(new Uint8Array(0)), /expected a \.npy array, got bytes without a \.npy header/);
  assert.throws(() => readNpy(file(good, [1])), /readNpy: expected 2 bytes of u1 for shape 2, got 1\./);
  assert.throws(() => readNpy(file(good, [1, 2, 3])), /readNpy: expected 2 bytes of u1 for shape 2, got 3\./);
  const version = file(good, [1, 2]);
  version[6] = 4;
  assert.throws(() => readNpy(version), /readNpy: expected version 1, 2 or 3 of \.npy, got 4\./);
  const long = file(good, [1, 2]);
  long[9] = 255;
  assert.throws(() => readNpy(long), /readNpy: expected a \.npy header within \d+ bytes, got 65/);
  for (const dictionary of [
    '',
    '{}',
    good.slice(0, -1),
    good.replace("'shape'", "'size'"),
    good.replace('False', 'None'),
    good.replace('(2,)', '(-2,)'),
    good.replace('(2,)', '(2.5,)'),
    good.replace('(2,)', '2'),
    good.replace("'|u1'", '|u1'),
    good.replace('}', "'more': 'x', }"),
    good.replace("'fortran_order': False, ", ''),
    `x${good}`,
  ]) {
    assert.throws(
      () => readNpy(file(dictionary, [1, 2])),
      /readNpy: expected a \.npy header with a plain 'descr'/,
      dictionary,
    );
  }
  assert.throws(
    () => readNpy(file(good.replace('(2,)', '(99999999999, 99999999999)'), [1])),
    /expected 9\.9999999998e\+21 bytes/,
  );
});

test('an endless header of blanks is refused at once', () => {
  const bytes = file(`{${' '.repeat(60_000)}x}`, [1]);
  assert.throws(() => readNpy(bytes), /expected a \.npy header with a plain/);
});

test('arrays that cannot be written are refused', () => {
  assert.throws(() => writeNpy(Float32Array.of(1, 2), [3]), /writeNpy: expected 3 numbers for shape 3, got 2\./);
  assert.throws(
    () => writeNpy([1] as unknown as Float32Array, [1]),
    /writeNpy: expected a typed array of numbers, got an array of length 1\./,
  );
  assert.throws(
    () => writeNpy(null as unknown as Float32Array, [1]),
    /writeNpy: expected a typed array of numbers, got null/,
  );
  assert.throws(() => readNpy('x' as unknown as Uint8Array), /readNpy: expected a Uint8Array, got x\./);
});

test.run();
