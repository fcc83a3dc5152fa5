/** Who lends room for what is large and given back by hand? The kernels' memory, and the heap where that is full or not in use. */

import type { KernelMemory } from './memory/memory.ts';
import { kernelMemory } from './simd.ts';

/** After `giveBack` nobody may touch the array. */
export interface Loan {
  readonly array: Float64Array;
  giveBack(): void;
}

/** What is in it is left over from before. Outside the memory's budget, since it does not wait for the collector. */
export function borrow(length: number, memory: KernelMemory | null = kernelMemory()): Loan {
  const address = memory?.take(8 * length) ?? -1;
  if (!memory || address < 0) return { array: new Float64Array(length), giveBack: () => {} };
  return { array: new Float64Array(memory.buffer, address, length), giveBack: () => memory.give(address) };
}
