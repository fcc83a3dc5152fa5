/** Points as rows of a table: dense or sparse. */

import { type Tensor, zeros } from '../tensor/tensor.ts';
import { CsrMatrix } from './csr.ts';
import { sliceRows } from './slice.ts';

/** One point a row. */
export type Points = Tensor | CsrMatrix;

export function isSparse(points: Points): points is CsrMatrix {
  return points instanceof CsrMatrix;
}

/** These rows of the points, in the same format, new. */
export function takePoints(points: Points, rows: Int32Array): Points {
  if (isSparse(points)) return sliceRows(points, rows);
  const { cols, data, precision } = points;
  const taken = zeros([rows.length, cols], precision);
  rows.forEach((row, k) => taken.data.set(data.subarray(row * cols, (row + 1) * cols), k * cols));
  return taken;
}
