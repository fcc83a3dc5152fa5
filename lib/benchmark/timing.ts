/** The time of a call: median and quartiles of samples, within a budget. */

import { badKind, badValue } from '../core/check.ts';
import type { Rules } from '../core/options.ts';
import { type ProgressOptions, progressRules, type Task } from '../core/task.ts';

/** A clock in milliseconds. */
export type Clock = () => number;

/** Milliseconds per call. */
export interface Timing {
  readonly median: number;
  /** The quartiles: a quarter of the samples is below the lower one, and a quarter above the upper one. */
  readonly lower: number;
  readonly upper: number;
  readonly least: number;
  readonly samples: number;
  /** The calls of a sample. */
  readonly calls: number;
}

/** How long each figure is measured. */
export interface TimingOptions extends ProgressOptions {
  /** Milliseconds for each figure. Default: 50. */
  readonly budget?: number | undefined;
  /** The shortest sample, in milliseconds: 50 times the step of the clock or more. Default: 0.2; on a graphics card 5. */
  readonly sample?: number | undefined;
}

export const timingRules = {
  ...progressRules,
  budget: 'number',
  sample: 'number',
} as const satisfies Rules<TimingOptions>;

/** The clock, the milliseconds for each figure, and those of the shortest sample. */
export interface Pace {
  readonly now: Clock;
  readonly budget: number;
  readonly sample: number;
}

export const defaultBudget = 50;
/** Default of the shortest sample, in milliseconds. Shorter calls are timed several at a time. */
const shortestSample = 0.2;
/** The smallest number of samples, if they take no longer than `mostBudgets` budgets. */
const wantedSamples = 5;
const mostBudgets = 3;
/** If the clock does not advance within this many calls, it does not work. */
const mostCalls = 2 ** 20;

/** The pace of these options. Refuses what is no clock and no time. */
export function paceOf(caller: string, now: Clock, options: TimingOptions, shortest = shortestSample): Pace {
  const { budget = defaultBudget, sample = shortest } = options;
  if (typeof now !== 'function') throw badKind(caller, 'a clock: a function that returns milliseconds', now);
  for (const [name, time] of Object.entries({ budget, sample })) {
    if (!(time > 0 && time < Infinity)) throw badValue(caller, `${name} to be milliseconds above 0`, time);
  }
  return { now, budget, sample };
}

/** Times calls of `run` for about `budget` milliseconds, after one call that is not counted. */
export function* timeCallsSteps(run: () => void, { now, budget, sample }: Pace): Task<Timing> {
  run();
  yield 0;
  let calls = callsOfSample(run, now, sample);
  const samples: number[] = [];
  for (let spent = 0; !isEnough(spent, samples.length, budget);) {
    const start = now();
    for (let call = 0; call < calls; call++) run();
    const passed = now() - start;
    if (isTooShort(passed, calls, sample)) {
      calls *= 2;
      continue;
    }
    samples.push(passed / calls);
    spent += passed;
    yield Math.min(1, spent / budget);
  }
  return summarize(samples, calls);
}

/** Whether a sample is much shorter than it should be: a pause of the program has made the calls before it look long. */
export function isTooShort(passed: number, calls: number, shortest: number): boolean {
  return passed < shortest / 2 && calls < mostCalls;
}

/** Median and quartiles of samples, each of which is the mean time of `calls` calls. */
export function summarize(samples: readonly number[], calls: number): Timing {
  const sorted = samples.toSorted((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    lower: quantile(sorted, 0.25),
    upper: quantile(sorted, 0.75),
    least: sorted[0],
    samples: sorted.length,
    calls,
  };
}

/** Whether the samples suffice, given the milliseconds that they took. */
export function isEnough(spent: number, samples: number, budget: number): boolean {
  return samples > 0 && (spent >= mostBudgets * budget || (spent >= budget && samples >= wantedSamples));
}

/** As many calls, a power of two, as take long enough for the clock. */
function callsOfSample(run: () => void, now: Clock, shortest: number): number {
  for (let calls = 1; calls <= mostCalls; calls *= 2) {
    const start = now();
    for (let call = 0; call < calls; call++) run();
    if (now() - start >= shortest) return calls;
  }
  throw badValue('timeCallsSteps', 'a clock that advances', `none after ${mostCalls} calls`);
}

/** Between two of the sorted numbers, linearly. */
export function quantile(sorted: readonly number[], fraction: number): number {
  const place = fraction * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}
