/** Checksums of bytes that come in parts, by the plain function and by that of Node. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { crc32 } from '../../lib/core/crc32.ts';
import { Random } from '../../lib/core/random.ts';
import { extendCrc32, fastCrc32 } from '../../lib/files/checksum.ts';

const test = suite('checksums');

test('the digits 1 to 9 have the checksum that CRC-32 is known by', () => {
  const bytes = new TextEncoder().encode('123456789');
  assert.equal([crc32(bytes), fastCrc32(bytes)], [0xcbf43926, 0xcbf43926]);
});

test('bytes in parts have the checksum of the whole, also if a part is empty', () => {
  const random = new Random('parts');
  const bytes = Uint8Array.from({ length: 1000 }, () => random.integer(256));
  for (const [from, to] of [
    [0, 0],
    [1, 1],
    [0, 1000],
    [1, 512],
    [333, 700],
  ]) {
    const parts = [bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to)];
    assert.is(parts.reduce((before, part) => crc32(part, before), 0), crc32(bytes)); // oxfmt-ignore
    assert.is(parts.reduce((before, part) => extendCrc32(before, part), 0), crc32(bytes)); // oxfmt-ignore
  }
});

test.run();
