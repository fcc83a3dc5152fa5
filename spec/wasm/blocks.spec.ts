import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../lib/core/random.ts';
import { Blocks } from '../../lib/wasm/memory/blocks.ts';

const test = suite('blocks');

test('blocks do not overlap, are aligned, and are merged when they are freed', () => {
  const blocks = new Blocks(64, 64 * 1025, 64);
  const random = new Random('blocks');
  const taken = new Map<number, number>();
  for (let iteration = 0; iteration < 5000; iteration++) {
    const addresses = [...taken.keys()];
    if (random.uniform() < 0.55 || addresses.length === 0) {
      const bytes = random.integer(2000);
      const address = blocks.take(bytes);
      if (address < 0) continue;
      assert.is(address % 64, 0);
      assert.ok(address >= 64 && address + bytes <= 64 * 1025);
      for (const [other, size] of taken) assert.ok(address >= other + size || address + bytes <= other, 'overlap');
      taken.set(address, bytes);
    } else {
      const address = addresses[random.integer(addresses.length)];
      blocks.give(address);
      taken.delete(address);
    }
  }
  for (const address of taken.keys()) blocks.give(address);
  assert.is(blocks.take(64 * 1024), 64, 'neighbors have become one');
});

test('the smallest sufficient block is used; −1 if there is none', () => {
  const blocks = new Blocks(0, 1024, 64);
  const [a, , c] = [blocks.take(256), blocks.take(64), blocks.take(128), blocks.take(64)];
  blocks.give(a);
  blocks.give(c);
  assert.is(blocks.take(100), c);
  assert.is(blocks.take(10_000), -1);
  assert.throws(() => blocks.give(999), /Blocks\.give: nothing taken at 999/);
});

test('the high-water mark is the end of the memory that was ever used', () => {
  const blocks = new Blocks(0, 1024, 64);
  assert.is(blocks.highWater, 0);
  const address = blocks.take(65);
  assert.is(blocks.highWater, 128);
  blocks.give(address);
  blocks.take(64);
  assert.is(blocks.highWater, 128);
});

test.run();
