/** A file of fixed size whose parts are read and replaced in any order. */

import { closeSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { nameOutput } from '../write.ts';

/** A file for numbers that change and do not fit in memory. Errors name `flag` and the file. */
export class RandomFile {
  readonly flag: string;
  readonly path: string;
  readonly size: number;
  #file: number | null;

  /** Replaces a file of that name by zeros. */
  constructor(flag: string, path: string, size: number) {
    this.flag = flag;
    this.path = path;
    this.size = size;
    this.#file = nameOutput(this, () => {
      const file = openSync(path, 'w+');
      ftruncateSync(file, size);
      return file;
    });
  }

  read(target: Uint8Array, position: number): void {
    nameOutput(this, () => {
      for (let done = 0; done < target.length;) {
        const count = readSync(this.#file!, target, done, target.length - done, position + done);
        if (count === 0) throw new Error('EIO: the file has become shorter');
        done += count;
      }
    });
  }

  write(bytes: Uint8Array, position: number): void {
    nameOutput(this, () => {
      for (let done = 0; done < bytes.length;) {
        done += writeSync(this.#file!, bytes, done, bytes.length - done, position + done);
      }
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
