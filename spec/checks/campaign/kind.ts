/** The interface of a kind of tries: a seeded input, a call, and a judgment of its result. */

import type { Random } from '../../../lib/index.ts';
import type { Reader } from './reader.ts';

/**
 * `accepted`: and compared with the independent reader, if there is one. `unread`: accepted here, and refused by that reader.
 * `unchecked`: accepted, and of a sort that it does not know. `aborted`: stopped by the signal of the try, in time.
 */
export type Outcome = 'accepted' | 'refused' | 'aborted' | 'unread' | 'unchecked';

/** An accepted input whose result is wrong. */
export class Misread extends Error {}

/** One kind of input. A try depends on its generator alone, so that it can be repeated by seed and index. */
export interface Kind {
  attempt(random: Random, index: number): Promise<Outcome>;
  /** What else was counted, by name. */
  readonly counts?: Readonly<Record<string, number>>;
  close?(): Promise<void>;
}

/** What the tries of a kind share. */
export interface Means {
  /** The independent reader; null where Python, NumPy or SciPy is missing. */
  readonly reader: Reader | null;
  /** A folder for files, in memory where the system has one. */
  readonly folder: string;
}

const ownWords = /^[\w.-]+: (expected .+, got .*|unknown option '.*'; (did you mean|known (is|are)) .*)$/s;

/** Whether the library made this error: of the right class, and with the caller, the rule and the value. */
export function isOwnError(error: unknown): boolean {
  return (error instanceof RangeError || error instanceof TypeError) && ownWords.test(error.message);
}

/** The result of a call, or null if the library refused in its own words. Other errors pass. */
export async function attempted<T>(call: () => T | Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    if (isOwnError(error)) return null;
    throw error;
  }
}

/** One of the choices. */
export function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[random.integer(choices.length)];
}

/** Requires the same bits; NaN equals NaN. */
export function requireSame(got: ArrayLike<number>, expected: ArrayLike<number>, what: string): void {
  if (got.length !== expected.length) throw new Misread(`${what}: ${got.length} numbers instead of ${expected.length}`);
  for (let i = 0; i < got.length; i++) {
    if (!Object.is(got[i], expected[i])) throw new Misread(`${what}: ${got[i]} instead of ${expected[i]} at ${i}`);
  }
}
