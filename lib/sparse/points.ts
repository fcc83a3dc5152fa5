/** Points as rows of a table: dense or sparse. */

import { type Tensor, zeros } from '../tensor/tensor.ts';
import { canonical, CsrMatrix } from './csr.ts';
import { allocateIndices } from './indices.ts';
import { sliceRows } from './slices/slice.ts';

/** One point per row. */
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

/** Rows from … to − 1 of the points, in the same format: a view, of which only the starts of sparse rows are new. */
export function pointRange(points: Points, from: number, to: number): Points {
  if (!isSparse(points)) return points.rowRange(from, to);
  const { cols, columns, values } = points;
  const [first, last] = [points.starts[from], points.starts[to]];
  const starts = allocateIndices(to - from + 1);
  for (let i = from; i <= to; i++) starts[i - from] = points.starts[i] - first;
  return canonical(to - from, cols, starts, columns.subarray(first, last), values.subarray(first, last), points);
}
