/** Where do the solver's vectors lie? In the kernels' memory, borrowed for as long as it runs. */

import { borrow, type Loan } from '../../wasm/borrow.ts';

export class Room {
  #loan: Loan;

  /** Room for so many numbers, zeros at first. */
  constructor(length: number) {
    this.#loan = borrow(length);
    this.#loan.array.fill(0);
  }

  get array(): Float64Array {
    return this.#loan.array;
  }

  /** The array, after it was moved to where there is half as much again if it has fewer than `length` numbers. */
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
