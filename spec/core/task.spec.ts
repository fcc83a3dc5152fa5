import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runAsync, runSync, subtask, type Task } from '../../lib/core/task.ts';

const test = suite('task');

test('a task that is aborted, fails or ends releases its resources, also as a subtask', async () => {
  let held = 0;
  function* holdingSteps(steps: number): Task<number> {
    held++;
    try {
      for (let i = 0; i < steps; i++) {
        const until = performance.now() + 20;
        while (performance.now() < until);
        yield i / steps;
      }
      return steps;
    } finally {
      held--;
    }
  }
  const controller = new AbortController();
  const progress = (): void => controller.abort(new Error('enough'));
  const error = await runAsync(subtask(holdingSteps(1e6), 0, 1), { progress, signal: controller.signal }).catch(
    (e: Error) => e,
  );
  assert.is((error as Error).message, 'enough');
  assert.is(held, 0);
  assert.is(runSync(subtask(holdingSteps(2), 0, 1)), 2);
  assert.is(held, 0);
});

test.run();
