/**
 * Conversion to ndarrays. The only file that imports ndarray, because ndarray compiles its views from text, which a strict
 * content-security policy of a page forbids.
 */

import ndarray from 'ndarray';
import { badKind } from '../core/check.ts';
import type { Floats } from '../kernels/types.ts';
import type { NdArraySource } from './from-ndarray.ts';
import { Tensor } from './tensor.ts';

/** An ndarray over the storage `D`. */
export interface NdArray<D = Floats> extends NdArraySource {
  readonly data: D & ArrayLike<number>;
  shape: number[];
  stride: number[];
  offset: number;
  readonly size: number;
  readonly dimension: number;
  readonly dtype: string;
  set(...indicesAndValue: number[]): number;
  pick(...indices: (number | null)[]): NdArray<D>;
  lo(...indices: number[]): NdArray<D>;
  hi(...indices: number[]): NdArray<D>;
  step(...steps: number[]): NdArray<D>;
  transpose(...axes: number[]): NdArray<D>;
}

/** An ndarray that shares the tensor's storage. Keep the tensor for as long as the ndarray is in use. */
export function toNdarray<D extends Floats>(source: Tensor<D>): NdArray<D> {
  if (!(source instanceof Tensor)) throw badKind('toNdarray', 'a Tensor', source);
  return ndarray(source.data, [...source.shape]) as unknown as NdArray<D>;
}
