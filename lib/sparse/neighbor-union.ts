/** Which rows are in a batch, or also joined to it, batch after batch? In the order in which they are met, the batch first. */

import { neighborUnion } from '../kernels/batch.ts';
import type { CsrMatrix } from './csr.ts';
import { allocateIndices } from './indices.ts';

/** Buffers that are used again: what it returns is good until it is asked the next time. */
export class NeighborUnion {
  readonly #matrix: CsrMatrix;
  readonly #unite: typeof neighborUnion;
  /** Met are the rows of which the stamp is that of this call, so that nothing is cleared between calls. */
  readonly #stamps: Int32Array;
  #stamp = 0;
  #rows = allocateIndices(0);
  #count = 0;

  /** `matrix` is square. Who asks step after step hands in the faster twin. */
  constructor(matrix: CsrMatrix, unite = neighborUnion) {
    this.#matrix = matrix;
    this.#unite = unite;
    this.#stamps = allocateIndices(matrix.rows);
  }

  /** The array that the rows are a part of, and with which they live. */
  get storage(): Int32Array {
    return this.#rows;
  }

  /** The batch and its neighbours, each row once, for a batch of rows in range. O(entries of the batch's rows). */
  of(batch: Int32Array): Int32Array {
    const { starts, columns } = this.#matrix;
    let entries = 0;
    for (let i = 0; i < batch.length; i++) entries += starts[batch[i] + 1] - starts[batch[i]];
    this.#begin(batch.length + entries);
    this.#count = this.#unite(batch.length, batch, starts, columns, this.#stamp, this.#stamps, this.#rows);
    return this.#rows.subarray(0, this.#count);
  }

  /** The rows of the batch alone, each once. */
  alone(batch: Int32Array): Int32Array {
    this.#begin(batch.length);
    for (const row of batch) {
      if (this.has(row)) continue;
      this.#rows[this.#count++] = row;
      this.#stamps[row] = this.#stamp;
    }
    return this.#rows.subarray(0, this.#count);
  }

  /** Was the row among those that were returned last? */
  has(row: number): boolean {
    return this.#stamps[row] === this.#stamp;
  }

  /** Those that were returned last, sorted in their place. Where they are many, reading off all stamps is the faster sort. */
  ascending(): Int32Array {
    const count = this.#count;
    const rows = this.#rows.subarray(0, count);
    if (count * 8 > this.#stamps.length) {
      for (let row = 0, k = 0; k < count; row++) if (this.has(row)) rows[k++] = row;
    } else {
      rows.sort();
    }
    return rows;
  }

  /** Forgets what was met, and makes room for so many rows. */
  #begin(most: number): void {
    if (this.#stamp === 0x7fffffff) {
      this.#stamps.fill(0);
      this.#stamp = 0;
    }
    this.#stamp++;
    this.#count = 0;
    // One more, for what is written before it is known whether it is kept.
    const room = Math.min(most, this.#stamps.length) + 1;
    if (this.#rows.length < room) this.#rows = allocateIndices(2 * room);
  }
}
