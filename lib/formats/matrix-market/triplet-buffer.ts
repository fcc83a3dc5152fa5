/** Where do triplets go whose number is only claimed? Into arrays that grow with what has really come. */

import { badValue } from '../../core/check.ts';
import type { Triplets } from '../../sparse/build.ts';

/** What an Int32Array can count. */
const mostEntries = 2 ** 31 - 1;

export class TripletBuffer {
  readonly #caller: string;
  #rows: Int32Array;
  #columns: Int32Array;
  #values: Float64Array;
  #count = 0;

  /** Errors are in the name of `caller`. */
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

  /** What was pushed, as views: good until the next push. */
  get triplets(): Triplets<Int32Array, Float64Array> {
    return {
      rows: this.#rows.subarray(0, this.#count),
      columns: this.#columns.subarray(0, this.#count),
      values: this.#values.subarray(0, this.#count),
    };
  }

  #grow(): void {
    if (this.#count === mostEntries) throw badValue(this.#caller, `at most ${mostEntries} entries`, 'more');
    const larger = new TripletBuffer(this.#caller, Math.min(mostEntries, Math.max(1024, this.#count * 2)));
    larger.#rows.set(this.#rows);
    larger.#columns.set(this.#columns);
    larger.#values.set(this.#values);
    this.#rows = larger.#rows;
    this.#columns = larger.#columns;
    this.#values = larger.#values;
  }
}
