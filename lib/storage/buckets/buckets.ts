/** Entries of a matrix that does not fit in memory, in files by ranges of rows. */

import { join } from 'node:path';
import { TemporaryFile } from '../../files/pieces/temporary-file.ts';
import type { Triplets } from '../../sparse/build.ts';

/** Rows are counted in groups of this many, and a group is never divided. */
const groupRows = 1 << 10;

/** Counts the entries in each group of rows, in a first pass over them. */
export class RowCounts {
  #counts = new Float64Array(1024);
  /** One more than the largest row or column, and the number of entries. */
  size = 0;
  entries = 0;

  /** Counts an entry, and its mirror image if `mirrored`. */
  add(row: number, column: number, mirrored: boolean): void {
    const size = Math.max(row, column) + 1;
    if (size > this.size) this.#grow(size);
    this.entries++;
    this.#counts[Math.floor(row / groupRows)]++;
    if (mirrored) this.#counts[Math.floor(column / groupRows)]++;
  }

  /**
   * The first rows of buckets that have at most `most` records each, and `size` at the end. A group with more of them is a
   * bucket by itself.
   */
  divide(size: number, most: number): Int32Array {
    const bounds = [0];
    let records = 0;
    for (let group = 0; group * groupRows < size; group++) {
      const count = this.#counts[group] ?? 0;
      if (records > 0 && records + count > most) {
        bounds.push(group * groupRows);
        records = 0;
      }
      records += count;
    }
    return Int32Array.of(...bounds, size);
  }

