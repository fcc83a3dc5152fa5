/** `TripletBuffer`: arrays that grow with the triplets pushed, since a header may claim any number of them. */

import { badValue } from '../../core/check.ts';
import type { Triplets } from '../../sparse/build.ts';

/** The largest number of entries that 32-bit row starts can count. */
const maxEntries = 2 ** 31 - 1;

export class TripletBuffer {
  readonly #caller: string;
  #rows: Int32Array;
  #columns: Int32Array;
  #values: Float64Array;
  #count = 0;

  /** Errors name `caller`. */
  constructor(caller: string, capacity: number) {
    this.#caller = caller;
    this.#rows = new Int32Array(capacity);
    this.#columns = new Int32Array(capacity);
    this.#values = new Float64Array(capacity);
  }

  push(row: number, column: number, value: number): void {
    if (this.#count === this.#rows.length) this.#grow();
    this.#rows[this.#count] = row;
    this.#columns[this.#count] = column;
    this.#values[this.#count++] = value;
  }

  /** The triplets pushed so far, as views that are valid until the next push. */
  get triplets(): Triplets<Int32Array, Float64Array> {
    return {
      rows: this.#rows.subarray(0, this.#count),
      columns: this.#columns.subarray(0, this.#count),
      values: this.#values.subarray(0, this.#count),
    };
  }

  #grow(): void {
    if (this.#count === maxEntries)
      throw badValue(this.#caller, `at most ${maxEntries} entries`, `${maxEntries + 1} or more`);
    const larger = new TripletBuffer(this.#caller, Math.min(maxEntries, Math.max(1024, this.#count * 2)));
    larger.#rows.set(this.#rows);
    larger.#columns.set(this.#columns);
    larger.#values.set(this.#values);
    this.#rows = larger.#rows;
    this.#columns = larger.#columns;
    this.#values = larger.#values;
  }
}
