/** Loans of large arrays that must be given back: from kernel memory, or from the heap if that is full or not in use. */

import type { KernelMemory } from './memory/memory.ts';
import { kernelMemory } from './simd.ts';

/** The array must not be used after `giveBack`. */
export interface Loan {
  readonly array: Float64Array;
  giveBack(): void;
}

/** The contents are arbitrary. A loan does not count against the budget of arrays that the garbage collector frees. */
export function borrow(length: number, memory: KernelMemory | null = kernelMemory()): Loan {
  const address = memory?.take(8 * length) ?? -1;
  if (!memory || address < 0) return { array: new Float64Array(length), giveBack: () => {} };
  return { array: new Float64Array(memory.buffer, address, length), giveBack: () => memory.give(address) };
}
