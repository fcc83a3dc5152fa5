/** `RowRegions`: sparse rows of pairs whose number of entries is not known in advance, computed by several threads. */

import type { Task } from '../../../core/task.ts';
import type { Loans } from '../../../wasm/loans.ts';

/** Chunks of rows that are computed together, each in a region of its own. It does not depend on the number of threads. */
const regionCount = 16;
/** Entries that are read between two pauses, a few milliseconds of work. */
const readsPerYield = 1 << 21;
const rowsOfChunk = { least: 16, most: 4096 };
/** The entries of a region before some row does not fit. */
const firstRoom = 1 << 14;

/** The regions of the kernels of `lib/kernels/galerkin.ts`, in borrowed memory. */
export class RowRegions {
  /** The number of rows of a chunk, and of entries of a region. */
  readonly chunk: number;
  room = firstRoom;
  readonly places: Int32Array;
  columns: Int32Array;
  pairs: Float64Array;
  readonly ends: Int32Array;
  readonly #size: number;
  readonly #loans: Loans;

  /** For `size` rows of at most `width` entries. `reads`: the number of entries that are read for all of them. */
  constructor(size: number, width: number, reads: number, loans: Loans) {
    this.#size = size;
    this.#loans = loans;
    const rows = Math.floor((readsPerYield * size) / Math.max(1, regionCount * reads));
    this.chunk = Math.max(rowsOfChunk.least, Math.min(rowsOfChunk.most, rows));
    this.places = loans.int32(regionCount * width);
    this.ends = loans.int32(size);
    [this.columns, this.pairs] = this.#borrow();
  }

  /**
   * Computes rows from … to−1 by `compute`, then passes ranges of finished rows to `take`, in order, with the place at which their entries begin.
   * False as soon as `take` returns false.
   */
  *fillSteps(
    compute: (from: number, to: number) => void,
    take: (from: number, to: number, at: number) => boolean,
  ): Task<boolean> {
    const { chunk, ends } = this;
    for (let from = 0; from < this.#size;) {
      const to = Math.min(this.#size, from + regionCount * chunk);
      compute(from, to);
      for (let region = 0; from < to; region++) {
        const last = Math.min(to, from + chunk);
        let end = from;
        while (end < last && ends[end] >= 0) end++;
        if (!take(from, end, region * this.room)) return false;
        from = end;
        if (end === last) continue;
        this.#grow();
        break;
      }
      yield 0;
    }
    return true;
  }

  giveBack(): void {
    this.#loans.giveBack(this.places, this.ends, this.columns, this.pairs);
  }

  /** Makes twice as much room. */
  #grow(): void {
    this.#loans.giveBack(this.columns, this.pairs);
    this.room *= 2;
    [this.columns, this.pairs] = this.#borrow();
  }

  #borrow(): [Int32Array, Float64Array] {
    const entries = regionCount * this.room;
    return [this.#loans.int32(entries), this.#loans.float64(2 * entries)];
  }
}
