/** When has Lanczos found all that was asked for? When nothing beyond is left in the complement of what it found. */

import { badValue } from '../core/check.ts';
import type { Random } from '../core/random.ts';
import type { Floats } from '../kernels/types.ts';
import { dot, dotRows, subtractRows } from './lanczos-basis.ts';
import type { KrylovBasis, RitzPairs } from './lanczos-krylov.ts';
import type { CountedOperator } from './lanczos-operator.ts';

export interface LanczosProgress {
  /** Products so far. */
  readonly products: number;
  readonly restarts: number;
  /** 0 while the wanted pairs converge, then 1, 2, … in the searches for what was missed. */
  readonly round: number;
  /** How many of the wanted pairs are within the tolerance for now: another that turns up among them sets it back. */
  readonly converged: number;
  /** ‖Ax − λx‖ of the wanted pairs, as estimated. */
  readonly residuals: Float64Array;
}

export interface SearchSettings {
  readonly count: number;
  readonly sign: 1 | -1;
  readonly tolerance: number;
  readonly basis: number;
  readonly productLimit: number;
  readonly random: Random;
  readonly start: Floats | undefined;
  readonly verify: boolean;
  readonly progress: ((state: LanczosProgress) => void) | undefined;
}

/** In the units of A. */
export interface EigenPair {
  readonly value: number;
  /** ‖Ax − λx‖. */
  readonly residual: number;
  readonly vector: Float64Array;
}

export interface FoundPairs {
  /** From the asked end on. */
  readonly pairs: EigenPair[];
  /** Whether the search came to its end before the products did. */
  readonly complete: boolean;
  /** The largest ‖Ax‖ and |xᵀAx| met for unit vectors x. */
  readonly norm: number;
  readonly restarts: number;
}

/** A pair is locked when its estimate is below this share of the tolerance: the residual computed at the end has room. */
const margin = 0.5;
/** The share of the basis beyond the wanted vectors that a restart keeps: half takes as many products and more time. */
const keptShare = 0.3;
/**
 * A search ends when the largest value of the complement lies below the last wanted one by this many of its residuals.
 * An eigenvalue beyond would by then stand out unless the random start had a share of it as small as one in this many.
 */
const confidence = 1e3;

/**
 * The first round runs until the wanted pairs have converged. A Krylov space holds but one vector of a multiple
 * eigenvalue, and none that the start lacks, so those pairs are locked and a search of their complement begins from a
 * random vector, where the next copy is as visible as any other; again until a search comes back with nothing.
 */
export function searchPairs(operator: CountedOperator, krylov: KrylovBasis, settings: SearchSettings): FoundPairs {
  operator.measure(settings.sign, settings.random.fork('symmetry'));
  if (!krylov.begin(settings.start)) {
    throw badValue('lanczos', 'start to be independent of the deflated columns', 'a vector in their span, or zero');
  }
  const deflated = krylov.fixed;
  const search = new Search(operator, krylov, settings);
  let complete = search.findWanted();
  if (settings.verify) {
    while (complete && krylov.limit > 0) {
      const before = krylov.fixed;
      krylov.begin();
      complete = search.findMissed();
      if (krylov.fixed === before) break;
    }
  }
  const pairs = search.wanted().map(({ row }) => measurePair(operator, krylov.blocks, deflated, krylov.row(row)));
  pairs.sort((a, b) => settings.sign * (b.value - a.value));
  return { pairs, complete, norm: operator.norm * Math.abs(operator.unit), restarts: search.restarts };
}

/** A locked pair: its Ritz value, estimated residual, and row. */
interface Locked {
  readonly value: number;
  readonly residual: number;
  readonly row: number;
}

class Search {
  restarts = 0;
  readonly #operator: CountedOperator;
  readonly #krylov: KrylovBasis;
  readonly #settings: SearchSettings;
  /** Products that may be used before those for the residuals. */
  readonly #limit: number;
  readonly #locked: Locked[] = [];
  #round = 0;

  constructor(operator: CountedOperator, krylov: KrylovBasis, settings: SearchSettings) {
    this.#operator = operator;
    this.#krylov = krylov;
    this.#settings = settings;
    this.#limit = settings.productLimit - settings.count;
  }

