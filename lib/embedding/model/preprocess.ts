/** Preprocessing of a model: columns shifted and divided, or rows of length one, and principal components. */

import { unitRows } from '../../graph/neighbors/metric.ts';
import { kernels } from '../../kernels/table.ts';
import { toDense } from '../../sparse/inspect.ts';
import { isSparse, type Points } from '../../sparse/points.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';

export const scales = ['none', 'standard', 'robust', 'range', 'unit'] as const;

/**
 * 'standard': every column has mean 0 and standard deviation 1. 'robust': median 0 and interquartile range 1. 'range':
 * least value 0 and greatest 1. 'unit': every row has length one. 'none': the points as they are.
 */
export type Scale = (typeof scales)[number];

/** The preprocessing of points before their distances are measured, in this order: rows, columns, principal components. */
export interface Preprocessing {
  /** The option `scale`. For 'unit', rows are divided by their length. */
  readonly scale: Scale;
  /** Null if columns stay as they are. */
  readonly columns: {
    /** Subtracted from each column. */
    readonly shift: Float64Array;
    /** What each column is then divided by. A column with divisor 0 becomes 0: it was constant in `fit`. */
    readonly divisor: Float64Array;
  } | null;
  /** The principal axes as columns. Rows are multiplied by them. Null without PCA. */
  readonly axes: Tensor<Float64Array> | null;
}

/** The points after preprocessing, in double precision; the points themselves if there is none. */
export function preprocess(caller: string, preprocessing: Preprocessing | undefined, points: Points): Points {
  if (!preprocessing) return points;
  const { scale, columns, axes } = preprocessing;
  const rows = scale === 'unit' ? unitRows(caller, points, 'unit') : points;
  if (!columns) return rows;
  const scaled = scaleColumns(isSparse(rows) ? toDense(rows) : rows, columns);
  if (!axes) return scaled;
  const result = zeros([scaled.rows, axes.cols], 'double');
  kernels.matmul(scaled.rows, axes.cols, axes.rows, scaled.data, axes.data, result.data, false);
  return result;
}

/** (x − shift) / divisor of every column, in double precision, new. */
export function scaleColumns(
  { rows, cols, data }: Tensor,
  { shift, divisor }: NonNullable<Preprocessing['columns']>,
): Tensor<Float64Array> {
  const result = zeros([rows, cols], 'double');
  for (let i = 0; i < data.length; i++) {
    const j = i % cols;
    if (divisor[j] !== 0) result.data[i] = (data[i] - shift[j]) / divisor[j];
  }
  return result;
}
