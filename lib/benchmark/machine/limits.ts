/** `measureMachine`: the bandwidth of each level of memory and the peak rate of arithmetic, measured by small programs. */

import { checkCount } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { runAsync, subtask, type Task } from '../../core/task.ts';
import { precisions, type Precision } from '../../tensor/tensor.ts';
import { Loans } from '../../wasm/loans.ts';
import { checkThreads, setThreads } from '../../wasm/set-threads.ts';
import { simdStatus } from '../../wasm/simd.ts';
import { type Clock, type Pace, paceOf, timeCallsSteps, type TimingOptions, timingRules } from '../timing.ts';
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
export interface MachineOptions extends TimingOptions {
  /** Default: as `setThreads` said, else one per processor, at most 8. */
  readonly threads?: number | undefined;
  /** The largest working set, in bytes. Default: 256 MiB. */
  readonly largest?: number | undefined;
}

const machineRules = {
  ...timingRules,
  threads: 'number',
  largest: 'number',
} as const satisfies Rules<MachineOptions>;

const defaultLargest = 2 ** 28;

/** Working sets grow by this factor, from 16 KiB on. */
const growth = 4;
const smallest = 2 ** 14;
/** A call reads at least this many bytes, so that its cost does not count. */
const leastBytes = 2 ** 24;
const peakIterations = 8192;

/** Measures the limits. `now`: a clock in milliseconds. */
export async function measureMachine(now: Clock, options: MachineOptions = {}): Promise<MachineLimits> {
  const caller = 'measureMachine';
  checkOptions(caller, options, machineRules);
  return runAsync(measureMachineSteps(caller, now, options), options);
}

/** `measureMachine` as a task. */
export function* measureMachineSteps(caller: string, now: Clock, options: MachineOptions): Task<MachineLimits> {
  const { threads = defaultThreads(), largest = defaultLargest } = options;
  const pace = paceOf(caller, now, options);
  checkThreads(caller, 'threads', threads);
  checkCount(caller, 'largest', largest, smallest);
  const sets: number[] = [];
  for (let bytes = smallest; bytes <= largest; bytes *= growth) sets.push(bytes);
  const before = threadsInUse();
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

/** The amount of work per nanosecond: billions a second. The fastest sample counts, of two halves of the budget: the first may be one sample that was interrupted. */
function* rateOfSteps(run: () => number, pace: Pace): Task<number> {
  let amount = 0;
  const half = { ...pace, budget: pace.budget / 2 };
  const first = yield* subtask(timeCallsSteps(() => (amount = run()), half), 0, 0.5); // oxfmt-ignore
  const second = yield* subtask(timeCallsSteps(() => (amount = run()), half), 0.5, 1); // oxfmt-ignore
  return amount / Math.min(first.least, second.least) / 1e6;
}
