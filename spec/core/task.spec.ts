import { getEventListeners } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { awaited, runAsync, runSync, subtask, type Task, type WaitingTask } from '../../lib/core/task.ts';
import { rejects } from '../rejects.ts';

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

/** Waits for a promise, and counts in `held` whether it still runs. */
function* waitingSteps<T>(promise: Promise<T>, held: { count: number }): WaitingTask<T> {
  held.count++;
  try {
    yield 0.25;
    const value = yield* subtask(awaited(promise), 0.25, 0.75);
    yield 0.75;
    return value;
  } finally {
    held.count--;
  }
}

const later = <T>(value: T): Promise<T> => new Promise((resolve) => setTimeout(() => resolve(value), 20));

test('a task waits for a promise and goes on with its value, also as a subtask', async () => {
  const held = { count: 0 };
  const { signal } = new AbortController();
  const fractions: number[] = [];
  const options = { signal, progress: (fraction: number) => fractions.push(fraction) };
  assert.is(await runAsync(subtask(waitingSteps(later('loaded'), held), 0, 1), options), 'loaded');
  assert.equal([held.count, fractions.at(-1)], [0, 1]);
  assert.is(getEventListeners(signal, 'abort').length, 0, 'nothing listens any more');
  const part = subtask(waitingSteps(later(1), held), 0, 0.4);
  assert.is(part.next().value, 0.1);
  assert.instance(part.next().value, Promise);
});

test('an abort ends a task that waits, before the wait and during it', async () => {
  const held = { count: 0 };
  const never = new Promise<never>(() => {});
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('enough')), 20);
  await rejects(() => runAsync(waitingSteps(never, held), { signal: controller.signal }), /^enough$/);
  assert.equal([held.count, getEventListeners(controller.signal, 'abort').length], [0, 0]);
  const own = new AbortController();
  function* abortsItselfSteps(): WaitingTask<void> {
    own.abort(new Error('early'));
    yield* waitingSteps(never, held);
  }
  await rejects(() => runAsync(abortsItselfSteps(), { signal: own.signal }), /^early$/);
  assert.is(held.count, 0);
});

test('a promise that is rejected throws its reason into the task, and rejects that of the run', async () => {
  const held = { count: 0 };
  const failed = (): Promise<number> => later(0).then(() => Promise.reject(new Error('no such file')));
  await rejects(() => runAsync(subtask(waitingSteps(failed(), held), 0, 1), {}), /^no such file$/);
  assert.is(held.count, 0);
  function* carefulSteps(): WaitingTask<string> {
    try {
      yield* waitingSteps(failed(), held);
      return 'loaded';
    } catch (error) {
      return (error as Error).message;
    }
  }
  assert.is(await runAsync(carefulSteps(), {}), 'no such file');
});

test('a task that waits cannot run synchronously', () => {
  const task = subtask(waitingSteps(later(1), { count: 0 }), 0, 1);
  // @ts-expect-error -- the compiler refuses it too
  assert.throws(() => runSync(task), /^awaited: expected runAsync to run a task that waits, got runSync\.$/);
});

test.run();
