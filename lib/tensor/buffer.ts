/** What holds numbers that every step makes anew? An array that is used again while it is long enough. */

import type { Floats } from '../kernels/types.ts';
import { allocate, type Precision } from './tensor.ts';

export class Buffer {
  #array: Floats;
  readonly #precision: Precision;

  constructor(precision: Precision) {
    this.#precision = precision;
    this.#array = allocate(0, precision);
  }

  /** At least this long; its contents are those of before, or zeros. */
  take(length: number): Floats {
    if (this.#array.length < length) this.#array = allocate(length, this.#precision);
    return this.#array;
  }
}
