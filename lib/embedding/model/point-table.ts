/** Conversion of users' points to tables, and their rounding to single precision around a center. */

import { badValue, placeOf } from '../../core/check.ts';
import { checkInputs, type Points } from '../../network/layers/inputs.ts';
import { isTable, type TableEncoding, type TablePoints } from '../../formats/table/columns/encoding.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import { toDense } from '../../sparse/inspect.ts';
import { type ShapedNumbers, tensor } from '../../tensor/convert.ts';
import { fromNdarray, type NdArraySource } from '../../tensor/from-ndarray.ts';
import { Tensor, zeros } from '../../tensor/tensor.ts';

/** One point per row: nested arrays, numbers with a shape, an ndarray, a tensor, a sparse matrix, or a table. */
export type PointSource =
  | readonly (readonly number[])[]
  | ShapedNumbers
  | NdArraySource
  | Tensor
  | CsrMatrix
  | TablePoints;

/** The points as a tensor or sparse matrix, in the precision they have. A table is encoded by the columns of a model. */
export function pointsFrom(caller: string, source: PointSource, columns?: TableEncoding): Points {
  const points = pointsOf(source, columns);
  checkInputs(caller, points);
  return points;
}

/**
 * The center, which is subtracted from points before they are rounded. A column whose distance from 0 exceeds its range
 * would lose digits: its center is the midpoint of its range. All other columns have center 0. Null if all have, and for
 * sparse points, which centering would make dense.
 */
export function centerOf(points: Points): Float64Array | null {
  if (points instanceof CsrMatrix) return null;
  const ranges = new ColumnRanges(points.cols);
  ranges.add(points);
  return ranges.center();
}

/** The least and the greatest number in each column of dense points that come block by block. */
export class ColumnRanges {
  readonly #least: Float64Array;
  readonly #most: Float64Array;

  constructor(cols: number) {
    this.#least = new Float64Array(cols).fill(Infinity);
    this.#most = new Float64Array(cols).fill(-Infinity);
  }

  add({ cols, data }: Tensor): void {
    const [least, most] = [this.#least, this.#most];
    for (let i = 0; i < data.length; i++) {
      const j = i % cols;
      if (data[i] < least[j]) least[j] = data[i];
      if (data[i] > most[j]) most[j] = data[i];
    }
  }

  /** Whether all points are equal. */
  get isOnePoint(): boolean {
    return this.#least.every((low, j) => low === this.#most[j]);
  }

  /** `centerOf` all points that were added. */
  center(): Float64Array | null {
    const center = this.#least.map((low, j) => {
      const high = this.#most[j];
      return Math.max(low, -high) > high - low ? low / 2 + high / 2 : 0;
    });
    return center.some((value) => value !== 0) ? center : null;
  }
}

/** The points minus the center, in single precision. Sparse points become dense if there is a center. */
export function centerAndRound(caller: string, center: Float64Array | null, points: Points): Points {
  if (!center && points.precision === 'single') return points;
  if (!center && points instanceof CsrMatrix) return points.copy('single');
  const { rows, cols, data } = points instanceof CsrMatrix ? toDense(points) : points;
  const result = zeros([rows, cols]);
  for (let i = 0; i < data.length; i++) {
    result.data[i] = center ? data[i] - center[i % cols] : data[i];
    if (Number.isFinite(result.data[i])) continue;
    const got = `${data[i]} at ${placeOf(i, cols)}`;
    throw badValue(caller, 'points of at most 3.4e38, which single precision can hold', got);
  }
  return result;
}

/** `pointsFrom` without a check. */
export function pointsOf(source: PointSource, columns?: TableEncoding): Points {
  if (isTable(source)) return columns ? source.encodedAs(columns).points : source.points;
  if (source instanceof Tensor || source instanceof CsrMatrix) return source;
  return isNdarray(source) ? fromNdarray(source, 'double') : tensor(source, 'double');
}

function isNdarray(source: Exclude<PointSource, Tensor | CsrMatrix | TablePoints>): source is NdArraySource {
  return typeof source === 'object' && source !== null && 'stride' in source && 'shape' in source;
}
