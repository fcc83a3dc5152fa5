/** Small files that claim or unpack to much more than they are: sizes are read first, and unpacking stops there. */

import { deflateRawSync, gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { crc32 } from '../../lib/core/crc32.ts';
import {
  readCsv,
  readIdx,
  readMatrixMarket,
  readNpyTensor,
  readNpz,
  readPoints,
  writeIdx,
  writeNpyTensor,
} from '../../lib/doors/formats.ts';
import { readTable } from '../../lib/index.ts';
import { writeNpy, writeNpyText } from '../../lib/formats/numpy/npy.ts';
import { tensor, zeros } from '../../lib/doors/tensor.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';

const test = suite('bombs');

const million = 1_000_000;

/** Bytes in pieces of 1 KiB, and how many of them were read. */
function counted(bytes: Uint8Array): { source: AsyncIterable<Uint8Array>; read: () => number; pieces: number } {
  let count = 0;
  async function* source(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 1024, count++) yield bytes.subarray(at, at + 1024);
  }
  return { source: source(), read: () => count, pieces: Math.ceil(bytes.length / 1024) };
}

test('an array with more bytes than its header allows is refused at the first of them', async () => {
  const zerosAfter = (file: Uint8Array): Uint8Array => gzipSync(Buffer.concat([file, new Uint8Array(50 * million)]));
  const npy = zerosAfter(writeNpyTensor(zeros([3, 1])));
  const idx = zerosAfter(writeIdx(new Uint8Array(3), [3]));
  await forEachInOrder(
    [
      [npy, readNpyTensor, /^readNpyTensor: expected 12 bytes of f4 for shape 3×1, got \d{3,7} or more\.$/],
      [npy, readPoints, /^readPoints: expected 12 bytes of f4 for shape 3×1, got \d{3,7} or more\.$/],
      [idx, readIdx, /^readIdx: expected 11 bytes for shape 3, got \d{3,7} or more\.$/],
    ] as [Uint8Array, (source: AsyncIterable<Uint8Array>) => Promise<unknown>, RegExp][],
    async ([bytes, read, rule]) => {
      const { source, read: piecesRead, pieces } = counted(bytes);
      assert.match(await refusalOf(read(source)), rule);
      assert.ok(piecesRead() < pieces / 2, `${piecesRead()} of ${pieces} pieces`);
    },
  );
});

/** A zip archive of deflated files, with flags in the local header and in the directory. */
function zip(files: readonly (readonly [name: string, bytes: Uint8Array])[], localFlags = 0, flags = 0): Uint8Array {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const [name, bytes] of files) {
    const packed = deflateRawSync(bytes);
    const fields = (first: number[], flag: number): Buffer => {
      const result = Buffer.alloc(first.length === 2 ? 46 : 30);
      const from = first.length === 2 ? 2 : 0;
      result.writeUInt32LE(first[0], 0);
      result.writeUInt16LE(20, 4 + from);
      result.writeUInt16LE(flag, 6 + from);
      result.writeUInt16LE(8, 8 + from);
      result.writeUInt32LE(crc32(bytes), 14 + from);
      result.writeUInt32LE(packed.length, 18 + from);
      result.writeUInt32LE(bytes.length, 22 + from);
      result.writeUInt16LE(name.length, 26 + from);
      if (from > 0) result.writeUInt32LE(first[1], 42);
      return result;
    };
    directory.push(fields([0x02014b50, at], flags), Buffer.from(name));
    parts.push(fields([0x04034b50], localFlags), Buffer.from(name), packed);
    at += 30 + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(at, 16);
  return new Uint8Array(Buffer.concat([...parts, ...directory, end]));
}

const smallMatrix: [string, Uint8Array][] = [
  ['format.npy', writeNpyText('csr')],
  ['shape.npy', writeNpy(Int32Array.of(2, 2), [2])],
  ['indptr.npy', writeNpy(Int32Array.of(0, 1, 2), [3])],
  ['indices.npy', writeNpy(Int32Array.of(1, 0), [2])],
  ['data.npy', writeNpy(Float32Array.of(1, 1), [2])],
];

test('an array in an archive is decompressed no further than its header allows', async () => {
  const rows = 5 * million;
  const files: [string, Uint8Array][] = [
    ['format.npy', writeNpyText('csr')],
    ['shape.npy', writeNpy(Int32Array.of(rows, 2), [2])],
    ['indptr.npy', Buffer.concat([writeNpy(new Int32Array(3), [3]), new Uint8Array(8 * rows)])],
  ];
  const refusal = await refusalOf(readNpz(zip(files)));
  assert.match(refusal, /^readNpz: expected 12 bytes of i4 for shape 3, got \d{3,6} or more\.$/);
});

test('an encrypted archive is refused, whichever of its flags says so', async () => {
  assert.is((await readNpz(zip(smallMatrix))).nonzeros, 2);
  await forEachInOrder([0x1, 0x40, 0x2000], async (flag) => {
    const rule = 'readNpz: expected format.npy without a password, got an encrypted file.';
    assert.is(await refusalOf(readNpz(zip(smallMatrix, flag, 0))), rule);
    assert.is(await refusalOf(readNpz(zip(smallMatrix, 0, flag))), rule);
  });
  const patch = 'readNpz: expected format.npy as a file of its own, got a zip patch of another file.';
  assert.is(await refusalOf(readNpz(zip(smallMatrix, 0x20, 0x20))), patch);
});

