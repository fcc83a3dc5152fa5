/** Lists of row and column indices: Int32Arrays of whole numbers from 0 up to a bound. */

import { badKind, badValue } from '../core/check.ts';
import { allocator } from '../kernels/table.ts';
import { prepareKernels } from '../wasm/simd.ts';

/** A zeroed Int32Array, in the kernels' memory if they have one. */
export function allocateIndices(length: number): Int32Array {
  prepareKernels();
  return allocator.int32(length);
}

/** 0 … length − 1. */
export function everyIndex(length: number): Int32Array {
  const list = allocateIndices(length);
  for (let i = 0; i < length; i++) list[i] = i;
  return list;
}

/** Refuses anything but whole numbers in [0, bound). Returns the list itself if it is an Int32Array, else a copy. */
export function checkIndices(caller: string, name: string, list: ArrayLike<number>, bound: number): Int32Array {
  if (typeof list?.length !== 'number') throw badKind(caller, `${name} to be an array of numbers`, list);
  for (let k = 0; k < list.length; k++) {
    if (!(list[k] >= 0 && list[k] < bound && Number.isInteger(list[k]))) {
      throw badValue(caller, `${name} to be whole numbers from 0 to ${bound - 1}`, `${list[k]} at index ${k}`);
    }
  }
  return list instanceof Int32Array ? list : Int32Array.from(list);
}

/** `checkIndices` of a list that must contain each of 0 … size − 1 once. */
export function checkPermutation(caller: string, order: ArrayLike<number>, size: number): Int32Array {
  const checked = checkIndices(caller, 'the order', order, size);
  if (checked.length !== size) throw badValue(caller, `an order of ${size} numbers`, checked.length);
  const seen = new Uint8Array(size);
  for (const index of checked) {
    if (seen[index]) throw badValue(caller, 'each number once in the order', `${index} twice`);
    seen[index] = 1;
  }
  return checked;
}

/** The inverse of a permutation: inverse[order[i]] = i. */
export function inversePermutation(order: ArrayLike<number>): Int32Array {
  const checked = checkPermutation('inversePermutation', order, order?.length);
  const inverse = new Int32Array(checked.length);
  for (let i = 0; i < checked.length; i++) inverse[checked[i]] = i;
  return inverse;
}
