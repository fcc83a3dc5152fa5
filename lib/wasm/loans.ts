/** Borrowed arrays that are given back one by one, and at the latest all together. */

import { borrow, type Loan } from './borrow.ts';

/** The contents of the arrays are arbitrary. */
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