test('an archive that contradicts itself is refused', async () => {
  const intact = zip(smallMatrix);
  const end = intact.length - 22;
  const changed = (at: number, value: number): Uint8Array => {
    const copy = intact.slice();
    new DataView(copy.buffer).setUint16(at, value, true);
    return copy;
  };
  const cases: [Uint8Array, RegExp][] = [
    [zip([...smallMatrix, smallMatrix[4]]), /each file once in the archive, got two called data\.npy\./],
    [changed(end + 4, 1), /a zip archive in one file, got part 1 of several\./],
    [changed(end + 8, 4), /a zip archive in one file/],
    [changed(end + 12, 5), /a zip directory of \d+ bytes, up to the end record, got \d+\./],
    [
      Buffer.concat([intact.subarray(0, end), Buffer.from('more'), intact.subarray(end)]),
      /a zip directory of \d+ bytes/,
    ],
    [changed(8, 0), /format\.npy by zip method 8, as the directory says, got 0\./],
  ];
  await forEachInOrder(cases, async ([archive, rule]) => {
    const refusal = await refusalOf(readNpz(new Uint8Array(archive)));
    assert.match(refusal, new RegExp(`^readNpz: expected ${rule.source}`));
  });
});

test('compressed text is read up to a limit, which can be raised; other text has none', async () => {
  const text = '1,2\n'.repeat(1000);
  const rule =
    'expected compressed text of at most 1000 bytes, got 4000 or more. If you trust the file, raise maxBytes; on the command line, --max-bytes.';
  const packed = gzipSync(text);
  assert.is(await refusalOf(readCsv(packed, { maxBytes: 1000 })), `readCsv: ${rule}`);
  assert.is(await refusalOf(readPoints(packed, { maxBytes: 1000 })), `readPoints: ${rule}`);
  assert.is(await refusalOf(readTable(packed, { maxBytes: 1000 })), `readTable: ${rule}`);
  assert.is((await readCsv(packed, { maxBytes: 4000 })).points.rows, 1000);
  assert.is((await readCsv(text, { maxBytes: 1000 })).points.rows, 1000);
  assert.match(
    await refusalOf(readCsv(packed, { maxBytes: NaN })),
    /expected maxBytes to be a number above 0, got NaN\./,
  );
  const npy = gzipSync(writeNpyTensor(zeros([500, 1])));
  assert.is((await readPoints(npy, { maxBytes: 1000 })).points.rows, 500, 'an array is bounded by its header');
});

test('without an option the limit is 256 MiB', async () => {
  const part = gzipSync(Buffer.alloc(2 ** 24, `# ${'-'.repeat(125)}\n`));
  const file = (parts: number): Uint8Array => Buffer.concat([...Array(parts).fill(part), gzipSync('1\n2\n')]);
  const { source, read } = counted(file(64));
  assert.match(
    await refusalOf(readCsv(source)),
    /: expected compressed text of at most 268435456 bytes, got 268[45]\d+ or more\./,
  );
  assert.ok(read() < (file(64).length / 1024) * 0.4);
});

test('bytes after the end of gzip are refused, and several gzip files in one are read', async () => {
  const market = '%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n';
  const readers: [string, Uint8Array, (source: Uint8Array) => Promise<unknown>][] = [
    ['readCsv', Buffer.from('1,2\n'), readCsv],
    ['readPoints', Buffer.from('1,2\n'), readPoints],
    ['readNpyTensor', writeNpyTensor(tensor([[1, 2]])), readNpyTensor],
    ['readIdx', writeIdx(new Uint8Array(3), [3]), readIdx],
    ['readMatrixMarket', Buffer.from(market), readMatrixMarket],
  ];
  await forEachInOrder(readers, async ([name, content, read]) => {
    const file = gzipSync(content);
    await read(file);
    await forEachInOrder([[0], [0, 1, 2], [7], [0x1f], [0x1f, 0x8b, 8]], async (garbage) => {
      const refusal = await refusalOf(read(Buffer.concat([file, Uint8Array.from(garbage)])));
      assert.match(refusal, new RegExp(`^${name}: expected undamaged gzip bytes, got `), `${garbage}`);
    });
    const half = content.length >> 1;
    await read(Buffer.concat([gzipSync(content.subarray(0, half)), gzipSync(content.subarray(half))]));
  });
  const pieces = [gzipSync('1,2\n'), Uint8Array.of(0), Buffer.from('3,4\n')];
  assert.match(await refusalOf(readCsv(pieces)), /got other bytes after their end\.$/);
});

test('the streams of browsers, used if there is no process, give the same result', async () => {
  const [good, node] = [gzipSync('1,2\n'.repeat(100_000)), globalThis.process];
  try {
    Reflect.deleteProperty(globalThis, 'process');
    assert.is((await readCsv(good)).points.rows, 100_000);
    const cut = await refusalOf(readCsv(good.subarray(0, -9)));
    assert.match(cut, /^readCsv: expected undamaged gzip bytes, got /);
    const long = await refusalOf(readCsv(good, { maxBytes: 1000 }));
    assert.match(long, /^readCsv: expected compressed text of at most 1000 bytes/);
  } finally {
    globalThis.process = node;
  }
});

test('an array of an unknown minor version is refused', async () => {
  const bytes = writeNpyTensor(zeros([2, 2]));
  bytes[7] = 1;
  assert.is(await refusalOf(readNpyTensor(bytes)), 'readNpyTensor: expected version 1.0 of .npy, got 1.1.');
});

test.run();
