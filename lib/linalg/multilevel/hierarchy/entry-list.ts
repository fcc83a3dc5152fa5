/** `EntryList`: entries of sparse rows whose number is not known in advance. */

import type { Loans } from '../../../wasm/loans.ts';

export class EntryList {
  length = 0;
  columns: Int32Array;
  /** One or more arrays with numbers of each entry. */
  readonly values: Float32Array[];
  /** How many numbers of an entry each of these arrays has. */
  readonly #widths: readonly number[];
  readonly #loans: Loans;

  constructor(capacity: number, widths: readonly number[], loans: Loans) {
    this.#widths = widths;
    this.#loans = loans;
    const room = Math.max(16, Math.ceil(capacity));
    this.columns = loans.int32(room);
    this.values = widths.map((width) => loans.float32(width * room));
  }

  /** Adds an entry whose values are set later. */
  push(column: number): void {
    if (this.length === this.columns.length) this.#resize(Math.ceil(1.5 * this.length));
    this.columns[this.length++] = column;
  }

  /** Makes room for `count` entries in all. `columns` and `values` may be other arrays afterwards. */
  reserve(count: number): void {
    if (count > this.columns.length) this.#resize(Math.ceil(Math.max(count, 1.5 * this.length)));
  }

  /** Gives back the free space. */
  trim(): this {
    if (this.length < this.columns.length) this.#resize(this.length);
    return this;
  }

  giveBack(): void {
    this.#loans.giveBack(this.columns, ...this.values);
  }

  #resize(capacity: number): void {
    const { columns } = this;
    this.columns = this.#loans.int32(capacity);
    this.columns.set(columns.subarray(0, this.length));
    this.#loans.giveBack(columns);
    for (const [k, values] of this.values.entries()) {
      const width = this.#widths[k];
      this.values[k] = this.#loans.float32(width * capacity);
      this.values[k].set(values.subarray(0, width * this.length));
      this.#loans.giveBack(values);
    }
  }
}
