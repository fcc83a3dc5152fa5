/** The limit on arrays in the kernels' memory that wait for the garbage collector. */

import { kernelMemory } from './simd.ts';

/** The limits that hold for a memory now, the one that it was made with first. */
const limitsOf = new WeakMap<object, Set<{ readonly bytes: number }>>();

/**
 * Beyond this number of bytes that the garbage collector has not freed, arrays come from the heap of the engine, which makes it
 * collect. Results do not depend on it. Returns a function that lifts the limit. Where several limits hold, the least counts.
 */
export function limitGarbage(bytes: number, memory = kernelMemory()): () => void {
  if (!memory) return () => undefined;
  const limits = limitsOf.get(memory) ?? new Set([{ bytes: memory.mostGarbage }]);
  limitsOf.set(memory, limits);
  const update = (): void => {
    memory.mostGarbage = Math.min(...Array.from(limits, (each) => each.bytes));
  };
  const limit = { bytes };
  limits.add(limit);
  update();
  return () => {
    limits.delete(limit);
    update();
  };
}
