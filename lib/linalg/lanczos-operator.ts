/** What does the solver ask of an operator? Products that are counted, finite and scaled to size one, and symmetry. */

import { badKind, badValue, checkCount, checkFinite } from '../core/check.ts';
import type { Random } from '../core/random.ts';
import { dot, scaleInPlace } from './lanczos-basis.ts';
import { asymmetryLimit, largestMagnitude } from './matrix.ts';

/** A symmetric n×n matrix, known by its products. */
export interface LinearOperator {
  readonly size: number;
  /** y ← A·x for `size` numbers each: every number of y is written, whatever it held, and x is left alone. */
  apply(x: Float64Array, y: Float64Array): void;
}

export function checkOperator(operator: LinearOperator): void {
  if (typeof operator?.apply !== 'function') {
    throw badKind('lanczos', 'an operator { size, apply(x, y) }', operator, 'apply writes A·x to y.');
  }
  checkCount('lanczos', 'operator.size', operator.size, 1);
}

/** What `CountedOperator.measure` takes. */
export const checkProducts = 2;

/** A divided by its unit, a power of two of about its size, and by −1 for the lower end, so that the upper end is asked for. */
export class CountedOperator {
  readonly size: number;
  /** ±2^e; set by `measure`. */
  unit = 1;
  /** Products so far. */
  products = 0;
  /** The largest ‖Bx‖/‖x‖ and |Rayleigh quotient| met, at most ‖B‖: what residuals are compared with. */
  norm = 0;
  readonly #operator: LinearOperator;
  readonly #signal: AbortSignal | undefined;

  constructor(operator: LinearOperator, signal: AbortSignal | undefined) {
    this.size = operator.size;
    this.#operator = operator;
    this.#signal = signal;
  }

  /**
   * Two products with random vectors x and z: sets the unit, and compares xᵀAz with zᵀAx, which differ by about ‖A − Aᵀ‖_F
   * where Ax has the length ‖A‖_F. y begins as NaN, so that an operator that adds to y or leaves numbers out is found.
   */
  measure(sign: 1 | -1, random: Random): void {
    const n = this.size;
    const [x, z, ax, az] = Array.from({ length: 4 }, () => new Float64Array(n));
    random.fillNormal(x);
    random.fillNormal(z);
    ax.fill(NaN);
    az.fill(NaN);
    this.raw(x, ax);
    this.raw(z, az);
    const largest = Math.max(largestMagnitude(ax), largestMagnitude(az));
    const size = largest > 0 ? 2 ** Math.max(-1000, Math.min(1000, Math.floor(Math.log2(largest)))) : 1;
    this.unit = sign * size;
    scaleInPlace(n, 1 / size, ax);
    scaleInPlace(n, 1 / size, az);
    const one = dot(n, x, az);
    const other = dot(n, z, ax);
    const length = Math.sqrt(Math.max(dot(n, ax, ax), dot(n, az, az)));
    if (Math.abs(one - other) > asymmetryLimit.single * length) {
      const got = `xᵀAz = ${one * size} but zᵀAx = ${other * size} for two random vectors`;
      throw badValue(
        'lanczos',
        'a symmetric operator',
        got,
        'Symmetrise it, or turn the pencil (W, D) into D^-½WD^-½.',
      );
    }
  }

  /** y ← Bx for a unit vector x; returns ‖y‖. */
  apply(x: Float64Array, y: Float64Array): number {
    this.raw(x, y);
    scaleInPlace(this.size, 1 / this.unit, y);
    const length = Math.sqrt(dot(this.size, y, y));
    this.norm = Math.max(this.norm, length);
    return length;
  }

  /** y ← Ax, counted and looked at. Throws the reason of an aborted signal before it. */
  raw(x: Float64Array, y: Float64Array): void {
    this.#signal?.throwIfAborted();
    this.#operator.apply(x, y);
    this.products++;
    // One sum finds them all: NaN stays, and an infinity stays or becomes NaN.
    if (!Number.isFinite(sumOf(y))) checkFinite('lanczos', `product ${this.products} of the operator`, y);
  }
}

function sumOf(y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < y.length; i++) sum += y[i];
  return sum;
}
