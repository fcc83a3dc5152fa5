/** Whether a kernel computes what its plain twin computes, up to rounding. */

import type { Floats } from '../../kernels/types.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';

/**
 * max |a − b| over the largest possible result: ‖A‖∞·max |x|, of Aᵀ for a transposed product. NaN counts as infinite. `largest`
 * is that result.
 */
export function differenceOf(found: Floats, expected: Floats, largest: number): number {
  let worst = 0;
  for (let i = 0; i < expected.length; i++) {
    const difference = Math.abs(found[i] - expected[i]);
    if (!(difference <= worst)) worst = Number.isNaN(difference) ? Infinity : difference;
  }
  return worst === 0 ? 0 : worst / largest;
}

/** The largest sum of |values| in a row, or in a column, and the largest number of entries there. */
export function largestSums({ rows, cols, starts, columns, values }: CsrMatrix): Record<'row' | 'column', Bounds> {
  const [sums, counts] = [new Float64Array(cols), new Int32Array(cols)];
  const row = { sum: 0, count: 0 };
  for (let i = 0; i < rows; i++) {
    let sum = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const magnitude = Math.abs(values[e]);
      sum += magnitude;
      sums[columns[e]] += magnitude;
      counts[columns[e]]++;
    }
    row.sum = Math.max(row.sum, sum);
    row.count = Math.max(row.count, starts[i + 1] - starts[i]);
  }
  const column = { sum: 0, count: 0 };
  for (let j = 0; j < cols; j++) {
    column.sum = Math.max(column.sum, sums[j]);
    column.count = Math.max(column.count, counts[j]);
  }
  return { row, column };
}

/** The largest sum of magnitudes, and the largest number of entries. */
export interface Bounds {
  readonly sum: number;
  readonly count: number;
}

/** A sum of `count` products in any order differs by this much at most from another one, relative to the sum of their magnitudes. */
export function roundingBound(count: number, isSingle: boolean): number {
  return 2 * (count + 1) * 2 ** (isSingle ? -24 : -53);
}

/** A number that changes if a bit of the array changes, with all but certainty (FNV-1a on words). */
export function bitsOf(array: Floats | Int32Array): number {
  const words = new Int32Array(array.buffer, array.byteOffset, array.byteLength / 4);
  let hash = 0x811c9dc5 | 0;
  for (let i = 0; i < words.length; i++) hash = Math.imul(hash ^ words[i], 0x01000193);
  return hash;
}
