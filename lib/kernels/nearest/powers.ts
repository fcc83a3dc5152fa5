/**
 * Distances of the Minkowski norms (Σ|x − y|ᵖ)^(1/p) for p ≥ 1. The power 2 is the Euclidean distance, 1 the Manhattan
 * distance, and Infinity the Chebyshev distance, the largest difference. Sums are in Float64, in the order of columns.
 */

import type { Floats } from '../types.ts';

/** Whole powers up to this one are products, the same in both twins. Other powers take Math.pow. */
export const largestWhole = 8;

function isWholePower(power: number): boolean {
  return Number.isInteger(power) && power <= largestWhole;
}

/** Σ|a[p + c] − b[q + c]|^power over d columns; for Infinity, the largest difference. */
export function powerSum(power: number, d: number, a: Floats, p: number, b: Floats, q: number): number {
  const end = p + d;
  let sum = 0;
  if (power === 2) {
    for (; p < end; p++, q++) {
      const difference = a[p] - b[q];
      sum += difference * difference;
    }
  } else if (power === 1) {
    for (; p < end; p++, q++) sum += Math.abs(a[p] - b[q]);
  } else if (power === Infinity) {
    for (; p < end; p++, q++) sum = Math.max(sum, Math.abs(a[p] - b[q]));
  } else {
    for (; p < end; p++, q++) sum += raise(Math.abs(a[p] - b[q]), power);
  }
  return sum;
}

/** The squared distance of a sum of powers. */
export function squareOfSum(power: number, sum: number): number {
  if (power === 2) return sum;
  return power === 1 || power === Infinity ? sum * sum : sum ** (2 / power);
}

/** value^power for a value that is not negative. */
export function raise(value: number, power: number): number {
  if (!isWholePower(power)) return value ** power;
  let product = value;
  for (let factor = 1; factor < power; factor++) product *= value;
  return product;
}

/** out[i·n + j] = powerSum of row i of a[m×d] and row j of b[n×d]. 3·m·n·d operations, and more for powers above 2. */
export function powerSums(
  m: number,
  n: number,
  d: number,
  power: number,
  a: Floats,
  b: Floats,
  out: Float64Array,
): void {
  for (let i = 0, e = 0; i < m; i++) {
    for (let j = 0; j < n; j++, e++) out[e] = powerSum(power, d, a, i * d, b, j * d);
  }
}