  #grow(size: number): void {
    this.size = size;
    const groups = Math.ceil(size / groupRows);
    if (groups <= this.#counts.length) return;
    const larger = new Float64Array(Math.max(groups, 2 * this.#counts.length));
    larger.set(this.#counts);
    this.#counts = larger;
  }
}

/** The bytes of a record: row, column and value. The column c of a mirror image is −1 − c. */
const recordBytes = 16;
/** A process may open about a thousand files. */
const mostFiles = 480;
/** The bytes of a file of several buckets that are read at a time. */
const pieceBytes = recordBytes << 13;

/** What `Buckets` may be told besides its folder, for specs and for itself. */
export interface BucketFiles {
  /** The most files at a time. */
  readonly most?: number;
  /** The number in the name of the first file. */
  readonly firstName?: number;
}

/** The entries of one bucket. Rows count from its first row. */
export interface BucketEntries {
  readonly own: Triplets<Int32Array, Float64Array>;
  /** Entry (j, i) for every entry (i, j) whose mirror image was added too. */
  readonly mirrored: Triplets<Int32Array, Float64Array>;
}

/**
 * Files with the entries of ranges of rows. Entries of a bucket keep the order in which they came. If there are more buckets than
 * files, a file has several buckets, and its entries are distributed over files of their own when one of them is read.
 */
export class Buckets {
  /** Bucket b has rows bounds[b] … bounds[b + 1] − 1. */
  readonly bounds: Int32Array;
  readonly #flag: string;
  readonly #folder: string;
  readonly #memory: number;
  readonly #limits: Required<BucketFiles>;
  /** The number of buckets in a file, and the file whose buckets have files of their own. */
  readonly #perFile: number;
  #divided: { readonly file: number; readonly buckets: Buckets } | null = null;
  readonly #files: TemporaryFile[] = [];
  readonly #bucketOf: Int32Array;
  #integers: Int32Array<ArrayBuffer>;
  #numbers: Float64Array;
  readonly #filled: Int32Array;
  readonly #capacity: number;

  /** `memory` bytes are for all buffers together. */
  constructor(flag: string, folder: string, bounds: Int32Array, memory: number, files: BucketFiles = {}) {
    const { most = mostFiles, firstName = 0 } = files;
    const buckets = bounds.length - 1;
    this.bounds = bounds;
    [this.#flag, this.#folder, this.#memory] = [flag, folder, memory];
    this.#limits = { most, firstName };
    this.#perFile = Math.ceil(buckets / most);
    const count = Math.ceil(buckets / this.#perFile);
    this.#bucketOf = new Int32Array(Math.ceil(bounds[buckets] / groupRows));
    for (let b = 0; b < buckets; b++) {
      const file = Math.floor(b / this.#perFile);
      this.#bucketOf.fill(file, bounds[b] / groupRows, Math.ceil(bounds[b + 1] / groupRows));
    }
    this.#capacity = Math.max(256, Math.min(1 << 16, Math.floor(memory / count / recordBytes)));
    const buffer = new ArrayBuffer(count * this.#capacity * recordBytes);
    this.#integers = new Int32Array(buffer);
    this.#numbers = new Float64Array(buffer);
    this.#filled = new Int32Array(count);
    try {
      for (let b = 0; b < count; b++) {
        const name = `bucket-${String(firstName + b).padStart(3, '0')}.part`;
        this.#files.push(new TemporaryFile(flag, join(folder, name)));
      }
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  /** Adds the entry (row, column) to its bucket. */
  push(row: number, column: number, value: number): void {
    this.#put(row, column, value);
  }

  /** Adds the entry (row, column) as the mirror image of (column, row). */
  pushMirrored(row: number, column: number, value: number): void {
    this.#put(row, -1 - column, value);
  }

  /** The entries of bucket b. Nothing may be added afterwards. */
  read(b: number): BucketEntries {
    if (this.#perFile > 1) return this.#dividedFile(Math.floor(b / this.#perFile)).read(b % this.#perFile);
    this.#flush(b);
    const { buffer } = this.#files[b].read();
    const integers = new Int32Array(buffer);
    const numbers = new Float64Array(buffer);
    const count = numbers.length / 2;
    let mirrors = 0;
    for (let k = 0; k < count; k++) if (integers[4 * k + 1] < 0) mirrors++;
    const [own, mirrored] = [roomFor(count - mirrors), roomFor(mirrors)];
    for (let k = 0, at = 0, mirrorAt = 0; k < count; k++) {
      const column = integers[4 * k + 1];
      const to = column < 0 ? mirrored : own;
      const place = column < 0 ? mirrorAt++ : at++;
      to.rows[place] = integers[4 * k] - this.bounds[b];
      to.columns[place] = column < 0 ? -1 - column : column;
      to.values[place] = numbers[2 * k + 1];
    }
    return { own, mirrored };
  }

  /** Deletes all files. */
  remove(): void {
    this.#divided?.buckets.remove();
    for (const file of this.#files) file.remove();
  }

  /** The buckets of a file, in files of their own. Those of the file before are deleted. */
  #dividedFile(file: number): Buckets {
    if (this.#divided?.file === file) return this.#divided.buckets;
    this.#divided?.buckets.remove();
    this.#divided = null;
    if (this.#integers.length > 0) {
      for (let f = 0; f < this.#files.length; f++) this.#flush(f);
      // The buffers are those of the divided file from now on.
      this.#integers = new Int32Array(0);
      this.#numbers = new Float64Array(0);
    }
    const bounds = this.bounds.slice(this.#perFile * file, this.#perFile * (file + 1) + 1);
    const { most, firstName } = this.#limits;
    const limits = { most, firstName: firstName + this.#files.length };
    const buckets = new Buckets(this.#flag, this.#folder, bounds, this.#memory, limits);
    this.#divided = { file, buckets };
    for (const piece of this.#files[file].pieces(pieceBytes)) buckets.#putAll(piece);
    return buckets;
  }

  /** Adds records as they are in a file. */
  #putAll(bytes: Uint8Array<ArrayBuffer>): void {
    const integers = new Int32Array(bytes.buffer, 0, bytes.length / 4);
    const numbers = new Float64Array(bytes.buffer, 0, bytes.length / 8);
    for (let k = 0; 2 * k < numbers.length; k++) this.#put(integers[4 * k], integers[4 * k + 1], numbers[2 * k + 1]);
  }

  #put(row: number, column: number, value: number): void {
    const b = this.#bucketOf[Math.floor(row / groupRows)];
    if (this.#filled[b] === this.#capacity) this.#flush(b);
    const at = b * this.#capacity + this.#filled[b]++;
    this.#integers[4 * at] = row;
    this.#integers[4 * at + 1] = column;
    this.#numbers[2 * at + 1] = value;
  }

  #flush(b: number): void {
    const first = b * this.#capacity * recordBytes;
    this.#files[b].append(new Uint8Array(this.#integers.buffer, first, this.#filled[b] * recordBytes));
    this.#filled[b] = 0;
  }
}

function roomFor(count: number): Triplets<Int32Array, Float64Array> {
  return { rows: new Int32Array(count), columns: new Int32Array(count), values: new Float64Array(count) };
}
