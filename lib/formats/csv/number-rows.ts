/** `NumberRows`: a growing list of rows, in blocks that are copied into one tensor at the end. */

import { type DataOf, type Precision, type Tensor, zeros } from '../../tensor/tensor.ts';

/** The approximate sizes of the first and of the largest block, in numbers. A block holds at least one row. */
const firstSize = 1 << 10;
const largestSize = 1 << 18;

export class NumberRows {
  readonly #width: number;
  readonly #precision: Precision;
  readonly #full: DataOf<Precision>[] = [];
  #block: DataOf<Precision>;
  #offset = 0;
  #count = 0;

  constructor(width: number, precision: Precision) {
    this.#width = width;
    this.#precision = precision;
    this.#block = this.#newBlock();
  }

  get count(): number {
    return this.#count;
  }

  /** The next row is written to block[offset…]. */
  get block(): DataOf<Precision> {
    return this.#block;
  }

  get offset(): number {
    return this.#offset;
  }

  /** Makes room for one more row, which counts once it is committed. */
  reserve(): void {
    if (this.#offset < this.#block.length) return;
    this.#full.push(this.#block);
    this.#block = this.#newBlock();
    this.#offset = 0;
  }

  commit(): void {
    this.#offset += this.#width;
    this.#count++;
  }

  /** All committed rows in a new tensor. */
  tensor(): Tensor {
    const result = zeros([this.#count, this.#width], this.#precision);
    let at = 0;
    for (const block of this.#full) {
      result.data.set(block, at);
      at += block.length;
    }
    result.data.set(this.#block.subarray(0, this.#offset), at);
    return result;
  }

  /** A new block outside of the kernels' memory, which never shrinks. */
  #newBlock(): DataOf<Precision> {
    const size = Math.min(largestSize, firstSize * 2 ** this.#full.length);
    const length = this.#width * Math.max(1, Math.round(size / this.#width));
    return this.#precision === 'double' ? new Float64Array(length) : new Float32Array(length);
  }
}
