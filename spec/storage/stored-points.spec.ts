/** Stored points are those of the file, for all types of numbers. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openStoredPoints } from '../../lib/doors/storage.ts';
import { readPoints } from '../../lib/doors/formats.ts';
import { Random, type Tensor } from '../../lib/index.ts';
import { takePoints } from '../../lib/sparse/points.ts';
import { inFolder, put } from '../cli/run.ts';

const test = suite('stored points');

/** A .npy file of random bytes as rows of numbers, without NaN and infinities. */
function npy(descr: string, shape: readonly number[], fortran = false): Uint8Array {
  const random = new Random(descr);
  const size = Number(descr.slice(2));
  const count = shape.reduce((a, b) => a * b, 1);
  const bytes = Uint8Array.from({ length: count * size }, (_, at) => {
    const isTop = descr[1] === 'f' && at % size === (descr[0] === '>' ? 0 : size - 1);
    const isUpper = /[iu]8/.test(descr) && (descr[0] === '>' ? at % size < 2 : at % size > 5);
    return isUpper ? 0 : isTop ? 0x3a + 128 * random.integer(2) : random.integer(256);
  });
  const text = `{'descr': '${descr}', 'fortran_order': ${fortran ? 'True' : 'False'}, 'shape': (${shape.join(', ')},), }`;
  const header = Buffer.from(`\x93NUMPY\x01\x00\x76\x00${text.padEnd(117)}\n`, 'latin1');
  return Buffer.concat([header, bytes]);
}

for (const descr of ['<f4', '>f4', '<f8', '|u1', '|i1', '<i2', '>u2', '<i4', '<u4', '<i8', '>u8', '|b1']) {
  test(`rows of ${descr} are those that are read at once`, () =>
    inFolder(async (folder) => {
      const bytes = npy(descr, [900, 7, 3]);
      const { points: expected } = await readPoints(bytes);
      const points = openStoredPoints(put(folder, 'points.npy', bytes), { memory: 2 ** 18 });
      assert.is(points.size, 900);
      assert.is(points.cols, 21);
      assert.equal(points.rowRange(0, 900).data.slice(), expected.data.slice());
      assert.equal(points.rowRange(17, 23).data.slice(), expected.data.slice(17 * 21, 23 * 21));
      const rows = Int32Array.of(899, 3, 3, 450);
      assert.equal(points.rows(rows).data.slice(), (takePoints(expected, rows) as Tensor).data.slice());
      points.close();
    }));
}

test('numbers of half precision have their values', () =>
  inFolder(async (folder) => {
    const bits = Uint16Array.of(0x3c00, 0xc000, 0x7bff, 0x0001, 0x8000, 0x03ff, 0x0400, 0x3555);
    const values = [1, -2, 65504, 2 ** -24, -0, 1023 * 2 ** -24, 2 ** -14, 0.333251953125];
    const bytes = npy('<f2', [4, 2]);
    bytes.set(new Uint8Array(bits.buffer), 128);
    const points = openStoredPoints(put(folder, 'points.npy', bytes));
    assert.equal([...points.rowRange(0, 4).data], values);
    points.close();
  }));

test('what is no table of finite numbers is refused by name', () =>
  inFolder(async (folder) => {
    const open = (bytes: Uint8Array) => () => {
      const points = openStoredPoints(put(folder, 'points.npy', bytes));
      try {
        points.rowRange(0, points.size);
      } finally {
        points.close();
      }
    };
    assert.throws(
      open(npy('<f4', [5, 2], true)),
      /row by row, in .*points\.npy, got one that is stored column by column/,
    );
    assert.throws(open(npy('<c8', [5, 2])), /elements of type f2, .* in .*points\.npy, got c8/);
    assert.throws(open(npy('<f4', [5, 2]).subarray(0, 150)), /40 bytes of f4 for shape 5×2 in .*, got 22/);
    assert.throws(
      open(npy('<f4', [5, 2]).subarray(0, 90)),
      /a \.npy header within 90 bytes, got 128\. The file is .*points\.npy/,
    );
    assert.throws(open(new TextEncoder().encode('a,b\n1,2\n3,4\n5,6\n')), /a \.npy array, got bytes without/);
    assert.throws(open(npy('<f4', [0, 2])), /number of points to be a whole number, at least 1, got 0/);
    const infinite = npy('<f4', [5, 2]);
    new DataView(infinite.buffer, infinite.byteOffset).setFloat32(128 + 28, Infinity, true);
    assert.throws(open(infinite), /finite numbers in .*points\.npy from row 0 on, got Infinity at row 3, column 1/);
    assert.throws(() => openStoredPoints(folder), /to be a file, got a folder|EISDIR/);
    assert.throws(
      () => openStoredPoints(put(folder, 'p.npy', npy('<f4', [5, 2])), { memory: 5 }),
      /memory of at least/,
    );
  }));

test('an infinity is refused in whichever page it is, also after others were read and after they were dropped', () =>
  inFolder(async (folder) => {
    const [rows, cols, bad] = [9000, 8, 8123];
    const bytes = npy('<f4', [rows, cols]);
    new DataView(bytes.buffer, bytes.byteOffset).setFloat32(128 + 4 * (bad * cols + 3), Infinity, true);
    const points = openStoredPoints(put(folder, 'points.npy', bytes), { memory: 2 ** 16 });
    const most = Int32Array.from({ length: 8000 }, (_, i) => i);
    for (let round = 0; round < 2; round++) {
      points.rows(most); // more pages than the cache has
      assert.throws(() => points.rows(Int32Array.of(3, bad)), /finite numbers in .* got Infinity at row 1, column 3/);
    }
    points.close();
  }));

test.run();
