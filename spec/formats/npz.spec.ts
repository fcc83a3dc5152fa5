import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deflateRawSync } from 'node:zlib';
import * as fc from 'fast-check';
import { readNpz, writeNpz } from '../../lib/doors/formats.ts';
import { crc32 } from '../../lib/core/crc32.ts';
import { writeNpy, writeNpyText } from '../../lib/formats/numpy/npy.ts';
import { collect } from '../../lib/formats/bytes/byte-source.ts';
import { listZip, readZipEntry, writeZip } from '../../lib/formats/numpy/zip.ts';
import { bytesOf, npzFixtures } from '../sparse/fixtures.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';
import { anyMatrix, runs } from '../sparse/arbitrary.ts';
import { assertCanonical, assertSame, denseOf } from '../sparse/reference.ts';

const test = suite('npz');

const read = (name: keyof typeof npzFixtures) => readNpz(bytesOf(npzFixtures[name]), { precision: 'double' });

const refusal = (bytes: Uint8Array, options = {}) => refusalOf(readNpz(bytes, options));

const parts = {
  indices: writeNpy(Int32Array.of(1, 0), [2]),
  indptr: writeNpy(Int32Array.of(0, 1, 2), [3]),
  format: writeNpyText('csr'),
  shape: writeNpy(Int32Array.of(2, 2), [2]),
  data: writeNpy(Float64Array.of(5, 6), [2]),
};

/** An archive of these arrays with some replaced, or left out if null. */
function archive(changes: Partial<Record<keyof typeof parts, Uint8Array | null>> = {}): Promise<Uint8Array> {
  const files = Object.entries({ ...parts, ...changes }).flatMap(([name, bytes]) =>
    bytes ? [{ name: `${name}.npy`, bytes }] : [],
  );
  return writeZip('spec', files);
}

test('a matrix that was written is read back to the bit, in both precisions', async () => {
  await fc.assert(
    fc.asyncProperty(anyMatrix, async (matrix) => {
      assertSame(await readNpz(await writeNpz(matrix)), matrix);
      const double = matrix.copy('double');
      assertSame(await readNpz(await writeNpz(double), { precision: 'double' }), double);
    }),
    { ...runs, numRuns: 60 },
  );
});

test('the same matrix gives the same bytes', async () => {
  const matrix = await read('compressed');
  assert.equal(await writeNpz(matrix), await writeNpz(matrix));
});

test('what scipy saves is read: compressed and stored, arrays and matrices, any zip that numpy makes', async () => {
  const expected = [
    [0, 1.5, 0, -2],
    [0, 0, 0, 0],
    [3, 0, 0.1, 0],
  ];
  await forEachInOrder(['compressed', 'bigEndian', 'streamed'] as const, async (name) => {
    const matrix = await read(name);
    assertCanonical(matrix);
    assert.equal(denseOf(matrix), expected, name);
  });
  const single = await read('storedArray');
  assert.is(denseOf(single)[2][2], Math.fround(0.1));
  assert.is((await readNpz(bytesOf(npzFixtures.compressed))).precision, 'single');
});

test('what scipy saves is read: 64-bit integers, booleans, rows out of order, empty matrices', async () => {
  assert.equal(denseOf(await read('wide')), [
    [0, 7, 0],
    [-8, 0, 9],
  ]);
  assert.equal(denseOf(await read('truth')), [
    [1, 0],
    [1, 1],
  ]);
  const unsorted = await read('unsorted');
  assertCanonical(unsorted);
  assert.equal(denseOf(unsorted), [
    [2, 0, 4],
    [0, 9, 0],
  ]);
  const empty = await read('empty');
  assert.equal([empty.rows, empty.cols, empty.nonzeros], [0, 5, 0]);
  assert.is((await read('nothing')).cols, 0);
});

test('other formats are refused by name, with the conversion in scipy', async () => {
  await forEachInOrder(['csc', 'coo'] as const, async (name) => {
    const message = await refusal(bytesOf(npzFixtures[name]));
    assert.is(message, `readNpz: expected a matrix in csr format, got ${name}. Save matrix.tocsr() in scipy.`);
  });
  assert.match(
    await refusal(await archive({ format: null })),
    /expected a file of scipy\.sparse\.save_npz, got an archive without format\.npy\./,
  );
  assert.match(await refusal(await archive({ data: null })), /an archive without data\.npy/);
});

