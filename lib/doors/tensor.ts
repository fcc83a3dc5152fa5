/** `specnet/tensor`: float32 and Float64 tensors, their conversions, and workspaces. */

export { Tensor, zeros } from '../tensor/tensor.ts';
export type { DataOf, NestedArray, Precision, Shape } from '../tensor/tensor.ts';
export { tensor } from '../tensor/convert.ts';
export type { ShapedNumbers } from '../tensor/convert.ts';
export { fromNdarray, toNdarray } from '../tensor/interop.ts';
export type { NdArray, NdArraySource } from '../tensor/interop.ts';
export { Workspace } from '../tensor/workspace.ts';
