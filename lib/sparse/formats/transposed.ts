/** Copies of transposed matrices for `transposedProduct`: each is made once, when products by the matrix itself have taken about as long as making it. */

import type { CsrMatrix } from '../csr.ts';
import { fillOf, planTransposedSlices, type SlicedMatrix, toTransposedSlices } from './sliced.ts';

/** What is known of a matrix that was multiplied: the work so far, or its copy; null if it would be mostly padding. */
interface Kept {
  work: number;
  copy: SlicedMatrix | null | undefined;
}

/**
 * The work after which a copy is made. A product with K columns counts 1 + K/4, as many nanoseconds as an entry takes it, about; making the copy takes 20 to 80 for each
 * entry. So the products and the copy together take two to three times as long at most as they would by whichever way turns out to be better.
 */
const workForCopy = 60;
/** Slices with more padding than this are not faster than the matrix itself. */
const leastFill = 0.6;

/** Forgets a copy together with its matrix. A matrix never changes, so neither does what belongs to it. */
const keptOf = new WeakMap<CsrMatrix, Kept>();

/** Counts a product with `width` columns, and returns the slices of Aᵀ once they pay. */
export function transposedCopy(matrix: CsrMatrix, width: number): SlicedMatrix | null {
  let kept = keptOf.get(matrix);
  if (!kept) keptOf.set(matrix, (kept = { work: 0, copy: undefined }));
  if (kept.copy === undefined && kept.work >= workForCopy) {
    const plan = planTransposedSlices(matrix);
    kept.copy = fillOf(plan, matrix.nonzeros) >= leastFill ? toTransposedSlices(matrix, plan) : null;
  }
  kept.work += 1 + width / 4;
  return kept.copy ?? null;
}

/** The copy that is kept of a matrix. Null if there is none. For specs. */
export function keptCopy(matrix: CsrMatrix): SlicedMatrix | null {
  return keptOf.get(matrix)?.copy ?? null;
}
