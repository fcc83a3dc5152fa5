/** The rounds of a Lanczos search: the wanted pairs until they converge, then pairs that were missed. */

import type { Task } from '../../core/task.ts';
import type { Random } from '../../core/random.ts';
import type { Floats } from '../../kernels/types.ts';
import { countConverged, Decline, isClear, knownBeside } from './evidence.ts';
import type { KrylovBasis, RitzPairs } from './krylov.ts';
import type { CountedOperator } from './operator.ts';
import { largestMagnitude } from '../matrix.ts';

/** The progress of a search for eigenpairs. */
export interface LanczosProgress {
  /** Products so far. */
  readonly products: number;
  readonly restarts: number;
  /** 0 while the wanted pairs converge, then 1, 2, … in the searches for what was missed. */
  readonly round: number;
  /** The number of wanted pairs within the tolerance. It falls when a missed pair is found among them. */
  readonly converged: number;
  /** Estimates of ‖Ax − λx‖ of the wanted pairs. */
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
  /** Neither is the symmetry of the operator tested, nor are residuals computed from products. */
  readonly trusted: boolean;
  readonly onRestart: ((state: LanczosProgress) => void) | undefined;
}

/** A pair is locked when its estimate is below this fraction of the tolerance: the residual computed at the end may be larger. */
const margin = 0.5;
/** The fraction of the basis beyond the wanted vectors that a restart keeps. One half takes as many products and more time. */
const keptShare = 0.3;

/** A locked pair: its Ritz value, estimated residual, and row. */
interface Locked {
  readonly value: number;
  readonly residual: number;
  readonly row: number;
}

export class Search {
  restarts = 0;
  readonly #operator: CountedOperator;
  readonly #krylov: KrylovBasis;
  readonly #settings: SearchSettings;
  /** The limit on products before those for the residuals. */
  readonly #limit: number;
  readonly #locked: Locked[] = [];
  #round = 0;
  /** By how much smaller a value beyond the wanted ones appears because of the pairs set aside. */
  #deficit = 0;

  constructor(operator: CountedOperator, krylov: KrylovBasis, settings: SearchSettings) {
    this.#operator = operator;
    this.#krylov = krylov;
    this.#settings = settings;
    this.#limit = settings.productLimit - settings.count;
  }

  /** Locks the wanted pairs. Returns false if they did not converge within the limit on products. */
  *findWantedSteps(): Task<boolean> {
    const { count } = this.#settings;
    const decline = new Decline();
    for (let steps = Infinity; ;) {
      const pairs = yield* this.#krylov.expandSteps(this.#limit, steps);
      const converged = countConverged(pairs, count, this.#target) === count;
      if (converged || this.#isExhausted() || this.#krylov.isFull) this.#report(pairs.residuals.subarray(0, count));
      if (converged || this.#isExhausted()) {
        const { limit } = this.#krylov;
        const beside = converged ? knownBeside(pairs, count, limit, this.#operator.norm) : { pairs: 0, deficit: 0 };
        this.#deficit = beside.deficit;
        this.#restart(pairs, count + beside.pairs, count);
        return converged;
      }
      steps = decline.stepsLeft(
        this.#operator.products,
        largestMagnitude(pairs.residuals.subarray(0, count)),
        this.#target,
      );
      if (this.#krylov.isFull) this.#restart(pairs, this.#keep(count), 0);
    }
  }

  /**
   * A quick first check: the known pairs next to the wanted ones are deflated too, so that the rest of the complement lies
   * far below. Returns false if there may be something beyond.
   */
  *seesNothingBeyondSteps(): Task<boolean> {
    const aside = this.#krylov.setAside();
    if (aside > 0) this.#round++;
    this.#krylov.begin();
    const dropped: number[] = [];
    const wanted = this.wanted();
    const bar = wanted[wanted.length - 1].value - this.#deficit;
    const steps = Math.ceil(this.#krylov.limit / 2);
    let clear = false;
    for (let done = aside === 0; !done;) {
      const pairs = yield* this.#krylov.expandSteps(this.#limit, steps);
      const inSight = pairs.values[0] >= bar;
      clear = !inSight && isClear(pairs, dropped, bar, this.#target);
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
   * Locks pairs beyond the last wanted one. Ends when no more are visible: at once if some were locked, since another search
   * follows; else when the evidence is clear. Returns false if the products ran out before.
   */
  *findMissedSteps(): Task<boolean> {
    this.#round++;
    const dropped: number[] = [];
    for (let found = false; ;) {
      const pairs = yield* this.#krylov.expandSteps(this.#limit, Infinity);
      const wanted = this.wanted();
      this.#report(Float64Array.from(wanted, ({ residual }) => residual));
      const last = wanted[wanted.length - 1].value;
      const slack = this.#settings.tolerance * this.#operator.norm;
      let beyond = 0;
      while (beyond < pairs.values.length && pairs.values[beyond] > last + slack) beyond++;
      if (beyond === 0 && (found || isClear(pairs, dropped, last, this.#target))) return true;
      const locked = countConverged(pairs, beyond, this.#target);
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

  /** The estimated residual that a pair must reach. */
  get #target(): number {
    return margin * this.#settings.tolerance * this.#operator.norm;
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
    const { tolerance, onRestart } = this.#settings;
    onRestart?.({
      products,
      restarts: this.restarts,
      round: this.#round,
      converged: estimates.filter((residual) => residual <= tolerance * norm).length,
      residuals: estimates.map((residual) => residual * Math.abs(unit)),
    });
  }
}
