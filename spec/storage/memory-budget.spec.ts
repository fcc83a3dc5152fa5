/** Work within a budget: garbage is collected before it exceeds its part, and too little memory is refused. */

import { getHeapStatistics } from 'node:v8';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Task } from '../../lib/core/task.ts';
import { bucketRoom, checkMemory, runWithin } from '../../lib/storage/memory-budget.ts';

const test = suite('memory budget');

const memory = 2 ** 24;
const external = (): number => getHeapStatistics().external_memory;

test('arrays that a task drops are collected after the step, if they exceed a quarter of the memory', async () => {
  const dropped = 64;
  let [begun, full, left] = [0, 0, 0];
  function* dropSteps(): Task<number> {
    begun = external();
    const held = Array.from({ length: dropped }, (_, k) => new Float64Array(2 ** 17).fill(k));
    const sum = held.reduce((total, array) => total + array[1], 0);
    full = external() - begun;
    held.length = 0;
    // Between two looks at the garbage, two milliseconds pass.
    for (const until = performance.now() + 3; performance.now() < until;);
    yield 0.5;
    // Another thread may still be busy with freeing them.
    for (const until = performance.now() + 2000; external() - begun > memory / 4 && performance.now() < until;);
    left = external() - begun;
    return sum;
  }
  assert.is(await runWithin(dropSteps(), memory, {}), (dropped * (dropped - 1)) / 2);
  assert.ok(full > memory, `${full} bytes in use`);
  assert.ok(left <= memory / 4, `${left} bytes of garbage`);
});

test('the parts of a budget are not more than the whole', () => {
  const { records, buffers } = bucketRoom(memory);
  assert.ok(160 * records + buffers + memory / 4 <= memory);
});

test('a task that fails is closed, and its error is passed on', async () => {
  let isClosed = false;
  function* failingSteps(): Task<void> {
    try {
      yield 0;
      throw new Error('as planned');
    } finally {
      isClosed = true;
    }
  }
  const failed = await runWithin(failingSteps(), memory, {}).catch((error: Error) => error.message);
  assert.is(failed, 'as planned');
  assert.ok(isClosed);
});

test('less than 16 MiB is refused', () => {
  checkMemory('store', memory);
  assert.throws(
    () => checkMemory('store', memory - 1),
    /store: expected memory of at least 16777216 bytes, got 16777215\./,
  );
  assert.throws(() => checkMemory('store', NaN), /expected memory of at least/);
});

test.run();
