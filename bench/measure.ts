/** Fair timing of competitors: they alternate in many short rounds, so that other load on the machine affects all alike. */

import { Bench } from 'tinybench';
import { sequentially } from './sequentially.ts';

export type Numbers = ArrayLike<number>;

/** Milliseconds per call, within one round. */
export interface Timing {
  readonly median: number;
  readonly min: number;
}

/** Milliseconds per call, over all rounds. */
export interface Timings {
  /** The median of the quietest round. Ratios are computed from it, because other load can only add to it. */
  readonly time: number;
  /** The median of the medians of all rounds. */
  readonly median: number;
  readonly min: number;
}

export interface Competitor {
  readonly name: string;
  /** Does the work once and returns the result. */
  answer(): Promise<Numbers>;
  /** Repeats the work for about `milliseconds`. */
  time(milliseconds: number, warmUp: boolean): Promise<Timing>;
  /** A number computed from the last result, so that no engine can optimize the work away. */
  checksum(): number;
  /** Frees what the competitor holds outside the JavaScript heap. */
  close?(): void;
}

export interface Pace {
  readonly rounds: number;
  /** For one competitor in one round. A call that takes longer is still made once. */
  readonly milliseconds: number;
}

export interface Race {
  readonly times: Readonly<Record<string, Timings>>;
  /** Competitors that failed or disagreed with the first one, and so were not timed, with the reason. */
  readonly errors: Readonly<Record<string, string>>;
  readonly checksum: number;
}

/** Tolerance relative to the norm. Float32 sums of a few hundred numbers agree much better, in any order. */
const tolerance = 1e-4;

/** A function in this process. `read` returns the result of the last call of `run`; `prepare` runs before each round. */
export function local(
  name: string,
  run: () => void,
  read: () => Numbers,
  prepare?: () => Promise<unknown>,
): Competitor {
  return {
    name,
    async answer() {
      await prepare?.();
      run();
      return read();
    },
    async time(milliseconds, warmUp) {
      await prepare?.();
      const bench = new Bench({
        time: milliseconds,
        iterations: 1,
        warmup: warmUp,
        warmupTime: milliseconds,
        warmupIterations: 1,
        subtractTimerOverhead: true,
        throws: true,
      });
      const [{ result }] = bench.add(name, run, { async: false }).runSync();
      if (result.state !== 'completed') throw new Error(`${name}: the measurement ended as ${result.state}.`);
      return { median: result.latency.p50, min: result.latency.min };
    },
    checksum: () => sumOf(read()),
  };
}

/** Asynchronous work, or work that takes seconds: one call per round, whatever the pace, and no warm-up. */
export function slow(name: string, run: () => Promise<Numbers>): Competitor {
  let last: Numbers = [];
  return {
    name,
    answer: async () => (last = await run()),
    async time() {
      const start = performance.now();
      last = await run();
      const elapsed = performance.now() - start;
      return { median: elapsed, min: elapsed };
    },
    checksum: () => sumOf(last),
  };
}

/** Work that takes minutes: the call that computes the answer is also the timed one. */
export function once<T extends { readonly answer: Numbers }>(
  name: string,
  run: () => Promise<T>,
): Competitor & { result(): T } {
  let done: { result: T; elapsed: number } | null = null;
  const result = (): T => {
    if (!done) throw new Error(`${name}: there is no result before the race.`);
    return done.result;
  };
  return {
    name,
    async answer() {
      const start = performance.now();
      done = { result: await run(), elapsed: performance.now() - start };
      return done.result.answer;
    },
    time: async () => ({ median: done!.elapsed, min: done!.elapsed }),
    checksum: () => sumOf(result().answer),
    result,
  };
}

/**
 * Times the competitors. The answer of the first one is the reference: competitors that disagree are reported and not
 * timed. The bystander is timed in the same rounds, but its answer is not compared.
 */
export async function race(
  competitors: readonly Competitor[],
  pace: Pace,
  bystander: Competitor | null = null,
): Promise<Race> {
  const errors: Record<string, string> = {};
  const racing: Competitor[] = [];
  const [reference] = competitors;
  const expected = Float64Array.from(await reference.answer());
  await sequentially(competitors, async (competitor) => {
    const objection = competitor === reference ? null : await objectionTo(competitor, expected);
    if (objection === null) racing.push(competitor);
    else errors[competitor.name] = objection;
  });
  if (bystander) racing.push(bystander);
  const samples = new Map(racing.map((competitor) => [competitor, [] as Timing[]]));
  const rounds = Array.from({ length: pace.rounds }, (_, round) => round);
  await sequentially(rounds, (round) =>
    sequentially(rotated(racing, round), async (competitor) => {
      samples.get(competitor)!.push(await competitor.time(pace.milliseconds, round === 0));
    }),
  );
  const times = Object.fromEntries([...samples].map(([{ name }, timings]) => [name, summary(timings)]));
  const checksum = racing.reduce((sum, competitor) => sum + competitor.checksum(), 0);
  for (const competitor of [...competitors, bystander]) competitor?.close?.();
  return { times, errors, checksum };
}

/** The order alternates: the first competitor of one round is the last of the next. */
function rotated<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

function summary(timings: readonly Timing[]): Timings {
  const medians = timings.map(({ median }) => median).toSorted((a, b) => a - b);
  const middle = medians.length >> 1;
  const median = medians.length % 2 === 1 ? medians[middle] : (medians[middle - 1] + medians[middle]) / 2;
  return { time: medians[0], median, min: Math.min(...timings.map(({ min }) => min)) };
}

/** The reason why a competitor cannot be timed (it fails or computes a different result), or null. */
async function objectionTo(competitor: Competitor, expected: Numbers): Promise<string | null> {
  try {
    const difference = relativeDifference(await competitor.answer(), expected);
    return difference <= tolerance ? null : `differs by ${difference.toPrecision(2)}`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** ‖a − b‖/‖b‖. Infinite if lengths differ or a value is NaN. */
function relativeDifference(a: Numbers, b: Numbers): number {
  if (a.length !== b.length) return Infinity;
  let difference = 0;
  let norm = 0;
  for (let i = 0; i < b.length; i++) {
    difference += (a[i] - b[i]) ** 2;
    norm += b[i] ** 2;
  }
  const relative = Math.sqrt(difference / (norm || 1));
  return Number.isNaN(relative) ? Infinity : relative;
}

function sumOf(numbers: Numbers): number {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sum += numbers[i];
  return sum;
}
