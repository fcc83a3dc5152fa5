/** Temporary files: written at the end, read back and compared with checksums, then deleted. They are not synced. */

import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { fastCrc32 } from '../checksum.ts';
import { nameOutput } from '../write.ts';

/** A file for numbers that do not fit in memory. Errors name `flag` and the file. */
export class TemporaryFile {
  readonly flag: string;
  readonly path: string;
  #file: number | null;
  #length = 0;
  /** What each call of `append` added. */
  readonly #parts: { readonly begin: number; readonly end: number; readonly checksum: number }[] = [];

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
    const begin = this.#length;
    this.#parts.push({ begin, end: begin + bytes.length, checksum: fastCrc32(bytes) });
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
    for (const { begin, end, checksum } of this.#parts) this.#compare(bytes.subarray(begin, end), checksum);
    return bytes;
  }

  #fill(bytes: Uint8Array, position: number): void {
    nameOutput(this, () => {
      for (let done = 0; done < bytes.length;) {
        const wanted = Math.min(bytes.length - done, longestRead);
        const count = readSync(this.#file!, bytes, done, wanted, position + done);
        if (count === 0) throw new Error('EIO: the file has become shorter');
        done += count;
      }
    });
  }

  /** All bytes, in the pieces in which they were appended. Each is in the same array, and begins there. */
  *pieces(): Generator<Uint8Array<ArrayBuffer>, void> {
    const room = new Uint8Array(this.#parts.reduce((most, { begin, end }) => Math.max(most, end - begin), 0));
    for (const { begin, end, checksum } of this.#parts) {
      const piece = room.subarray(0, end - begin);
      this.#fill(piece, begin);
      this.#compare(piece, checksum);
      yield piece;
    }
  }

  #compare(bytes: Uint8Array, checksum: number): void {
    nameOutput(this, () => {
      if (fastCrc32(bytes) !== checksum) throw new Error('EIO: the file has other bytes than were written');
    });
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
