/** The clock of a thread counts the work of this thread only. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { threadClock } from '../../lib/cli/commands/reproduce/thread-clock.ts';

const test = suite('the clock of a thread');

test('it stops while the thread sleeps, and runs while it works', () => {
  const { kind, now } = threadClock();
  const work = (): number => {
    let sum = 0;
    for (let i = 0; i < 3e7; i++) sum += Math.sqrt(i);
    return sum;
  };
  assert.ok(work() > 0);
  const before = now();
  assert.ok(work() > 0);
  const after = now();
  assert.ok(after > before && after - before < 60, `${before} ${after}`);
  if (kind === 'wall') return;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  assert.ok(now() - after < 0.15, 'asleep for 0.3 s');
});

test.run();
