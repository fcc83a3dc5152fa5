/** Temporary files: written at the end, read back as a whole, then deleted. They are not synced. */

import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { nameOutput } from '../write.ts';

/** A file for numbers that do not fit in memory. Errors name `flag` and the file. */
export class TemporaryFile {
  readonly flag: string;
  readonly path: string;
  #file: number | null;
  #length = 0;

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
    nameOutput(this, () => {
      for (let done = 0; done < bytes.length;) {
        const count = readSync(this.#file!, bytes, done, Math.min(bytes.length - done, longestRead), done);
        if (count === 0) throw new Error('EIO: the file has become shorter');
        done += count;
      }
    });
    return bytes;
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
