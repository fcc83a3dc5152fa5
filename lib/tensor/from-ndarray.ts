/** Conversion from ndarrays, without a copy if the layout allows it. Does not import the package ndarray. */

import { badKind } from '../core/check.ts';
import { type Floats, isFloats } from '../kernels/types.ts';
import { type Precision, Tensor, zeros } from './tensor.ts';

/** The members of an ndarray that are read. Declared here, so that users need not install the types of ndarray. */
export interface NdArraySource {
  readonly data: ArrayLike<number> | { get(index: number): number };
  readonly shape: readonly number[];
  readonly stride: readonly number[];
  readonly offset: number;
  get(...indices: number[]): number;
}

/** A view of the same storage when it is a contiguous row-major Float32Array or Float64Array, else a copy in `precision`. */
export function fromNdarray(source: NdArraySource, precision: Precision = 'single'): Tensor {
  if (!Array.isArray(source?.shape) || !Array.isArray(source?.stride))
    throw badKind('fromNdarray', 'an ndarray', source);
  const { data, shape, stride, offset } = source;
  const size = shape.reduce((a, b) => a * b, 1);
  if (isFloats(data) && isContiguous(shape, stride)) {
    return new Tensor<Floats>(data, [data.length]).rowRange(offset, offset + size).reshape(shape);
  }
  const result = zeros(shape, precision);
  const index = new Array<number>(shape.length).fill(0);
  for (let i = 0; i < size; i++) {
    result.data[i] = source.get(...index);
    for (let axis = shape.length - 1; axis >= 0 && ++index[axis] === shape[axis]; axis--) index[axis] = 0;
  }
  return result;
}

function isContiguous(shape: readonly number[], stride: readonly number[]): boolean {
  return stride.every((step, axis) => shape[axis] === 1 || step === shape.slice(axis + 1).reduce((a, b) => a * b, 1));
}
