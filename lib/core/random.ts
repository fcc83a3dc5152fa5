/** `Random`: a seeded generator that can be forked by name, so that a new draw in one place does not change another. */

import alea from 'seedrandom/lib/alea.js';
import { badKind, badValue, checkCount } from './check.ts';

/** The seed of a generator. Equal seeds give equal numbers. A number and its decimal text are the same seed. */
export type Seed = number | string;

/** The exact state of a generator, which JSON can hold. */
export interface RandomState {
  readonly seed: string;
  readonly generator: { readonly c: number; readonly s0: number; readonly s1: number; readonly s2: number };
  readonly spare: number | null;
}

/** Random numbers from one seed. `fork` creates independent generators; `state` is the exact position, to continue from. */
export class Random {
  readonly seed: string;
  readonly #generator: ReturnType<typeof alea>;
  /** The second normal of a pair, since the polar method generates two at a time. */
  #spare: number | null;

  /** Starts from a seed, or continues with the same bits from a state that `state()` returned. */
  constructor(start: Seed | RandomState) {
    const state = typeof start === 'object' ? checkState(start) : null;
    this.seed = checkSeed(state ? state.seed : (start as Seed));
    this.#generator = alea(this.seed, { state: state?.generator ?? true });
    this.#spare = state?.spare ?? null;
  }

  /** An independent generator. It depends on the seed and the name alone, not on what was drawn before. */
  fork(name: string): Random {
    return new Random(`${this.seed}/${JSON.stringify(name)}`);
  }

  /** A uniform number in [low, high), with 53 random bits. */
  uniform(low = 0, high = 1): number {
    return low + (high - low) * this.#generator.double();
  }

  /** A standard normal number, by Marsaglia's polar method. */
  normal(): number {
    if (this.#spare !== null) {
      const spare = this.#spare;
      this.#spare = null;
      return spare;
    }
    for (;;) {
      const x = this.uniform(-1, 1);
      const y = this.uniform(-1, 1);
      const s = x * x + y * y;
      if (s < 1 && s > 0) {
        const factor = Math.sqrt((-2 * Math.log(s)) / s);
        this.#spare = y * factor;
        return x * factor;
      }
    }
  }

  /** A uniform whole number in [0, count). */
  integer(count: number): number {
    checkCount('Random.integer', 'count', count, 1);
    return Math.floor(this.#generator.double() * count);
  }

  /** 0 … count − 1 in random order (Fisher-Yates). */
  permutation(count: number): Int32Array {
    checkCount('Random.permutation', 'count', count);
    const order = Int32Array.from({ length: count }, (_, i) => i);
    this.shuffle(order);
    return order;
  }

  /** Shuffles `values` in place. */
  shuffle(values: Int32Array): void {
    for (let i = values.length - 1; i > 0; i--) {
      const j = this.integer(i + 1);
      const swapped = values[i];
      values[i] = values[j];
      values[j] = swapped;
    }
  }

  /** Moves a random sample of `count` values to the front, in place: a partial shuffle. */
  bringToFront(values: Int32Array, count: number): void {
    for (let k = 0; k < count; k++) {
      const other = k + this.integer(values.length - k);
      const swapped = values[k];
      values[k] = values[other];
      values[other] = swapped;
    }
  }

  /** Overwrites `out` with uniform draws. */
  fillUniform(out: Float32Array | Float64Array, low = 0, high = 1): void {
    for (let i = 0; i < out.length; i++) out[i] = this.uniform(low, high);
  }

  /** Overwrites `out` with normal draws. */
  fillNormal(out: Float32Array | Float64Array, mean = 0, deviation = 1): void {
    for (let i = 0; i < out.length; i++) out[i] = mean + deviation * this.normal();
  }

  /** The current state. A generator constructed from it continues with the same bits. */
  state(): RandomState {
    return { seed: this.seed, generator: this.#generator.state(), spare: this.#spare };
  }
}

function checkSeed(seed: Seed): string {
  if (typeof seed === 'string') return seed;
  if (!Number.isFinite(seed)) throw badValue('Random', 'a finite number or a string as seed', seed);
  return String(seed);
}

function checkState(state: RandomState): RandomState {
  if (typeof state?.generator?.c !== 'number')
    throw badKind('Random', 'a seed, or a state that state() returned', state);
  return state;
}
