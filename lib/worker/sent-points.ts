/** Points on their way to a worker. They arrive as the source that the user passed, so that results have the same bits. */

import type { PointSource } from '../embedding/model/point-table.ts';
import { isTable, type TableEncoding, type TablePoints } from '../formats/table/columns/encoding.ts';
import { CsrMatrix } from '../sparse/csr.ts';
import { flatten } from '../tensor/convert.ts';
import type { NdArraySource } from '../tensor/from-ndarray.ts';
import { type NestedArray, Tensor } from '../tensor/tensor.ts';
import type { SentPoints } from './embedding-calls.ts';

/**
 * Nested arrays become one typed array. A table goes as its points and their encoding: that of a model, if there is one.
 * Anything else is sent unchanged, and the worker refuses it.
 */
export function sendPoints(source: PointSource, columns: TableEncoding | null = null): SentPoints {
  if (Array.isArray(source)) return { kind: 'other', source: flatten(source as NestedArray) };
  if (source instanceof Tensor || source instanceof CsrMatrix) return { kind: 'other', source };
  if (isTable(source)) {
    const { points, encoding } = columns ? source.encodedAs(columns) : source;
    return { kind: 'table', source: { points, encoding } };
  }
  if (isNdarray(source)) {
    const { data, shape, stride, offset } = source;
    return { kind: 'ndarray', source: { data: 'get' in data ? readAll(data, source) : data, shape, stride, offset } };
  }
  return { kind: 'other', source };
}

/** The source of the points, in the worker. */
export function receivePoints({ kind, source }: SentPoints): PointSource {
  if (kind === 'other') return source as PointSource;
  if (kind === 'table') {
    const table: TablePoints = { ...(source as Omit<TablePoints, 'encodedAs'>), encodedAs: () => table };
    return table;
  }
  const { data, shape, stride, offset } = source as Omit<NdArraySource, 'data' | 'get'> & { data: ArrayLike<number> };
  const get = (...indices: number[]): number => data[indices.reduce((at, i, axis) => at + i * stride[axis], offset)];
  return { data, shape, stride, offset, get };
}

function isNdarray(source: PointSource): source is NdArraySource {
  return typeof source === 'object' && source !== null && 'stride' in source && 'shape' in source && 'data' in source;
}

/** The storage of an ndarray that is read by a function, up to the last entry of the array. */
function readAll(data: { get(index: number): number }, { shape, stride, offset }: NdArraySource): Float64Array {
  const steps = stride.map((step, axis) => Math.max(0, step * (shape[axis] - 1)));
  const length = steps.reduce((sum, step) => sum + step, offset + 1);
  return Float64Array.from({ length }, (_, i) => data.get(i));
}
