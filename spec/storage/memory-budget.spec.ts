/** Work within a budget: garbage is collected before it exceeds its part, and too little memory is refused. */

import { getHeapStatistics } from 'node:v8';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Task } from '../../lib/core/task.ts';
import { bucketRoom, checkMemory, runWithin } from '../../lib/storage/memory-budget.ts';

const test = suite('memory budget');

const memory = 2 ** 24;
const external = (): number => getHeapStatistics().external_memory;

test('arrays that are garbage take at most half of the memory, where the engine would let them take four times as much', async () => {
  const piece = 2 ** 20;
  let [most, begun] = [0, 0];
  function* wasteSteps(): Task<number> {
    begun = external();
    let sum = 0;
    for (let k = 0; k < 200; k++) {
      const array = new Float64Array(piece / 8).fill(k);
      sum += array[k];
      most = Math.max(most, external() - begun);
      // Between two looks at the garbage, two milliseconds pass.
      for (const until = performance.now() + 3; performance.now() < until;);
      yield k / 200;
    }
    return sum;
  }
  assert.is(await runWithin(wasteSteps(), memory, {}), (199 * 200) / 2);
  assert.ok(most >= piece, `${most}`);
  // A quarter is collected, which another thread completes while a few more are made.
  assert.ok(most <= memory / 2 + 2 * piece, `${most} bytes of garbage`);
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
