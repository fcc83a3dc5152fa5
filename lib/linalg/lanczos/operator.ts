/** Operators of the solver, whose products are counted, checked and scaled, and whose symmetry is tested. */

import { badKind, badValue, checkCount, checkFinite } from '../../core/check.ts';
import type { Task } from '../../core/task.ts';
import type { Random } from '../../core/random.ts';
import { vectorKernels } from '../../wasm/families.ts';
import { asymmetryLimit, largestMagnitude, powerOfTwo } from '../matrix.ts';

/** A symmetric n×n matrix, known by its products. */
export interface LinearOperator {
  readonly size: number;
  /** y ← A·x for `size` numbers each. Overwrites every number of y and leaves x alone. */
  apply(x: Float64Array, y: Float64Array): void;
}

export function checkOperator(operator: LinearOperator): void {
  if (typeof operator?.apply !== 'function') {
    throw badKind('lanczos', 'an operator { size, apply(x, y) }', operator, 'apply writes A·x to y.');
  }
  checkCount('lanczos', 'operator.size', operator.size, 1);
}

/** The products that `CountedOperator.measureSteps` makes. */
export const checkProducts = 2;

/** Up to this power of two, or down to its inverse, squares neither overflow nor underflow in Float64, and the unit is 1. */
const moderate = 100;

/**
 * B = A/unit. The unit is ±1, or ± a power of two near the size of A where that is extreme. It is negative if the lower end
 * of A is wanted: the solver always finds the upper end of B.
 */
export class CountedOperator {
  readonly size: number;
  /** ±2^e; set by `measureSteps`. */
  unit = 1;
  /** Products so far. */
  products = 0;
  /** The largest ‖Bx‖/‖x‖ and |Rayleigh quotient| so far, at most ‖B‖. Residuals are compared with it. */
  norm = 0;
  readonly #operator: LinearOperator;

  constructor(operator: LinearOperator) {
    this.size = operator.size;
    this.#operator = operator;
  }

  /** An estimate of the fraction done, since the number of products is not known in advance: half after a hundred. */
  get fraction(): number {
    return this.products / (this.products + 100);
  }

  /**
   * Makes two products with random vectors x and z, sets the unit, and compares xᵀAz with zᵀAx, which differ by about
   * ‖A − Aᵀ‖_F where Ax has the length ‖A‖_F. Overwrites four vectors. The products start as NaN, so that an operator that
   * adds to y or skips numbers is detected.
   */
  *measureSteps(sign: 1 | -1, random: Random, [x, z, ax, az]: readonly Float64Array[]): Task<void> {
    const { dotVectors, scaleVector } = vectorKernels();
    const n = this.size;
    random.fillNormal(x);
    random.fillNormal(z);
    ax.fill(NaN);
    az.fill(NaN);
    this.raw(x, ax);
    yield this.fraction;
    this.raw(z, az);
    yield this.fraction;
    const largest = Math.max(largestMagnitude(ax), largestMagnitude(az));
    const power = powerOfTwo(largest);
    const size = Math.abs(Math.log2(power)) <= moderate ? 1 : power;
    this.unit = sign * size;
    scaleVector(n, 1 / size, ax, ax, false);
    scaleVector(n, 1 / size, az, az, false);
    const one = dotVectors(n, x, az);
    const other = dotVectors(n, z, ax);
    const length = Math.sqrt(Math.max(dotVectors(n, ax, ax), dotVectors(n, az, az)));
    if (Math.abs(one - other) > asymmetryLimit.single * length) {
      const got = `xᵀAz = ${one * size} but zᵀAx = ${other * size} for two random vectors`;
      throw badValue(
        'lanczos',
        'a symmetric operator',
        got,
        'Symmetrize it, or transform the pencil (W, D) to D^-½WD^-½.',
      );
    }
  }

  /** y ← Bx for a unit vector x. Returns ‖y‖. */
  apply(x: Float64Array, y: Float64Array): number {
    this.#apply(x, y);
    if (this.unit !== 1) vectorKernels().scaleVector(this.size, 1 / this.unit, y, y, false);
    const length = Math.sqrt(vectorKernels().dotVectors(this.size, y, y));
    // A number that is not finite makes the sum of squares infinite or NaN.
    if (!Number.isFinite(length)) this.#check(y);
    this.norm = Math.max(this.norm, length);
    return length;
  }

  /** y ← Ax, counted and checked. */
  raw(x: Float64Array, y: Float64Array): void {
    this.#apply(x, y);
    this.#check(y);
  }

  #apply(x: Float64Array, y: Float64Array): void {
    this.#operator.apply(x, y);
    this.products++;
  }

  #check(y: Float64Array): void {
    checkFinite('lanczos', `product ${this.products} of the operator`, y);
  }
}
