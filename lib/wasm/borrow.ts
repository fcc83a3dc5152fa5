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

/** Borrowed arrays with arbitrary contents, which are given back one by one, and at the latest all together. */
export class Loans {
  readonly #loans = new Map<object, Loan>();

  float64(length: number): Float64Array {
    const loan = borrow(length);
    return this.#keep(loan.array, loan);
  }

  float32(length: number): Float32Array {
    const loan = borrow(Math.ceil(length / 2));
    return this.#keep(new Float32Array(loan.array.buffer, loan.array.byteOffset, length), loan);
  }

  int32(length: number): Int32Array {
    const loan = borrow(Math.ceil(length / 2));
    return this.#keep(new Int32Array(loan.array.buffer, loan.array.byteOffset, length), loan);
  }

  /** Gives arrays back. Those that were not borrowed here are left alone. */
  giveBack(...arrays: readonly object[]): void {
    for (const array of arrays) {
      this.#loans.get(array)?.giveBack();
      this.#loans.delete(array);
    }
  }

  giveBackAll(): void {
    this.giveBack(...this.#loans.keys());
  }

  #keep<T extends object>(array: T, loan: Loan): T {
    this.#loans.set(array, loan);
    return array;
  }
}
