/** A proof that eigenpairs of a graph are complete, by the number of eigenvalues below a shift. */

import type { Task } from '../../core/task.ts';
import type { Analysis } from './analysis.ts';
import { type LaplacianPencil, shiftedFactorSteps } from './laplacian-pencil.ts';

/** The result of counting eigenvalues. */
export interface Census {
  /** 'complete': no eigenvalue is missing below the last found; 'missing': some are; 'open': rounding or residuals are too large to tell. */
  readonly verdict: 'complete' | 'missing' | 'open';
  /** The shift σ of the last count. */
  readonly shift: number;
  /** The number of eigenvalues of (L, M) below σ, and how many of the found ones are. */
  readonly counted: number;
  readonly found: number;
  /** How often σ was moved because a pivot was too small, or rounding too large, to count there. */
  readonly moved: number;
}

/** The shift is beyond the last eigenvalue by this fraction of it, */
const relativeMargin = 1e-3;
/** by this many times the norm of all residuals, */
const residualMargin = 4;
/** and by this fraction of the norm of the matrix. */
const leastMargin = 1e-12;
/** Values up to this fraction of the norm count as zeros, of which any number may be missing from the last ones. */
const mostZero = 1e-6;
/** The limit on margins between the last value and those that the margin cannot tell from it. Beyond it, nothing is proved. */
const mostMargins = 8;
/** The limit on shifts at each place. */
const mostMoves = 4;

/**
 * Counts the eigenvalues of (L, M) below a shift slightly beyond the last of `values`, which ascend from 0. The Ritz values of k orthonormal
 * vectors are at least the k smallest eigenvalues, and each is within the norm of the residuals of another one. So k
 * eigenvalues below the shift are all found. If there are more, a shift as close as residuals and rounding permit may leave out those
 * that were not wanted. If it does not, the last value may be one of several that lie closer to each other than the margin; then
 * those below all of them are counted, and the others differ from the last value by a few margins at most.
 */
export function* censusSteps(
  pencil: LaplacianPencil,
  analysis: Analysis,
  values: ArrayLike<number>,
  residuals: ArrayLike<number>,
): Task<Census> {
  const count = values.length;
  const last = values[count - 1];
  const spread = Math.hypot(...Array.from(residuals));
  const least = Math.max(residualMargin * spread, leastMargin * pencil.scale);
  let above = yield* countBelowSteps(pencil, analysis, last, Math.max(relativeMargin * last, least), 1, spread);
  const closest = Math.max(residualMargin * (spread + above.rounding), least);
  if (above.verdict === 'complete' && above.counted > count && closest < above.margin) {
    const { moved } = above;
    above = yield* countBelowSteps(pencil, analysis, last, closest, 1, spread);
    above = { ...above, moved: moved + above.moved };
  }
  if (above.verdict === 'open' || above.counted <= count) {
    return { ...above, found: count, verdict: above.counted === count ? above.verdict : 'open' };
  }
  // The first of the values that the margin cannot tell from the last.
  let first = count - 1;
  while (first > 0 && values[first] - values[first - 1] <= 2 * above.margin) first--;
  if (last - values[first] > mostMargins * above.margin) return { ...above, found: count, verdict: 'open' };
  if (values[first] - above.margin < 0) {
    // No eigenvalue is negative.
    const verdict = last + above.margin <= mostZero * pencil.scale ? 'complete' : 'open';
    return { ...above, shift: 0, counted: 0, found: 0, verdict };
  }
  const below = yield* countBelowSteps(pencil, analysis, values[first], above.margin, -1, spread);
  const verdict = below.counted === first ? 'complete' : below.counted > first ? 'missing' : 'open';
  return {
    ...below,
    moved: above.moved + below.moved,
    found: first,
    verdict: below.verdict === 'open' ? 'open' : verdict,
  };
}

/** The number of eigenvalues below value ± margin; the margin grows if a pivot is tiny, or if rounding could have moved eigenvalues across the shift. */
function* countBelowSteps(
  pencil: LaplacianPencil,
  analysis: Analysis,
  value: number,
  least: number,
  side: 1 | -1,
  spread: number,
): Task<Omit<Census, 'found'> & { margin: number; rounding: number }> {
  let margin = least;
  let rounding = 0;
  let shift = value;
  for (let moved = 0; moved < mostMoves; moved++) {
    shift = value + side * margin;
    const factor = yield* shiftedFactorSteps(pencil, analysis, shift);
    if ('pivot' in factor) {
      margin *= 2;
      continue;
    }
    const counted = factor.negative;
    rounding = factor.rounding(pencil.mass);
    factor.close();
    if (margin >= 2 * (spread + rounding)) return { verdict: 'complete', shift, counted, moved, margin, rounding };
    margin = residualMargin * (spread + rounding);
  }
  return { verdict: 'open', shift, counted: 0, moved: mostMoves, margin, rounding };
}
