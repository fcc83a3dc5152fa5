/** The limit on arrays in the kernels' memory that wait for the garbage collector. */

import { kernelMemory } from './simd.ts';

/**
 * Beyond this number of bytes that the garbage collector has not freed, arrays come from the heap of the engine, which makes it
 * collect. Results do not depend on it. Returns a function that restores the limit before.
 */
export function limitGarbage(bytes: number): () => void {
  const memory = kernelMemory();
  if (!memory) return () => undefined;
  const before = memory.mostGarbage;
  memory.mostGarbage = Math.min(before, bytes);
  return () => {
    memory.mostGarbage = before;
  };
}
