/** Normalization of weights by a power of two, so that the unit in which W is given does not matter. */

import { badValue } from '../core/check.ts';
import { CsrMatrix } from '../sparse/csr.ts';

/**
 * Weights whose largest is in this range are taken as they are: there, no sum, square or product of single precision
 * overflows or vanishes, and the constant steps of the paper keep their meaning. All others are divided by a power of two,
 * which does not round.
 */
export const ordinaryWeights = { least: 2 ** -16, most: 2 ** 16 };

/** The divisor of weights, given the largest one: 1 if it is ordinary, else the power of two that brings it into [1, 2). */
export function weightScale(largest: number): number {
  if (largest === 0 || (largest >= ordinaryWeights.least && largest <= ordinaryWeights.most)) return 1;
  const power = 2 ** Math.floor(Math.log2(largest));
  if (power > largest) return power / 2; // the logarithm was rounded up
  return largest / power >= 2 ? 2 * power : power;
}

/** The matrix divided by the scale, new unless that is 1. Uses double precision where single would lose digits. */
export function divideWeights(caller: string, matrix: CsrMatrix, scale: number): CsrMatrix {
  if (scale === 1) return matrix;
  const { rows, cols, starts, columns, values } = matrix;
  const exact = Float64Array.from(values, (value) => value / scale);
  const lost = exact.findIndex((value, e) => value === 0 && values[e] !== 0);
  if (lost >= 0) {
    const rule = 'weights of at least 1e-308 times the largest';
    throw badValue(caller, rule, values[lost], 'Leave out edges as weak as that.');
  }
  const isSingle = matrix.precision === 'single' && exact.every((value) => Math.fround(value) === value);
  return new CsrMatrix(rows, cols, starts, columns, isSingle ? Float32Array.from(exact) : exact);
}
