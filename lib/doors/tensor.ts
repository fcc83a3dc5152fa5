/** `specnet/tensor`: Float32 and Float64 tensors, their conversions, and workspaces. */

export { Tensor, zeros } from '../tensor/tensor.ts';
export type { DataOf, NestedArray, Precision, Shape } from '../tensor/tensor.ts';
export { tensor } from '../tensor/convert.ts';
export type { ShapedNumbers } from '../tensor/convert.ts';
export { fromNdarray } from '../tensor/from-ndarray.ts';
export type { NdArraySource } from '../tensor/from-ndarray.ts';
export { toNdarray } from '../tensor/to-ndarray.ts';
export type { NdArray } from '../tensor/to-ndarray.ts';
export { Workspace } from '../tensor/workspace.ts';
