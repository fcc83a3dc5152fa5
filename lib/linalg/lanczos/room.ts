/** A growable array in the kernels' memory, borrowed while the solver runs. */

import { borrow, type Loan } from '../../wasm/borrow.ts';

export class Room {
  #loan: Loan;

  /** An array of `length` zeros. */
  constructor(length: number) {
    this.#loan = borrow(length);
    this.#loan.array.fill(0);
  }

  get array(): Float64Array {
    return this.#loan.array;
  }

  /** The array with at least `length` numbers. If it is shorter it is copied to one that is longer by half. */
  upTo(length: number): Float64Array {
    if (length > this.array.length) {
      const larger = borrow(Math.max(length, Math.ceil(1.5 * this.array.length)));
      larger.array.set(this.array);
      larger.array.fill(0, this.array.length);
      this.#loan.giveBack();
      this.#loan = larger;
    }
    return this.array;
  }

  giveBack(): void {
    this.#loan.giveBack();
  }
}
