/** Eigenvectors as the columns of a matrix, with signs that do not depend on the solver. */

import { zeros } from '../../tensor/tensor.ts';
import { largestMagnitude, type Matrix } from '../matrix.ts';

/** The rows as columns, each negated if need be so that its entry of largest magnitude is positive. */
export function columnsOf(size: number, rows: readonly Float64Array[]): Matrix {
  const count = rows.length;
  const result = zeros([size, count], 'double');
  for (const [j, row] of rows.entries()) {
    const sign = leadingSign(row);
    for (let i = 0, at = j; i < size; i++, at += count) result.data[at] = sign * row[i];
  }
  return result;
}

/** Magnitudes within this relative distance count as equal, so that the vector's error seldom decides its sign. */
const tie = 1e-5;

function leadingSign(row: Float64Array): 1 | -1 {
  const largest = (1 - tie) * largestMagnitude(row);
  return row.find((x) => Math.abs(x) >= largest)! < 0 ? -1 : 1;
}
