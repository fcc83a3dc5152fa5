/** When has Lanczos found all that was asked for? When nothing beyond is left in the complement of what it found. */

import { badValue } from '../core/check.ts';
import type { Work } from '../core/pace.ts';
import type { Random } from '../core/random.ts';
import type { Floats } from '../kernels/types.ts';
import { vectorKernels } from '../wasm/vectors.ts';
import type { KrylovBasis, RitzPairs } from './lanczos-krylov.ts';
import type { CountedOperator } from './lanczos-operator.ts';
import { largestMagnitude } from './matrix.ts';

/** How far a search for eigenpairs has come. */
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
/** A search ends when an eigenvalue beyond could only have been missed if the random start had so small a share of it. */
const share = 1e-3;
/** A pair next to the wanted ones is known well enough if its residual is at most this part of its distance from them. */
const known = 0.1;
/** So many of the basis's vectors may be set aside: the others are needed to search. */
const asideShare = 0.3;

/**
 * The first round runs until the wanted pairs have converged. A Krylov space holds but one vector of a multiple
 * eigenvalue, and none that the start lacks, so those pairs are locked and a search of their complement begins from a
 * random vector, where the next copy is as visible as any other; again until a search comes back with nothing.
 */
export function* searchPairs(
  operator: CountedOperator,
  krylov: KrylovBasis,
  settings: SearchSettings,
): Work<FoundPairs> {
  const free = [3, 2, 1, 0].map((i) => krylov.row(krylov.fixed + i));
  operator.measure(settings.sign, settings.random.fork('symmetry'), free);
  if (!krylov.begin(settings.start)) {
    throw badValue('lanczos', 'start to be independent of the deflated columns', 'a vector in their span, or zero');
  }
  const deflated = krylov.fixed;
  const search = new Search(operator, krylov, settings);
  let complete = yield* search.findWanted();
  if (settings.verify && !(complete && (yield* search.seesNothingBeyond()))) {
    while (complete && krylov.limit > 0) {
      const before = krylov.fixed;
      krylov.begin();
      complete = yield* search.findMissed();
      if (krylov.fixed === before) break;
    }
  }
  const pairs = search.wanted().map(({ row }) => measurePair(operator, krylov, deflated, row));
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
  /** By how much less the pairs set aside let a value beyond the wanted ones appear. */
  #deficit = 0;

  constructor(operator: CountedOperator, krylov: KrylovBasis, settings: SearchSettings) {
    this.#operator = operator;
    this.#krylov = krylov;
    this.#settings = settings;
    this.#limit = settings.productLimit - settings.count;
  }

  /** Locks the wanted pairs, converged or, with false, as far as the products allowed. */
  *findWanted(): Work<boolean> {
    const { count } = this.#settings;
    const pace = new Decline();
    for (let steps = Infinity; ;) {
      const pairs = this.#krylov.expand(this.#limit, steps);
      yield this.#fraction;
      const converged = this.#countConverged(pairs, count) === count;
      if (converged || this.#isExhausted() || this.#krylov.isFull) this.#report(pairs.residuals.subarray(0, count));
      if (converged || this.#isExhausted()) {
        const aside = converged ? this.#chooseAside(pairs) : 0;
        this.#restart(pairs, count + aside, count);
        return converged;
      }
      steps = pace.stepsLeft(
        this.#operator.products,
        largestMagnitude(pairs.residuals.subarray(0, count)),
        this.#target,
      );
      if (this.#krylov.isFull) this.#restart(pairs, this.#keep(count), 0);
    }
  }

  /**
   * A quick search that comes first: the pairs next to the wanted ones, as far as they are known, are taken out of the
   * complement as well, and what is left of it lies far below. False if something might be there, or is not seen clearly.
   */
  *seesNothingBeyond(): Work<boolean> {
    const aside = this.#krylov.setAside();
    if (aside > 0) this.#round++;
    this.#krylov.begin();
    const dropped: number[] = [];
    const wanted = this.wanted();
    const bar = wanted[wanted.length - 1].value - this.#deficit;
    const steps = Math.ceil(this.#krylov.limit / 2);
    let clear = false;
    for (let done = aside === 0; !done;) {
      const pairs = this.#krylov.expand(this.#limit, steps);
      yield this.#fraction;
      const inSight = pairs.values[0] >= bar;
      clear = !inSight && this.#isClear(pairs, dropped, bar);
      done = inSight || clear || this.#isExhausted();
      if (done || this.#krylov.isFull) this.#report(Float64Array.from(wanted, ({ residual }) => residual));
      if (done || !this.#krylov.isFull) continue;
      const kept = this.#keep(1);
      dropped.push(...pairs.values.subarray(kept));
      this.#restart(pairs, kept, 0);
    }
    this.#krylov.takeBack();
    return clear;
  }

  /**
   * Looks for pairs beyond the last wanted one and locks them. Ends when none is left in sight: if some were locked, for
   * another search to begin; if none were, once it is clear. False if the products ran out before that.
   */
  *findMissed(): Work<boolean> {
    this.#round++;
    const dropped: number[] = [];
    for (let found = false; ;) {
      const pairs = this.#krylov.expand(this.#limit, Infinity);
      yield this.#fraction;
      const wanted = this.wanted();
      this.#report(Float64Array.from(wanted, ({ residual }) => residual));
      const last = wanted[wanted.length - 1].value;
      const slack = this.#settings.tolerance * this.#operator.norm;
      let beyond = 0;
      while (beyond < pairs.values.length && pairs.values[beyond] > last + slack) beyond++;
      if (beyond === 0 && (found || this.#isClear(pairs, dropped, last))) return true;
      const locked = this.#countConverged(pairs, beyond);
      found ||= locked > 0;
      if (locked > 0 && locked === beyond) {
        this.#restart(pairs, locked, locked);
        return true;
      }
      if (this.#isExhausted()) return false;
      const kept = Math.max(this.#keep(1), locked);
      dropped.push(...pairs.values.subarray(kept));
      this.#restart(pairs, kept, locked);
    }
  }

  /** The `count` outermost of the locked pairs. */
  wanted(): Locked[] {
    return this.#locked.toSorted((a, b) => b.value - a.value).slice(0, this.#settings.count);
  }

  /** Of the leading `count` pairs, how many at their head have converged? */
  #countConverged(pairs: RitzPairs, count: number): number {
    let converged = 0;
    while (converged < count && pairs.residuals[converged] <= this.#target) converged++;
    return converged;
  }

  /**
   * How many of the pairs after the wanted ones are known well enough to be set aside? A unit eigenvector u of a value
   * μ ≥ last has at most the share ρ/(μ − θ) of a Ritz vector of value θ and residual ρ. So the largest value of what is
   * left when some are taken out is at least μ − Σ ρ²/(last − θ): that sum is the deficit.
   */
  #chooseAside({ values, residuals }: RitzPairs): number {
    const { count } = this.#settings;
    const last = values[count - 1];
    const most = Math.min(values.length - 1, count + Math.floor(asideShare * this.#krylov.limit));
    let end = count;
    this.#deficit = 0;
    for (; end < most && residuals[end] <= known * (last - values[end]); end++) {
      this.#deficit += residuals[end] ** 2 / (last - values[end]);
    }
    return end - count;
  }

  /** The estimate of a residual that a pair must reach. */
  get #target(): number {
    return margin * this.#settings.tolerance * this.#operator.norm;
  }

  /**
   * Nothing of the complement reaches `last`: its largest pair θ has converged, or a unit eigenvector u of a value μ ≥ last
   * would show. The Ritz vector x with residual ρ has the share |uᵀx| ≤ ρ/(μ − θ) of it. But x is the start times a
   * polynomial of A whose roots are all other Ritz values, those dropped at restarts as well; it is larger at μ than at θ
   * by the product of (μ − root)/(θ − root), and so much smaller was the start's share of u, compared with that of θ.
   */
  #isClear(pairs: RitzPairs, dropped: readonly number[], last: number): boolean {
    if (this.#countConverged(pairs, 1) === 1) return true;
    const [top, ...others] = pairs.values;
    const growth = [...others, ...dropped].reduce((sum, root) => sum + Math.log((last - root) / (top - root)), 0);
    return pairs.residuals[0] < share * Math.exp(growth) * (last - top);
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

  /** How far, as nobody can know: half of the way after a hundred products. */
  get #fraction(): number {
    const { products } = this.#operator;
    return products / (products + 100);
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

/** How many products until a residual has fallen far enough, if it goes on falling as it did? */
class Decline {
  #products = 0;
  #residual = 0;

  stepsLeft(products: number, residual: number, target: number): number {
    const rate = Math.log(this.#residual / residual) / (products - this.#products);
    this.#products = products;
    this.#residual = residual;
    return rate > 0 && rate < Infinity ? Math.max(1, Math.ceil(Math.log(residual / target) / rate)) : Infinity;
  }
}

/** Rayleigh quotient and residual of a locked row, from one more product; the first rows, `deflated` of them, are taken out of it. */
function measurePair(operator: CountedOperator, krylov: KrylovBasis, deflated: number, row: number): EigenPair {
  const { dotVectors, scaleVector } = vectorKernels();
  const { size, unit } = operator;
  const product = krylov.row(krylov.fixed);
  const vector = krylov.row(row);
  operator.apply(vector, product);
  krylov.takeOut(deflated, product);
  const value = dotVectors(size, vector, product);
  scaleVector(size, -value, vector, product, true);
  const residual = Math.sqrt(dotVectors(size, product, product));
  return { value: value * unit + 0, residual: residual * Math.abs(unit), vector };
}
