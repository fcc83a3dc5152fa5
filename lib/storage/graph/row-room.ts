/** `RowRoom`: memory for rows of a stored graph, which is kept from batch to batch. */

import { badValue } from '../../core/check.ts';
import type { Floats } from '../../kernels/types.ts';
import { allocateIndices } from '../../sparse/indices.ts';
import { allocate, type Precision } from '../../tensor/tensor.ts';

/** Up to this many entries are counted by the 32-bit starts of a matrix in memory. */
export const mostEntries = 2 ** 31 - 1;

export function checkEntries(caller: string, entries: number): void {
  if (entries <= mostEntries) return;
  throw badValue(caller, `at most ${mostEntries} entries at a time`, entries, 'Ask for fewer rows.');
}

/** Replaced memory is larger than needed by this factor, since batches differ in size. */
export const rowGrowth = 1.25;

/** What is returned is valid until the next call. The first call takes no more memory than it needs. */
export class RowRoom {
  readonly #precision: Precision;
  #starts: Int32Array | null = null;
  #begins = new Float64Array(0);
  #columns: Int32Array | null = null;
  #values: Floats = new Float32Array(0);

  constructor(precision: Precision) {
    this.#precision = precision;
  }

  /** The starts of `rows` rows, with one for the end, in the kernels' memory; and where the rows begin in the file. */
  forRows(rows: number): { starts: Int32Array; begins: Float64Array } {
    if (!this.#starts || this.#starts.length < rows + 1) {
      const count = this.#starts ? Math.ceil(rows * rowGrowth) : rows;
      this.#starts = allocateIndices(count + 1);
      this.#begins = new Float64Array(count);
    }
    return { starts: this.#starts.subarray(0, rows + 1), begins: this.#begins.subarray(0, rows) };
  }

  /** Columns and values of `entries` entries, in the kernels' memory. */
  forEntries(entries: number): { columns: Int32Array; values: Floats } {
    if (!this.#columns || this.#columns.length < entries) {
      const count = this.#columns ? Math.ceil(entries * rowGrowth) : entries;
      this.#columns = allocateIndices(count);
      this.#values = allocate(count, this.#precision);
    }
    return { columns: this.#columns.subarray(0, entries), values: this.#values.subarray(0, entries) };
  }
}
