/** The search for the wanted eigenpairs, repeated in the complement of those found until nothing is left beyond them. */

import { badValue } from '../../core/check.ts';
import type { Task } from '../../core/task.ts';
import { vectorKernels } from '../../wasm/families.ts';
import type { KrylovBasis } from './krylov.ts';
import type { CountedOperator } from './operator.ts';
import { Search, type SearchSettings } from './search.ts';

/** In the units of A. */
export interface EigenPair {
  readonly value: number;
  /** ‖Ax − λx‖. */
  readonly residual: number;
  readonly vector: Float64Array;
}

export interface FoundPairs {
  /** From the wanted end of the spectrum inward. */
  readonly pairs: EigenPair[];
  /** Whether the search ended before the limit on products. */
  readonly complete: boolean;
  /** The largest ‖Ax‖ and |xᵀAx| seen for unit vectors x. */
  readonly norm: number;
  readonly restarts: number;
}

/**
 * The first round runs until the wanted pairs have converged. A Krylov space contains only one vector of a multiple
 * eigenvalue, and none that is missing in the start. So the pairs are locked, and their complement is searched from a random
 * vector, where the next copy is as visible as any other, until a search finds nothing.
 */
export function* searchPairsSteps(
  operator: CountedOperator,
  krylov: KrylovBasis,
  settings: SearchSettings,
): Task<FoundPairs> {
  const free = [3, 2, 1, 0].map((i) => krylov.row(krylov.fixed + i));
  if (settings.trusted) operator.unit = settings.sign;
  else yield* operator.measureSteps(settings.sign, settings.random.fork('symmetry'), free);
  if (!krylov.begin(settings.start)) {
    throw badValue('lanczos', 'start to be independent of the deflated columns', 'a vector in their span, or zero');
  }
  const deflated = krylov.fixed;
  const search = new Search(operator, krylov, settings);
  let complete = yield* search.findWantedSteps();
  if (settings.verify && !(complete && (yield* search.seesNothingBeyondSteps()))) {
    while (complete && krylov.limit > 0) {
      const before = krylov.fixed;
      krylov.begin();
      complete = yield* search.findMissedSteps();
      if (krylov.fixed === before) break;
    }
  }
  const pairs: EigenPair[] = [];
  for (const { row, value, residual } of search.wanted()) {
    if (settings.trusted) {
      pairs.push({ value: value * operator.unit, residual, vector: krylov.row(row) });
      continue;
    }
    pairs.push(measurePair(operator, krylov, deflated, row));
    yield operator.fraction;
  }
  pairs.sort((a, b) => settings.sign * (b.value - a.value));
  return { pairs, complete, norm: operator.norm * Math.abs(operator.unit), restarts: search.restarts };
}

/** Rayleigh quotient and residual of a locked row, from one more product without its part in the first `deflated` rows. */
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
