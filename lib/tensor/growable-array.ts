/** `GrowableArray`: scratch memory that is reused from step to step and replaced when it is too short. */

import type { Floats } from '../kernels/types.ts';
import { allocate, type Precision } from './tensor.ts';

export class GrowableArray {
  #array: Floats;
  readonly #precision: Precision;

  constructor(precision: Precision) {
    this.#precision = precision;
    this.#array = allocate(0, precision);
  }

  /** An array of at least this length. Its contents are left over from the last use, or zeros. */
  take(length: number): Floats {
    if (this.#array.length < length) this.#array = allocate(length, this.#precision);
    return this.#array;
  }
}
