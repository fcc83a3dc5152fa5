/** `VisitedRows`: the rows of a batch and all their neighbors, each once, without an array of all rows. */

import type { CsrMatrix } from '../../sparse/csr.ts';
import { allocateIndices } from '../../sparse/indices.ts';

/** Rows in the order of visits, and the places of all columns among them. Valid until the next call. */
export interface Visits {
  readonly rows: Int32Array;
  /** For each entry of the matrix, the place of its column among the rows. */
  readonly places: Int32Array;
}

/** A multiplier by which consecutive rows are spread over a table: 2³² divided by the golden ratio. */
const spread = 0x9e3779b1;

/** A hash table with open addressing that is reused from batch to batch. */
export class VisitedRows {
  /** For each cell: a row, its place, the call that wrote it, and nothing, so that a cell lies in one line of the processor's cache. */
  #cells = new Int32Array(0);
  #stamp = 0;
  #shift = 32;
  #rows = allocateIndices(0);
  #places = allocateIndices(0);

  /** The batch comes first, then the columns of its rows, as in `NeighborUnion`. `weights` has the rows of the batch. */
  of(batch: Int32Array, { columns }: CsrMatrix): Visits {
    this.#prepare(batch.length + columns.length);
    let count = 0;
    for (let i = 0; i < batch.length; i++) count = Math.max(count, this.#placeOf(batch[i], count) + 1);
    const places = this.#places;
    for (let e = 0; e < columns.length; e++) {
      places[e] = this.#placeOf(columns[e], count);
      if (places[e] === count) count++;
    }
    return { rows: this.#rows.subarray(0, count), places: places.subarray(0, columns.length) };
  }

  /** The place of a row, which becomes `next` if the row is new. */
  #placeOf(row: number, next: number): number {
    const cells = this.#cells;
    const mask = cells.length - 1;
    for (let cell = (Math.imul(row, spread) >>> this.#shift) << 2; ; cell = (cell + 4) & mask) {
      if (cells[cell + 2] !== this.#stamp) {
        cells[cell] = row;
        cells[cell + 1] = next;
        cells[cell + 2] = this.#stamp;
        this.#rows[next] = row;
        return next;
      }
      if (cells[cell] === row) return cells[cell + 1];
    }
  }

  /** Makes room for up to `most` rows, in a table that is at most half full. */
  #prepare(most: number): void {
    if (this.#rows.length < most) {
      this.#rows = allocateIndices(2 * most);
      this.#places = allocateIndices(2 * most);
      const bits = Math.ceil(Math.log2(4 * most + 2));
      this.#shift = 32 - bits;
      this.#cells = new Int32Array(4 * 2 ** bits);
      this.#stamp = 0;
    }
    if (this.#stamp === 0x7fffffff) {
      this.#cells.fill(0);
      this.#stamp = 0;
    }
    this.#stamp++;
  }
}
