/** Loans of large arrays from the kernels' memory. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KernelMemory } from '../../lib/wasm/memory/memory.ts';
import { borrow } from '../../lib/wasm/borrow.ts';
import { Loans } from '../../lib/wasm/loans.ts';

const test = suite('loans');

test('loans can be repeated, do not count as garbage, and come from the heap when the memory is full', () => {
  const memory = new KernelMemory([32]);
  const { float64 } = memory.allocator;
  const addresses = Array.from({ length: 20 }, () => {
    const { array, giveBack } = borrow(100_000, memory);
    assert.is(array.buffer, memory.buffer);
    array.fill(7);
    giveBack();
    return array.byteOffset;
  });
  assert.is(new Set(addresses).size, 1);
  assert.ok(float64(1000).every((x) => x === 0));
  const { array, giveBack } = borrow(1e6, memory);
  assert.is.not(array.buffer, memory.buffer);
  assert.is(array.length, 1e6);
  giveBack();
});

test('loans of all types are given back one by one or all together', () => {
  const loans = new Loans();
  const first = [loans.float64(1000), loans.float32(2001), loans.int32(2001)];
  assert.equal(
    first.map(({ length }) => length),
    [1000, 2001, 2001],
  );
  // Others keep their contents when one is given back and its place is used again.
  for (const array of first) array.fill(3);
  loans.giveBack(first[1], new Float64Array(1));
  const second = loans.float32(2001).fill(5);
  assert.is(second.byteOffset, first[1].byteOffset);
  assert.ok(first[0].every((x) => x === 3) && first[2].every((x) => x === 3));
  loans.giveBackAll();
  assert.is(loans.float64(1000).byteOffset, first[0].byteOffset);
  loans.giveBackAll();
});

test.run();
