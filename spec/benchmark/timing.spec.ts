/** Times are medians and quartiles of samples within a budget, read from the clock that was passed. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { paceOf, quantile, timeCallsSteps } from '../../lib/benchmark/timing.ts';
import { runSync } from '../../lib/core/task.ts';

const test = suite('timing');

/** A clock that advances only while calls run, by the next of these durations, again and again. */
function simulate(durations: readonly number[], budget: number) {
  let [time, calls] = [0, 0];
  const run = (): void => void (time += durations[calls++ % durations.length]);
  return {
    timing: runSync(
      timeCallsSteps(
        run,
        paceOf('spec', () => time, { budget }),
      ),
    ),
    calls: () => calls,
  };
}

test('constant calls: every figure is the time of a call', () => {
  const { timing, calls } = simulate([2], 50);
  assert.equal(timing, { median: 2, lower: 2, upper: 2, least: 2, samples: 25, calls: 1 });
  assert.is(calls(), 27, 'one call is not counted, and one finds out how long a call takes');
});

test('quartiles of calls that alternate', () => {
  const { timing } = simulate([1, 2, 3, 4, 5], 150);
  assert.is(timing.samples, 50);
  assert.equal([timing.least, timing.lower, timing.median, timing.upper], [1, 2, 3, 4]);
});

test('calls that are too short for the clock are timed several at a time', () => {
  const { timing } = simulate([0.001], 1);
  assert.is(timing.calls, 256);
  assert.ok(Math.abs(timing.median - 0.001) < 1e-12);
  assert.is(timing.samples, 5, 'so few that the budget is exceeded');
});

test('a pause while the calls of a sample are counted does not make all samples too short', () => {
  let [time, calls] = [0, 0];
  // The first call is not counted, and the program is paused during the second.
  const run = (): void => void (time += ++calls === 2 ? 300 : 0.001);
  const timing = runSync(
    timeCallsSteps(
      run,
      paceOf('spec', () => time, { budget: 1 }),
    ),
  );
  assert.is(timing.calls, 128);
  assert.ok(Math.abs(timing.median - 0.001) < 1e-12 && Math.abs(timing.least - 0.001) < 1e-12);
});

test('samples can be longer, for clocks of coarse steps', () => {
  let time = 0;
  const coarse = (): number => Math.floor(time / 0.1) * 0.1;
  const timing = runSync(timeCallsSteps(() => void (time += 0.013), { now: coarse, budget: 25, sample: 5 }));
  assert.ok(timing.calls >= 5 / 0.013 && Math.abs(timing.median / 0.013 - 1) < 0.02, JSON.stringify(timing));
});

test('long calls: five samples unless they take three budgets, and at least one', () => {
  assert.is(simulate([20], 50).timing.samples, 5);
  assert.is(simulate([40], 50).timing.samples, 4);
  assert.is(simulate([1000], 50).timing.samples, 1);
});

test('a clock that stands still is refused', () => {
  assert.throws(
    () => runSync(timeCallsSteps(() => {}, paceOf('spec', () => 7, {}))), // oxfmt-ignore
    /^timeCallsSteps: expected a clock that advances, got none after 1048576 calls\.$/,
  );
});

test('quantiles lie between the sorted numbers', () => {
  assert.equal(
    [0, 0.25, 0.5, 1].map((fraction) => quantile([1, 2, 4, 8], fraction)),
    [1, 1.75, 3, 8],
  );
  assert.is(quantile([5], 0.75), 5);
});

test.run();
