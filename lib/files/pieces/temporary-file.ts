/** Temporary files: written at the end, read back and compared with a checksum, then deleted. They are not synced. */

import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { badValue } from '../../core/check.ts';
import { extendCrc32, fastCrc32 } from '../checksum.ts';
import { nameOutput } from '../write.ts';

/** A file for numbers that do not fit in memory. Errors name `flag` and the file. */
export class TemporaryFile {
  readonly flag: string;
  readonly path: string;
  #file: number | null;
  #length = 0;
  /** Of all bytes. */
  #checksum = 0;

  /** Replaces a file of that name. */
  constructor(flag: string, path: string) {
    this.flag = flag;
    this.path = path;
    this.#file = nameOutput(this, () => openSync(path, 'w+'));
  }

  /** The number of bytes so far. */
  get length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    this.#checksum = extendCrc32(this.#checksum, bytes);
    nameOutput(this, () => {
      for (let done = 0; done < bytes.length;) {
        const count = writeSync(this.#file!, bytes, done, bytes.length - done, this.#length);
        done += count;
        this.#length += count;
      }
    });
  }

  /** All bytes, in an array of their length. */
  read(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#length);
    this.#fill(bytes, 0);
    this.#compare(fastCrc32(bytes));
    return bytes;
  }

  #fill(bytes: Uint8Array, position: number): void {
    for (let done = 0; done < bytes.length;) {
      const wanted = Math.min(bytes.length - done, longestRead);
      const count = nameOutput(this, () => readSync(this.#file!, bytes, done, wanted, position + done));
      if (count === 0) throw this.#changed('a shorter one');
      done += count;
    }
  }

  /**
   * All bytes, in order, in an array of `size` bytes that is used again, and that the last piece does not fill. They are those that
   * were written if the generator ends without an error.
   */
  *pieces(size: number): Generator<Uint8Array<ArrayBuffer>, void> {
    const room = new Uint8Array(size);
    let checksum = 0;
    for (let at = 0; at < this.#length; at += size) {
      const piece = room.subarray(0, Math.min(size, this.#length - at));
      this.#fill(piece, at);
      checksum = extendCrc32(checksum, piece);
      yield piece;
    }
    this.#compare(checksum);
  }

  #compare(checksum: number): void {
    if (checksum !== this.#checksum) throw this.#changed('other bytes');
  }

  #changed(got: string): RangeError {
    const remedy = 'Something else has changed it. Start again.';
    return badValue('writeOutput', `${this.flag} ${this.path} to be as it was written`, got, remedy);
  }

  /** Closes and deletes the file. It may be called twice. */
  remove(): void {
    if (this.#file === null) return;
    closeSync(this.#file);
    this.#file = null;
    rmSync(this.path, { force: true });
  }
}

const longestRead = 2 ** 30;
