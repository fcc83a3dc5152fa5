/** Reads parts of a file straight into arrays of the caller. */

import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { badValue } from '../core/check.ts';

/** A file that is open for reading. */
export class FileReader {
  readonly path: string;
  /** In bytes, when the file was opened. */
  readonly size: number;
  readonly #caller: string;
  readonly #file: number;
  #isOpen = true;

  /** Errors name `caller`. */
  constructor(caller: string, path: string) {
    this.#caller = caller;
    this.path = path;
    try {
      this.#file = openSync(path, 'r');
    } catch (error) {
      throw badValue(caller, 'a file that can be read', (error as Error).message);
    }
    const stats = fstatSync(this.#file);
    this.size = stats.size;
    if (stats.isFile()) return;
    closeSync(this.#file);
    throw badValue(caller, `${path} to be a file`, stats.isDirectory() ? 'a folder' : 'a pipe or device');
  }

  /** Fills `target` with the bytes from `position` on. Refuses a file that ends before. */
  read(target: Uint8Array, position: number): void {
    if (!this.#isOpen) throw badValue(this.#caller, `${this.path} to be open`, 'a file that was closed');
    for (let done = 0; done < target.length;) {
      const wanted = Math.min(target.length - done, longestRead);
      const count = this.#readOnce(target, done, wanted, position + done);
      if (count === 0) {
        const got = `${position + done} bytes`;
        throw badValue(this.#caller, `${position + target.length} bytes or more in ${this.path}`, got);
      }
      done += count;
    }
  }

  /** Closes the file. It may be called twice. */
  close(): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }

  #readOnce(target: Uint8Array, offset: number, length: number, position: number): number {
    try {
      return readSync(this.#file, target, offset, length, position);
    } catch (error) {
      throw badValue(this.#caller, `${this.path} to be readable`, (error as Error).message);
    }
  }
}

/** Linux reads at most 2 GiB at a time. */
const longestRead = 2 ** 30;

/** Whether the path leads to a folder. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