  /** Locks the wanted pairs, converged or, with false, as far as the products allowed. */
  findWanted(): boolean {
    const { count } = this.#settings;
    for (;;) {
      const pairs = this.#krylov.expand(this.#limit);
      this.#report(pairs.residuals.subarray(0, count));
      const converged = this.#countConverged(pairs, count) === count;
      if (converged || this.#isExhausted()) {
        this.#restart(pairs, count, count);
        return converged;
      }
      this.#restart(pairs, this.#keep(count), 0);
    }
  }

  /**
   * Looks for pairs beyond the last wanted one and locks them. Ends when none is left in sight: if some were locked, for
   * another search to begin; if none were, once it is clear. False if the products ran out before that.
   */
  findMissed(): boolean {
    this.#round++;
    for (let found = false; ;) {
      const pairs = this.#krylov.expand(this.#limit);
      const wanted = this.wanted();
      this.#report(Float64Array.from(wanted, ({ residual }) => residual));
      const last = wanted[wanted.length - 1].value;
      const slack = this.#settings.tolerance * this.#operator.norm;
      let beyond = 0;
      while (beyond < pairs.values.length && pairs.values[beyond] > last + slack) beyond++;
      if (beyond === 0 && (found || this.#isClear(pairs, last))) return true;
      const locked = this.#countConverged(pairs, beyond);
      found ||= locked > 0;
      if (locked > 0 && locked === beyond) {
        this.#restart(pairs, locked, locked);
        return true;
      }
      if (this.#isExhausted()) return false;
      this.#restart(pairs, Math.max(this.#keep(1), locked), locked);
    }
  }

  /** The `count` outermost of the locked pairs. */
  wanted(): Locked[] {
    return this.#locked.toSorted((a, b) => b.value - a.value).slice(0, this.#settings.count);
  }

  /** Of the leading `count` pairs, how many at their head have converged? */
  #countConverged(pairs: RitzPairs, count: number): number {
    const limit = margin * this.#settings.tolerance * this.#operator.norm;
    let converged = 0;
    while (converged < count && pairs.residuals[converged] <= limit) converged++;
    return converged;
  }

  /** Nothing of the complement reaches `last`: its largest pair has converged, or is known well enough. */
  #isClear(pairs: RitzPairs, last: number): boolean {
    return this.#countConverged(pairs, 1) === 1 || pairs.values[0] + confidence * pairs.residuals[0] < last;
  }

  #keep(wanted: number): number {
    const { limit } = this.#krylov;
    return Math.min(limit - 1, wanted + Math.floor(keptShare * (limit - wanted)));
  }

  #restart(pairs: RitzPairs, kept: number, locked: number): void {
    const first = this.#krylov.fixed;
    this.#krylov.restart(pairs, kept, locked);
    for (let i = 0; i < locked; i++) {
      this.#locked.push({ value: pairs.values[i], residual: pairs.residuals[i], row: first + i });
    }
    this.restarts++;
  }

  #isExhausted(): boolean {
    return this.#operator.products >= this.#limit;
  }

  #report(estimates: Float64Array): void {
    const { unit, norm, products } = this.#operator;
    const { tolerance, progress } = this.#settings;
    progress?.({
      products,
      restarts: this.restarts,
      round: this.#round,
      converged: estimates.filter((residual) => residual <= tolerance * norm).length,
      residuals: estimates.map((residual) => residual * Math.abs(unit)),
    });
  }
}

/** Rayleigh quotient and residual of a unit vector, from one more product; the first rows, `deflated` of them, are taken out of it. */
function measurePair(
  operator: CountedOperator,
  blocks: readonly Float64Array[],
  deflated: number,
  vector: Float64Array,
): EigenPair {
  const { size, unit } = operator;
  const product = new Float64Array(size);
  const outside = new Float64Array(deflated);
  operator.apply(vector, product);
  dotRows(size, deflated, blocks, product, outside);
  subtractRows(size, 0, deflated, blocks, outside, product);
  const value = dot(size, vector, product);
  for (let i = 0; i < size; i++) product[i] -= value * vector[i];
  const residual = Math.sqrt(dot(size, product, product));
  return { value: value * unit + 0, residual: residual * Math.abs(unit), vector };
}
