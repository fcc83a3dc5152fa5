/** In which forms may users bring their points? Each becomes a table in single precision, or a sparse matrix. */

import { checkInputs, type Points } from '../network/inputs.ts';
import { CsrMatrix } from '../sparse/csr.ts';
import { type ShapedNumbers, tensor } from '../tensor/convert.ts';
import { fromNdarray, type NdArray } from '../tensor/interop.ts';
import { type NestedArray, Tensor } from '../tensor/tensor.ts';

/** One point a row: nested arrays, numbers with a shape, an ndarray, a tensor, or a sparse matrix. */
export type PointSource = NestedArray | ShapedNumbers | NdArray | Tensor | CsrMatrix;

export function pointsFrom(caller: string, source: PointSource): Points {
  const points = tableOf(source);
  checkInputs(caller, points);
  return points.precision === 'single' ? points : points.copy('single');
}

function tableOf(source: PointSource): Points {
  if (source instanceof Tensor || source instanceof CsrMatrix) return source;
  return isNdarray(source) ? fromNdarray(source) : tensor(source);
}

function isNdarray(source: NestedArray | ShapedNumbers | NdArray): source is NdArray {
  return typeof source === 'object' && source !== null && 'stride' in source && 'shape' in source;
}
