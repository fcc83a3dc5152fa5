import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildGraph, Random } from '../../lib/index.ts';
import { nearestNeighbors, radiusNeighbors } from '../../lib/doors/graph.ts';
import type { Task } from '../../lib/doors/network.ts';
import { runAsync, subtask } from '../../lib/core/task.ts';
import { uniformPoints } from './reference.ts';

const test = suite('task');

/** Busy for about `milliseconds`, in small steps. */
function* busySteps(milliseconds: number): Task<string> {
  const start = performance.now();
  for (;;) {
    const fraction = (performance.now() - start) / milliseconds;
    if (fraction >= 1) return 'done';
    yield fraction;
  }
}

/** The reason for the abort. */
function reasonOf(attempt: Promise<unknown>): Promise<unknown> {
  return attempt.then(
    () => assert.unreachable('was not stopped'),
    (reason: unknown) => reason,
  );
}

test('a task runs to its end, and progress rises to 1', async () => {
  const fractions: number[] = [];
  assert.is(await runAsync(busySteps(300), { progress: (fraction) => fractions.push(fraction) }), 'done');
  assert.ok(fractions.length >= 2, `${fractions}`);
  fractions.forEach((fraction, k) => assert.ok(fraction >= 0 && (k === 0 || fraction >= fractions[k - 1])));
  assert.is(fractions.at(-1), 1);
});

test('timers fire while a task runs', async () => {
  let fired = 0;
  const timer = setInterval(() => fired++, 1);
  await runAsync(busySteps(400), {});
  clearInterval(timer);
  assert.ok(fired >= 2, `${fired}`);
});

test('a signal stops a task with its reason, before it starts and on the way', async () => {
  assert.is(await reasonOf(runAsync(busySteps(1), { signal: AbortSignal.abort('early') })), 'early');
  const late = await reasonOf(runAsync(busySteps(60_000), { signal: AbortSignal.timeout(80) }));
  assert.is((late as Error).name, 'TimeoutError');
});

test('a part of the work reports a part of the progress', () => {
  const steps = [...subtask(steadySteps(), 0.5, 0.7)].map((fraction) => fraction.toFixed(3));
  assert.equal(steps, ['0.500', '0.550', '0.600']);
  const whole = subtask(steadySteps(), 0, 1);
  for (let k = 0; k < 3; k++) whole.next();
  assert.equal(whole.next(), { value: 'end', done: true });
});

function* steadySteps(): Task<string> {
  for (const fraction of [0, 0.25, 0.5]) yield fraction;
  return 'end';
}

test('every search can be stopped', async () => {
  const random = new Random('stop');
  const [flat, tall] = [uniformPoints(random, 60_000, 3), uniformPoints(random, 3000, 300)];
  const stop = async (start: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
    const controller = new AbortController();
    const stopped = start(controller.signal);
    queueMicrotask(() => controller.abort('enough'));
    assert.is(await reasonOf(stopped), 'enough');
  };
  await stop((signal) => nearestNeighbors(flat, { neighbors: 16, signal, method: 'tree' }));
  await stop((signal) => nearestNeighbors(tall, { neighbors: 16, signal, method: 'brute' }));
  await stop((signal) => nearestNeighbors(tall, { neighbors: 16, signal, method: 'descent' }));
  await stop((signal) => radiusNeighbors(flat, 0.05, { signal, method: 'tree' }));
  await stop((signal) => radiusNeighbors(tall, 7, { signal, method: 'brute' }));
  await stop((signal) => buildGraph(flat, { kind: 'knn', signal }));
});

test('progress of every search stays within 0 and 1 and never falls', async () => {
  const points = uniformPoints(new Random('progress'), 1200, 60);
  for (const method of ['brute', 'descent', 'tree'] as const) {
    let last = 0;
    let reported = 0;
    const progress = (fraction: number) => {
      assert.ok(fraction >= last && fraction <= 1, `${method}: ${last} then ${fraction}`);
      last = fraction;
      reported++;
    };
    await nearestNeighbors(points, { neighbors: 10, method, progress });
    assert.is(last, 1);
    assert.ok(reported >= 1);
  }
});

test.run();