test('inconsistent arrays are refused', async () => {
  const refused = async (changes: Parameters<typeof archive>[0]) => refusal(await archive(changes));
  const ints = (...numbers: number[]) => writeNpy(Int32Array.from(numbers), [numbers.length]);
  assert.match(await refused({ shape: ints(2, 2, 2) }), /readNpz: expected 2 numbers in shape, got 3\./);
  assert.match(
    await refused({ shape: ints(2, -2) }),
    /readNpz: expected shape to be whole numbers .* got -2 at index 1/,
  );
  assert.match(
    await refused({ shape: writeNpy(Float64Array.of(2, 2), [2]) }),
    /readNpz: expected integers in shape, got f8\./,
  );
  assert.match(
    await refused({ shape: writeNpy(Int32Array.of(2, 2), [2, 1]) }),
    /readNpz: expected shape with one axis, got 2×1\./,
  );
  assert.match(await refused({ indptr: ints(0, 2) }), /readNpz: expected 3 numbers in indptr, got 2\./);
  assert.match(await refused({ indptr: ints(1, 1, 2) }), /readNpz: expected starts to begin with 0, got 1\./);
  assert.match(
    await refused({ indptr: ints(0, 3, 2) }),
    /readNpz: expected starts that never decrease, got 3 then 2 at row 1\./,
  );
  assert.match(
    await refused({ indices: ints(1, 2) }),
    /readNpz: expected indices to be whole numbers from 0 to 1, got 2 at index 1\./,
  );
  assert.match(
    await refused({ indices: ints(1) }),
    /readNpz: expected 2 numbers in indices, got 1\. Call matrix\.prune\(\)/,
  );
  assert.match(
    await refused({ data: writeNpy(new Float32Array(3), [3]) }),
    /readNpz: expected 2 numbers in data, got 3\./,
  );
  assert.match(
    await refused({ data: writeNpy(Float64Array.of(1, NaN), [2]) }),
    /readNpz: expected finite values, got NaN at row 1, column 0\./,
  );
  assert.match(
    await refused({ data: writeNpy(Float64Array.of(1, 1e39), [2]) }),
    /got Infinity at row 1, column 0\. Pass precision/,
  );
  assert.match(await refused({ format: writeNpyText('bsr') }), /csr format, got bsr/);
  assert.match(
    await refused({ format: ints(1) }),
    /readNpz: expected one string of at most 64 characters, got i4 of shape 1\./,
  );
  assert.match(await refused({ data: new Uint8Array(5) }), /readNpz: expected a \.npy array/);
});

test('an array longer than the ones before it allow is refused before it is decompressed', async () => {
  const zeros = writeNpy(new Float64Array(1e6), [1e6]);
  await forEachInOrder(['format', 'shape', 'indptr', 'indices', 'data'] as const, async (name) => {
    const message = await refusal(await archive({ [name]: zeros }));
    assert.match(message, new RegExp(`readNpz: expected at most \\d+ bytes in ${name}\\.npy, got 8000128\\.`));
  });
});

/** One file with a directory entry of arbitrary contents. */
function lying(
  content: Uint8Array,
  packed: Uint8Array,
  says: { size?: number; packedSize?: number; crc?: number },
): Uint8Array {
  const name = new TextEncoder().encode('a');
  const bytes = new Uint8Array(31 + packed.length + 47 + 22);
  const view = new DataView(bytes.buffer);
  const end = 31 + packed.length;
  view.setUint32(0, 0x04034b50, true);
  view.setUint16(8, 8, true);
  view.setUint16(26, 1, true);
  bytes.set(name, 30);
  bytes.set(packed, 31);
  view.setUint32(end, 0x02014b50, true);
  view.setUint16(end + 10, 8, true);
  view.setUint32(end + 16, says.crc ?? crc32(content), true);
  view.setUint32(end + 20, says.packedSize ?? packed.length, true);
  view.setUint32(end + 24, says.size ?? content.length, true);
  view.setUint16(end + 28, 1, true);
  bytes.set(name, end + 46);
  view.setUint32(end + 47, 0x06054b50, true);
  view.setUint16(end + 55, 1, true);
  view.setUint16(end + 57, 1, true);
  view.setUint32(end + 59, 47, true);
  view.setUint32(end + 63, end, true);
  return bytes;
}

async function takeOut(bytes: Uint8Array, limit = 1e9): Promise<Uint8Array> {
  return readZipEntry('spec', bytes, listZip('spec', bytes).get('a')!, limit, collect);
}

const zipRefusal = (bytes: Uint8Array) => refusalOf(takeOut(bytes));

