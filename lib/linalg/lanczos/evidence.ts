/** Evidence from Ritz pairs that no wanted eigenvalue was missed. */

import { invariant, type RitzPairs } from './krylov.ts';

/** A search ends when an eigenvalue beyond can only be missed if the random start has no larger component along it. */
const smallestComponent = 1e-3;
/** A pair next to the wanted ones can be set aside if its residual is at most this fraction of its distance from them. */
const known = 0.1;
/** The fraction of the basis that may be set aside. The rest is needed for the search. */
const asideFraction = 0.3;

/** The number of leading pairs, at most `count`, whose residuals are all within the target. */
export function countConverged({ residuals }: RitzPairs, count: number, target: number): number {
  let converged = 0;
  while (converged < count && residuals[converged] <= target) converged++;
  return converged;
}

/**
 * The number of pairs after the `count` wanted ones that can be set aside, in a basis of `limit` vectors. A unit
 * eigenvector u of a value μ ≥ last has a component of at most ρ/(μ − θ) along a Ritz vector of value θ and residual ρ. So
 * after deflation of such vectors the largest value is still at least μ − Σ ρ²/(last − θ). That sum is the deficit, by which
 * a value beyond the wanted ones appears smaller. Residuals count as at least the rounding relative to `norm`: a copy of
 * the last wanted value, whose estimated residual can be 0, is not set aside.
 */
export function knownBeside(
  { values, residuals }: RitzPairs,
  count: number,
  limit: number,
  norm: number,
): { pairs: number; deficit: number } {
  const last = values[count - 1];
  const most = Math.min(values.length - 1, count + Math.floor(asideFraction * limit));
  let end = count;
  let deficit = 0;
  for (; end < most; end++) {
    const distance = last - values[end];
    if (!(distance > 0 && Math.max(residuals[end], invariant * norm) <= known * distance)) break;
    deficit += residuals[end] ** 2 / distance;
  }
  return { pairs: end - count, deficit };
}

/**
 * Whether no eigenvalue of the complement reaches `last`: its largest Ritz pair θ has converged, or a unit eigenvector u of
 * a value μ ≥ last would have shown. The Ritz vector x with residual ρ has the component |uᵀx| ≤ ρ/(μ − θ). But x is p(A)
 * times the start, where the roots of p are all other Ritz values, including those dropped at restarts. p is larger at μ
 * than at θ by the product of (μ − root)/(θ − root), so the start's component along u was smaller by that factor.
 */
export function isClear(pairs: RitzPairs, dropped: readonly number[], last: number, target: number): boolean {
  if (countConverged(pairs, 1, target) === 1) return true;
  const [top, ...others] = pairs.values;
  const growth = [...others, ...dropped].reduce((sum, root) => sum + Math.log((last - root) / (top - root)), 0);
  return pairs.residuals[0] < smallestComponent * Math.exp(growth) * (last - top);
}

/** Predicts after how many products a residual reaches its target, from the rate at which it fell so far. */
export class Decline {
  #products = 0;
  #residual = 0;

  stepsLeft(products: number, residual: number, target: number): number {
    const rate = Math.log(this.#residual / residual) / (products - this.#products);
    this.#products = products;
    this.#residual = residual;
    return rate > 0 && rate < Infinity ? Math.max(1, Math.ceil(Math.log(residual / target) / rate)) : Infinity;
  }
}
