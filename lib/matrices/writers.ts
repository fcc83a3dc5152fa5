/** Writers of sparse matrices: row by row with ascending columns, or entry by entry in any order. */

import { fromTriplets } from '../sparse/build.ts';
import { CsrMatrix } from '../sparse/csr.ts';

/** Lists that grow by doubling. */
class Lists {
  readonly indices: Int32Array[];
  values: Float32Array;

  constructor(lists: number, room: number) {
    this.indices = Array.from({ length: lists }, () => new Int32Array(room));
    this.values = new Float32Array(room);
  }

  /** Makes room for entry number `at`. */
  reserve(at: number): void {
    if (at < this.values.length) return;
    for (const [k, list] of this.indices.entries()) (this.indices[k] = new Int32Array(2 * at)).set(list);
    const values = new Float32Array(2 * at);
    values.set(this.values);
    this.values = values;
  }
}

/** A matrix that is written row by row. The columns of a row ascend. */
export class RowWriter {
  readonly #rows: number;
  readonly #cols: number;
  readonly #starts: Int32Array;
  readonly #lists: Lists;
  #row = 0;
  #count = 0;

  /** `room`: about how many entries there will be. */
  constructor(rows: number, cols: number, room: number) {
    this.#rows = rows;
    this.#cols = cols;
    this.#starts = new Int32Array(rows + 1);
    this.#lists = new Lists(1, Math.max(16, room));
  }

  /** Adds an entry to the current row. */
  add(column: number, value: number): void {
    this.#lists.reserve(this.#count);
    this.#lists.indices[0][this.#count] = column;
    this.#lists.values[this.#count++] = value;
  }

  endRow(): void {
    this.#starts[++this.#row] = this.#count;
  }

  /** The matrix, after its last row has ended. */
  finish(): CsrMatrix {
    const { indices, values } = this.#lists;
    const columns = indices[0].subarray(0, this.#count);
    return new CsrMatrix(this.#rows, this.#cols, this.#starts, columns, values.subarray(0, this.#count));
  }
}

/** A matrix that is written entry by entry. Entries at the same position are summed. */
export class EntryWriter {
  readonly #lists: Lists;
  #count = 0;

  /** `room`: about how many entries there will be. */
  constructor(room: number) {
    this.#lists = new Lists(2, Math.max(16, room));
  }

  add(row: number, column: number, value: number): void {
    this.#lists.reserve(this.#count);
    this.#lists.indices[0][this.#count] = row;
    this.#lists.indices[1][this.#count] = column;
    this.#lists.values[this.#count++] = value;
  }

  finish(rows: number, cols: number): CsrMatrix {
    const [first, second] = this.#lists.indices.map((list) => list.subarray(0, this.#count));
    const values = this.#lists.values.subarray(0, this.#count);
    return fromTriplets({ rows: first, columns: second, values }, [rows, cols]);
  }
}