test('a file that decompresses to more, or less, than it says is refused', async () => {
  const content = new Uint8Array(5_000_000);
  const packed = new Uint8Array(deflateRawSync(content));
  assert.equal(await takeOut(lying(content, packed, {})), content);
  assert.match(await zipRefusal(lying(content, packed, { size: 1000 })), /spec: expected 1000 bytes in a, got more\./);
  // unpacking stops there, so the truncated end is never read
  assert.match(
    await zipRefusal(lying(content, packed.slice(0, -5), { size: 1000 })),
    /expected 1000 bytes in a, got more/,
  );
  assert.match(
    await zipRefusal(lying(content, packed, { size: 5_000_001 })),
    /spec: expected 5000001 bytes in a, got 5000000\./,
  );
  assert.match(
    await zipRefusal(lying(content, packed, { size: 4e9 })),
    /spec: expected at most 1000000000 bytes in a, got 4000000000\./,
  );
  assert.match(
    await zipRefusal(lying(content, packed.slice(0, 90), { size: 9e8 })),
    /spec: expected undamaged deflate-raw bytes, got unexpected end of file\./,
  );
  assert.match(await zipRefusal(lying(content, packed, { packedSize: 1e9 })), /spec: expected a whole zip archive/);
  assert.match(
    await zipRefusal(lying(content, packed, { crc: 7 })),
    /spec: expected an undamaged a, got a wrong checksum\./,
  );
  assert.match(
    await zipRefusal(lying(content, packed.slice(0, -5), {})),
    /spec: expected undamaged deflate-raw bytes, got unexpected end of file\./,
  );
});

test('damaged and unsupported archives are refused with the reason', async () => {
  const good = lying(Uint8Array.of(1), new Uint8Array(deflateRawSync(Uint8Array.of(1))), {});
  const at = good.length - 69;
  const changed = (offset: number, byte: number) => {
    const copy = good.slice();
    copy[offset] = byte;
    return zipRefusal(copy);
  };
  assert.match(await changed(at + 8, 1), /spec: expected a without a password, got an encrypted file\./);
  assert.match(await changed(at + 10, 12), /spec: expected a stored or deflated, got zip method 12\./);
  assert.match(await changed(at, 0), /spec: expected an undamaged zip directory/);
  assert.match(await changed(0, 0), /spec: expected a at offset 0, got other bytes\./);
  assert.match(await changed(30, 98), /spec: expected a at offset 0/);
  assert.match(
    await zipRefusal(good.slice(0, -1)),
    /spec: expected a zip archive, got bytes without an end record\. The file may be truncated\./,
  );
  assert.match(await refusal(new Uint8Array(0)), /readNpz: expected a zip archive/);
});

test('sizes and places written for more than 4 GiB are refused', async () => {
  const rule =
    /^readNpz: expected a whole zip archive, below 4 GiB, got \d+ bytes that refer to byte \d+\. The file may be/;
  assert.is(
    await refusal(bytesOf(npzFixtures.zip64)),
    'readNpz: expected a zip archive below 4 GiB, got a ZIP64 archive, the format of larger ones.',
  );
  const bytes = await archive();
  bytes.fill(255, bytes.length - 6, bytes.length - 2);
  assert.match(await refusal(bytes), rule);
});

test('a comment that looks like an end record does not mislead', async () => {
  const comment = Uint8Array.of(0x50, 0x4b, 5, 6, ...new Array<number>(30).fill(1));
  const plain = await archive();
  const bytes = new Uint8Array(plain.length + comment.length);
  bytes.set(plain);
  bytes.set(comment, plain.length);
  bytes[plain.length - 2] = comment.length;
  assert.is((await readNpz(bytes)).nonzeros, 2);
});

test('checksums are those of zip, at every length', () => {
  assert.is(crc32(new TextEncoder().encode('123456789')), 0xcbf43926);
  assert.is(crc32(new Uint8Array(0)), 0);
  const bytes = Uint8Array.from({ length: 50 }, (_, i) => (i * 37) & 255);
  for (let length = 0; length <= bytes.length; length++) {
    let slow = 0xffffffff;
    for (const byte of bytes.subarray(0, length)) {
      slow ^= byte;
      for (let bit = 0; bit < 8; bit++) slow = slow & 1 ? (slow >>> 1) ^ 0xedb88320 : slow >>> 1;
    }
    assert.is(crc32(bytes.subarray(0, length)), ~slow >>> 0);
  }
});

test('sources and options of another kind are refused', async () => {
  assert.match(await refusal('x' as unknown as Uint8Array), /readNpz: expected a Uint8Array, got x\./);
  assert.match(
    await refusal(new Uint8Array(0), { precision: 'half' }),
    /readNpz: expected precision to be 'single' or 'double'/,
  );
});

test.run();
