/** Copies of tensors in the kernels' memory. */

import { kernelMemory } from '../wasm/simd.ts';
import type { Tensor } from './tensor.ts';

/**
 * The tensor itself where kernels reach it without a copy, else one in their memory, if there is room. Kernels would copy an
 * array from elsewhere in every call.
 */
export function copyToKernelMemory<T extends Tensor>(tensor: T): T {
  const memory = kernelMemory();
  if (!memory || tensor.data.buffer === memory.buffer) return tensor;
  const copy = tensor.copy() as T;
  return copy.data.buffer === memory.buffer ? copy : tensor;
}
