import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type IdxNumbers, readIdx, writeIdx } from '../../lib/doors/formats.ts';
import { chunks, refusal } from './sources.ts';

const test = suite('idx');

const arrays: IdxNumbers[] = [
  Uint8Array.of(0, 1, 127, 128, 254, 255),
  Int8Array.of(0, 1, 127, -128, -2, -1),
  Int16Array.of(0, 1, 258, 32767, -32768, -2),
  Int32Array.of(0, 1, 66051, 2147483647, -2147483648, -2),
  Float32Array.of(0, -0, 1.5, 3.4028234663852886e38, 1e-45, -Infinity),
  Float64Array.of(0, -0, 1 / 3, Number.MAX_VALUE, 5e-324, NaN),
];

for (const data of arrays) {
  test(`${data.constructor.name} is read back, in any shape, compressed or not, in pieces of any length`, async () => {
    for (const shape of [[6], [2, 3], [1, 2, 1, 3], [6, 1]]) {
      const bytes = writeIdx(data, shape);
      assert.is(bytes.length, 4 + 4 * shape.length + data.byteLength);
      const sources = [bytes, gzipSync(bytes), chunks(bytes, 1), chunks(gzipSync(bytes), 3), chunks(bytes, 7)];
      for (const source of sources) {
        const read = await readIdx(source);
        assert.equal([read.data.constructor, read.shape], [data.constructor, shape]);
        assert.equal(new Uint8Array(read.data.buffer), new Uint8Array(data.buffer));
      }
    }
  });
}

test('elements are big-endian, after two zeros, the type and the number of axes', async () => {
  assert.equal([...writeIdx(Int16Array.of(1, -2), [1, 2])], [0, 0, 11, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 0xff, 0xfe]);
  const mnistLike = Uint8Array.of(0, 0, 8, 1, 0, 0, 0, 3, 7, 2, 1);
  assert.equal(await readIdx(mnistLike), { data: Uint8Array.of(7, 2, 1), shape: [3] });
});

test('an array without elements and an array of 255 axes are read back', async () => {
  const empty = await readIdx(writeIdx(new Float32Array(0), [0, 5]));
  assert.equal([empty.data, empty.shape], [new Float32Array(0), [0, 5]]);
  const axes = new Array<number>(255).fill(1);
  assert.equal((await readIdx(writeIdx(Uint8Array.of(9), axes))).shape, axes);
});

test('the result does not share memory with the file', async () => {
  const bytes = writeIdx(Uint8Array.of(1, 2), [2]);
  const { data } = await readIdx(bytes);
  bytes.fill(0);
  assert.equal([...data], [1, 2]);
});

test('files that are truncated, too long or of another format are refused', async () => {
  const good = writeIdx(Uint8Array.of(1, 2, 3, 4, 5, 6), [2, 3]);
  const changed = (at: number, byte: number) => good.with(at, byte);
  const message = (bytes: Uint8Array | string) => refusal(readIdx(bytes));
  const short = 'readIdx: expected 18 bytes for shape 2×3, got 17. The file may be truncated.';
  assert.is(await message(good.subarray(0, 17)), short);
  assert.is(await message(Uint8Array.of(...good, 0)), 'readIdx: expected 18 bytes for shape 2×3, got 19 or more.');
  const tiny = 'readIdx: expected an IDX header, got 9 bytes in all. The file may be truncated.';
  assert.is(await message(good.subarray(0, 9)), tiny);
  assert.match(await message(new Uint8Array(0)), /expected an IDX header, got 0 bytes in all/);
  assert.match(await message(changed(0, 1)), /which begins with two zero bytes, got bytes 0x01 0x00/);
  assert.match(await message(changed(2, 10)), /element type of 0x08, 0x09, 0x0b, 0x0c, 0x0d, 0x0e, got 0x0a/);
  assert.match(await message(changed(3, 0)), /an IDX file with at least one axis, got 0/);
  assert.match(await message(changed(4, 0xff)), /bytes for shape 4278190082×3, got 18\. The file may be truncated/);
  assert.match(await message('0,0,8,1'), /two zero bytes, got bytes 0x30 0x2c/);
  assert.match(await message(7 as never), /^readIdx: expected a Uint8Array, a string, or a stream .* got 7/);
  assert.match(await refusal(readIdx(['text'] as never)), /^readIdx: expected pieces that are Uint8Arrays, got text/);
});

test('damaged and truncated gzip is reported as such', async () => {
  const packed = gzipSync(
    writeIdx(
      new Uint8Array(1000).map((_, i) => i * i),
      [1000],
    ),
  );
  assert.match(await refusal(readIdx(packed.subarray(0, 40))), /^readIdx: expected undamaged gzip bytes, got /);
  assert.match(await refusal(readIdx(packed.map((b, i) => (i === 30 ? b ^ 255 : b)))), /^readIdx: expected /);
});

test('reading stops early if a small file decompresses to far more than its header says', async () => {
  const bomb = new Uint8Array(1 << 26);
  bomb.set([0, 0, 8, 1, 0, 0, 0, 1]);
  let taken = 0;
  const packed = gzipSync(bomb);
  const source = (function* () {
    for (let at = 0; at < packed.length; at += 512) {
      taken = at;
      yield packed.subarray(at, at + 512);
    }
  })();
  assert.match(await refusal(readIdx(source)), /expected 9 bytes for shape 1, got \d+ or more/);
  assert.ok(taken < packed.length / 2, `${taken} of ${packed.length}`);
});

test('an error of the source itself passes through, compressed or not', async () => {
  for (const bytes of [writeIdx(new Uint8Array(99), [99]), gzipSync(writeIdx(new Uint8Array(9999), [9999]))]) {
    const failing = (async function* () {
      yield bytes.subarray(0, 20);
      throw new Error('the disk is on fire');
    })();
    assert.is(await refusal(readIdx(failing)), 'the disk is on fire');
  }
});

test('contents that IDX cannot represent are not written', () => {
  assert.throws(() => writeIdx(Uint8Array.of(1), [2]), /writeIdx: expected 2 numbers for shape 2, got 1/);
  assert.throws(() => writeIdx(Uint16Array.of(1) as never, [1]), /writeIdx: expected a typed array .* got Uint16Array/);
  assert.throws(() => writeIdx(Uint8Array.of(1), []), /writeIdx: expected from 1 to 255 axes, got 0/);
});

test.run();
