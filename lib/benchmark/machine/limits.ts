/** `measureMachine`: the bandwidth of each level of memory and the peak rate of arithmetic, measured by small programs. */

import { badKind, badValue, checkCount } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { type ProgressOptions, progressRules, runAsync, subtask, type Task } from '../../core/task.ts';
import { precisions, type Precision } from '../../tensor/tensor.ts';
import { Loans } from '../../wasm/loans.ts';
import { checkThreads, setThreads } from '../../wasm/set-threads.ts';
import { simdStatus } from '../../wasm/simd.ts';
import { type Clock, shortestSample, timeCallsSteps } from '../timing.ts';
import { limitKernels, resultLength } from './limit-kernels.ts';
import { defaultThreads, startThreads, threadsInUse } from './threads.ts';
import { lineBytes, peakConstants } from './programs.ts';

/** The rate with one thread, and with all threads. */
export interface Rates {
  readonly one: number;
  readonly all: number;
}

/** The limits of a machine. A rate is the best of several samples. */
export interface MachineLimits {
  /** Whether SIMD programs or plain loops were measured. */
  readonly programs: 'simd' | 'plain';
  /** How many threads `all` means. */
  readonly threads: number;
  /** Multiplications and additions in registers, in GFLOP/s. */
  readonly peak: Readonly<Record<Precision, Rates>>;
  /** Reading working sets of these bytes again and again, in GB/s, the smallest set first. */
  readonly bandwidth: readonly (Rates & { readonly bytes: number })[];
}

/** How the limits are measured. */
export interface MachineOptions extends ProgressOptions {
  /** Default: as `setThreads` said, else one per processor, at most 8. */
  readonly threads?: number | undefined;
  /** Milliseconds for each figure. Default: 60. */
  readonly budget?: number | undefined;
  /** The shortest sample, in milliseconds: 50 times the step of the clock or more. Default: 0.2. */
  readonly sample?: number | undefined;
  /** The largest working set, in bytes. Default: 256 MiB. */
  readonly largest?: number | undefined;
}

const machineRules = {
  ...progressRules,
  threads: 'number',
  budget: 'number',
  sample: 'number',
  largest: 'number',
} as const satisfies Rules<MachineOptions>;

const defaults = { budget: 60, largest: 2 ** 28 };

/** Working sets grow by this factor, from 16 KiB on. */
const growth = 4;
const smallest = 2 ** 14;
/** A call reads at least this many bytes, so that its cost does not count. */
const leastBytes = 2 ** 24;
const peakIterations = 8192;

/** Measures the limits. `now`: a clock in milliseconds. */
export async function measureMachine(now: Clock, options: MachineOptions = {}): Promise<MachineLimits> {
  const caller = 'measureMachine';
  checkClock(caller, now);
  checkOptions(caller, options, machineRules);
  return runAsync(measureMachineSteps(caller, now, options), options);
}

export function checkClock(caller: string, now: Clock): void {
  if (typeof now !== 'function') throw badKind(caller, 'a clock: a function that returns milliseconds', now);
}

/** Refuses a budget, or what `name` says, that is no time. */
export function checkBudget(caller: string, budget: number, name = 'budget'): void {
  if (!(budget > 0 && budget < Infinity)) throw badValue(caller, `${name} to be milliseconds above 0`, budget);
}

/** `measureMachine` as a task. */
export function* measureMachineSteps(
  caller: string,
  now: Clock,
  {
    threads = defaultThreads(),
    budget = defaults.budget,
    sample = shortestSample,
    largest = defaults.largest,
  }: MachineOptions,
): Task<MachineLimits> {
  checkThreads(caller, 'threads', threads);
  checkBudget(caller, budget);
  checkBudget(caller, sample, 'sample');
  checkCount(caller, 'largest', largest, smallest);
  const sets: number[] = [];
  for (let bytes = smallest; bytes <= largest; bytes *= growth) sets.push(bytes);
  const before = threadsInUse();
  const pace = { now, budget, sample };
  try {
    const one = yield* subtask(measureWithSteps(1, sets, pace), 0, threads > 1 ? 0.5 : 1);
    const all = threads > 1 ? yield* subtask(measureWithSteps(threads, sets, pace), 0.5, 1) : one;
    const ratesOf = (precision: Precision): Rates => ({ one: one.peak[precision], all: all.peak[precision] });
    return {
      programs: simdStatus().enabled ? 'simd' : 'plain',
      threads: all.threads,
      peak: { single: ratesOf('single'), double: ratesOf('double') },
      bandwidth: sets.map((bytes, k) => ({ bytes, one: one.bandwidth[k], all: all.bandwidth[k] })),
    };
  } finally {
    setThreads(before);
  }
}

/** The clock, the milliseconds for each figure, and those of the shortest sample. */
interface Pace {
  readonly now: Clock;
  readonly budget: number;
  readonly sample: number;
}

interface Limits {
  readonly threads: number;
  readonly peak: Readonly<Record<Precision, number>>;
  readonly bandwidth: readonly number[];
}

function* measureWithSteps(threads: number, sets: readonly number[], pace: Pace): Task<Limits> {
  startThreads(threads, pace.now);
  const { readMemory, computePeak } = limitKernels();
  const loans = new Loans();
  const steps = sets.length + precisions.length;
  try {
    const out = loans.float32(resultLength);
    const peak = { single: 0, double: 0 };
    for (const [k, precision] of precisions.entries()) {
      const constants =
        precision === 'single' ? loans.float32(peakConstants.length) : loans.float64(peakConstants.length);
      constants.set(peakConstants);
      peak[precision] = yield* subtask(
        rateOfSteps(() => computePeak(peakIterations, constants, out), pace),
        k / steps,
        (k + 1) / steps,
      );
    }
    const array = loans.float32(sets.at(-1)! / 4).fill(1);
    const bandwidth: number[] = [];
    for (const [k, bytes] of sets.entries()) {
      const passes = Math.ceil(leastBytes / bytes);
      // Whole lines for every thread.
      const length = (Math.floor(bytes / lineBytes / threads) * threads * lineBytes) / 4;
      const read = rateOfSteps(() => readMemory(passes, length, array, out), pace);
      bandwidth.push(yield* subtask(read, (k + 2) / steps, (k + 3) / steps));
    }
    return { threads: threadsInUse(), peak, bandwidth };
  } finally {
    loans.giveBackAll();
  }
}

/** The amount of work per nanosecond: billions a second. The fastest sample counts. */
function* rateOfSteps(run: () => number, { now, budget, sample }: Pace): Task<number> {
  let amount = 0;
  const { least } = yield* timeCallsSteps(() => (amount = run()), now, budget, sample);
  return amount / least / 1e6;
}
