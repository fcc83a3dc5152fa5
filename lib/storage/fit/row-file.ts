/** `RowFile`: a row of Y and the degree of every node, in a file of which rows are read and replaced. */

import { RandomFile } from '../../files/pieces/random-file.ts';
import { allocate } from '../../tensor/tensor.ts';
import { type CacheStatistics, type Columns, PageCache } from '../arrays/page-cache.ts';
import { type PagedFile, type RowLayout, smallPageBytes } from '../arrays/paged-file.ts';
import { written } from '../graph/graph-writer.ts';

/** Some rows, in kernel memory. They are valid until the next call. */
export interface FileRows {
  readonly degrees: Float64Array;
  /** count×width. */
  readonly data: Float32Array;
}

/** The words of 32 bits of a degree. */
const degreeWords = 2;
const degreeColumns: Columns = { from: 0, count: degreeWords };
/** The bytes that are copied at a time. */
const copyBytes = 1 << 20;

export class RowFile {
  readonly size: number;
  readonly width: number;
  readonly #file: RandomFile;
  readonly #paged: PagedFile;
  readonly #cache: PageCache;
  /** The words of a row: even, so that degrees are aligned. */
  readonly #words: number;
  readonly #outputColumns: Columns;
  #raw = new Float64Array(0);
  #degrees = allocate(0, 'double');
  #data = allocate(0, 'single');

  /** Creates the file with zeros. `memory` is for the cache. Errors name `caller`. */
  constructor(caller: string, path: string, size: number, width: number, memory: number) {
    this.size = size;
    this.width = width;
    this.#words = degreeWords + width + (width % 2);
    this.#outputColumns = { from: degreeWords, count: width };
    this.#cache = new PageCache(caller, memory, smallPageBytes); // before the file, which a refusal of the memory would leave
    this.#file = new RandomFile(written, path, 4 * size * this.#words);
    this.#paged = { reader: this.#file, checksums: null };
  }

  get statistics(): CacheStatistics {
    return this.#cache.statistics;
  }

  /** Where its rows are. */
  get table(): RowLayout {
    return { path: this.#file.path, begin: 0, rowBytes: 4 * this.#words };
  }

  /** The rows with these numbers, in this order. */
  read(list: Int32Array): FileRows {
    if (this.#cache.holds(this.#paged)) {
      const { degrees, data } = this.#rowsOf(list.length);
      this.#cache.gather(this.#paged, 0, this.#words, list, wordsOf(degrees), degreeColumns);
      this.#cache.gather(this.#paged, 0, this.#words, list, wordsOf(data), this.#outputColumns);
      return { degrees, data };
    }
    const raw = this.#room(list.length);
    this.#cache.gather(this.#paged, 0, this.#words, list, new Int32Array(raw.buffer, 0, list.length * this.#words));
    return this.#unpack(list.length);
  }

  /** Rows from … to − 1. */
  readRange(from: number, to: number): FileRows {
    const raw = this.#room(to - from);
    const bytes = new Uint8Array(raw.buffer, 0, 4 * (to - from) * this.#words);
    this.#cache.flush();
    this.#file.read(bytes, 4 * from * this.#words);
    return this.#unpack(to - from);
  }

  /** Replaces the rows with these numbers. Their degrees stay. */
  replace(list: Int32Array, data: Float32Array): void {
    this.#cache.scatter(this.#paged, 0, this.#words, list, wordsOf(data), this.#outputColumns);
  }

  /** Writes rows from `from` on, with their degrees. No page of them may be in the cache. */
  writeRange(from: number, degrees: Float64Array, data: ArrayLike<number>): void {
    const words = this.#words;
    const raw = this.#room(degrees.length);
    const numbers = new Float32Array(raw.buffer, 0, degrees.length * words);
    for (let i = 0, at = 0; i < degrees.length; i++) {
      raw[(i * words) / 2] = degrees[i];
      for (let j = 0, to = i * words + degreeWords; j < this.width; j++) numbers[to + j] = data[at++];
    }
    this.#cache.forget(this.#paged);
    this.#file.write(new Uint8Array(raw.buffer, 0, 4 * degrees.length * words), 4 * from * words);
  }

  /** Passes all bytes of the file to `use`, in order. */
  forEachPiece(use: (bytes: Uint8Array) => void): void {
    this.#cache.flush();
    const buffer = new Uint8Array(Math.min(copyBytes, this.#file.size));
    for (let at = 0; at < this.#file.size; at += buffer.length) {
      const piece = buffer.subarray(0, Math.min(buffer.length, this.#file.size - at));
      this.#file.read(piece, at);
      use(piece);
    }
  }

  /** The bytes of the file. */
  get bytes(): number {
    return this.#file.size;
  }

  /** Replaces bytes of the file, before any row is read. */
  restore(bytes: Uint8Array, position: number): void {
    this.#file.write(bytes, position);
  }

  /** Deletes the file. */
  remove(): void {
    this.#cache.forget(this.#paged);
    this.#file.remove();
  }

  #room(count: number): Float64Array {
    if (this.#raw.length < (count * this.#words) / 2) this.#raw = new Float64Array((count * this.#words) / 2);
    return this.#raw;
  }

  /** Memory for some rows. */
  #rowsOf(count: number): FileRows {
    const { width } = this;
    if (this.#degrees.length < count) {
      this.#degrees = allocate(count, 'double');
      this.#data = allocate(count * width, 'single');
    }
    return { degrees: this.#degrees.subarray(0, count), data: this.#data.subarray(0, count * width) };
  }

  #unpack(count: number): FileRows {
    const { width } = this;
    const words = this.#words;
    const { degrees, data } = this.#rowsOf(count);
    const numbers = new Float32Array(this.#raw.buffer, 0, count * words);
    const raw = this.#raw;
    for (let i = 0, at = 0, row = 0; i < count; i++, at += width, row += words) {
      degrees[i] = raw[row >> 1];
      for (let j = 0; j < width; j++) data[at + j] = numbers[row + degreeWords + j];
    }
    return { degrees, data };
  }
}

/** The same memory, 32 bits at a time. */
function wordsOf({ buffer, byteOffset, byteLength }: Float32Array | Float64Array): Int32Array {
  return new Int32Array(buffer, byteOffset, byteLength / 4);
}
