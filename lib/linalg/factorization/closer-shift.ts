/** A shift close to eigenvalues that crowd far above 0, as those of a wheel: on its inverse they are far apart. */

import type { Task } from '../../core/task.ts';
import type { Analysis } from './analysis.ts';
import type { Factor } from './factor.ts';
import { type LaplacianPencil, shiftedFactorSteps } from './laplacian-pencil.ts';

/** L − σM, factored. */
export interface ShiftedFactor {
  readonly shift: number;
  readonly factor: Factor;
}

/** A shift must be at most this fraction of the former distance away to be worth a factorization. */
const worthwhile = 0.25;
/** By this factor the distance grows if an eigenvalue that was not found is below the shift. */
const retreat = 4;
/** The least distance, relative to the norm. */
const leastDistance = 1e-9;

/** A Ritz value of (L, M), and the distance within which an eigenvalue is. */
interface RitzValue {
  readonly value: number;
  readonly residual: number;
}

/**
 * Factors L − σM for a shift σ below those of the Ritz values that are not `accepted`, about as far as these are apart. Nothing but null
 * vectors and accepted pairs may be below σ: the number of negative pivots tells. Null if there is no such shift much closer than the
 * current one.
 */
export function* closerShiftSteps(
  pencil: LaplacianPencil,
  analysis: Analysis,
  current: number,
  nullity: number,
  pairs: readonly RitzValue[],
  accepted: readonly RitzValue[],
): Task<ShiftedFactor | null> {
  const missing = pairs.filter((pair) => !accepted.includes(pair));
  const { value: first, residual } = missing[0];
  const spread = missing.at(-1)!.value - first;
  const farthest = worthwhile * (first - current);
  let distance = Math.max(spread, 2 * residual, leastDistance * pencil.scale);
  for (; distance <= farthest; distance *= retreat) {
    const shift = first - distance;
    const factor = yield* shiftedFactorSteps(pencil, analysis, shift);
    if ('pivot' in factor) continue;
    if (factor.negative === nullity + accepted.filter(({ value }) => value < shift).length) return { shift, factor };
    factor.close();
  }
  return null;
}
