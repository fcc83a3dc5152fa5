/** What do Ritz pairs say about eigenvalues that they do not show? */

import { invariant, type RitzPairs } from './krylov.ts';

/** A search ends when an eigenvalue beyond could only have been missed if the random start had so small a share of it. */
const share = 1e-3;
/** A pair next to the wanted ones is known well enough if its residual is at most this part of its distance from them. */
const known = 0.1;
/** So many of the basis's vectors may be set aside: the others are needed to search. */
const asideShare = 0.3;

/** Of the leading `count` pairs, how many at their head have a residual within the target? */
export function countConverged({ residuals }: RitzPairs, count: number, target: number): number {
  let converged = 0;
  while (converged < count && residuals[converged] <= target) converged++;
  return converged;
}

/**
 * How many of the pairs after the `count` wanted ones are known well enough to be set aside, in a basis of `limit` vectors?
 * A unit eigenvector u of a value μ ≥ last has at most the share ρ/(μ − θ) of a Ritz vector of value θ and residual ρ. So
 * the largest value of what is left when some are taken out is at least μ − Σ ρ²/(last − θ): that sum is the deficit, by
 * which a value beyond the wanted ones appears less. No residual is taken for less than what rounding leaves of the
 * `norm`: a copy of the last wanted value, whose estimate can be 0, is not known to be another.
 */
export function knownBeside(
  { values, residuals }: RitzPairs,
  count: number,
  limit: number,
  norm: number,
): { pairs: number; deficit: number } {
  const last = values[count - 1];
  const most = Math.min(values.length - 1, count + Math.floor(asideShare * limit));
  let end = count;
  let deficit = 0;
  for (; end < most; end++) {
    const apart = last - values[end];
    if (!(apart > 0 && Math.max(residuals[end], invariant * norm) <= known * apart)) break;
    deficit += residuals[end] ** 2 / apart;
  }
  return { pairs: end - count, deficit };
}

/**
 * Nothing of the complement reaches `last`: its largest pair θ has converged, or a unit eigenvector u of a value μ ≥ last
 * would show. The Ritz vector x with residual ρ has the share |uᵀx| ≤ ρ/(μ − θ) of it. But x is the start times a
 * polynomial of A whose roots are all other Ritz values, those dropped at restarts as well; it is larger at μ than at θ
 * by the product of (μ − root)/(θ − root), and so much smaller was the start's share of u, compared with that of θ.
 */
export function isClear(pairs: RitzPairs, dropped: readonly number[], last: number, target: number): boolean {
  if (countConverged(pairs, 1, target) === 1) return true;
  const [top, ...others] = pairs.values;
  const growth = [...others, ...dropped].reduce((sum, root) => sum + Math.log((last - root) / (top - root)), 0);
  return pairs.residuals[0] < share * Math.exp(growth) * (last - top);
}

/** How many products until a residual has fallen far enough, if it goes on falling as it did? */
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
