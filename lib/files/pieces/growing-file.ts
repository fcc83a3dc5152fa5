/** Files that are written piece by piece: to a draft, which reaches the disk before it takes the name of the file. */

import { closeSync, constants, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Task } from '../../core/task.ts';
import { draftPath } from '../drafts.ts';
import { reach } from '../moments.ts';
import { nameOutput, syncFolderNow } from '../write.ts';

const { O_CREAT, O_EXCL, O_RDWR } = constants;

/**
 * A file that nobody sees before `finish`. Errors name `flag` and the file. Whoever creates one calls `finish` or `discard`.
 */
export class GrowingFile {
  readonly flag: string;
  readonly path: string;
  readonly #draft: string;
  #file: number | null;
  #length = 0;

  constructor(flag: string, path: string) {
    this.flag = flag;
    this.path = path;
    this.#draft = draftPath(path);
    this.#file = nameOutput(this, () => {
      reach('before-draft', path);
      return openSync(this.#draft, O_RDWR | O_CREAT | O_EXCL);
    });
  }

  /** The number of bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Adds bytes at the end. */
  append(bytes: Uint8Array): void {
    nameOutput(this, () => reach('half-written', this.path));
    this.#write(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Replaces bytes that were written before. */
  overwrite(bytes: Uint8Array, position: number): void {
    this.#write(bytes, position);
  }

  /** Gives the file its name, replacing an older one. It is then on the disk. */
  finish(): void {
    nameOutput(this, () => {
      try {
        reach('before-sync', this.path);
        fsyncSync(this.#file!);
        this.#close();
        reach('before-rename', this.path);
        renameSync(this.#draft, this.path);
      } catch (error) {
        this.discard();
        throw error;
      }
      reach('after-rename', this.path);
      syncFolderNow(dirname(this.path));
      reach('after-sync', this.path);
    });
  }

  /** Deletes the draft, if there is one. */
  discard(): void {
    this.#close();
    rmSync(this.#draft, { force: true });
  }

  #write(bytes: Uint8Array, position: number): void {
    nameOutput(this, () => {
      for (let done = 0; done < bytes.length;) {
        done += writeSync(this.#file!, bytes, done, Math.min(bytes.length - done, longestWrite), position + done);
      }
    });
  }

  #close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}

const longestWrite = 2 ** 24;

/** A file that gets its name when it is complete. */
export interface Draft {
  finish(): unknown;
  discard(): void;
}

/** Writes a file as a whole. If that fails, nothing of it is left. */
export function fill<D extends Draft>(draft: D, write: (draft: D) => void): void {
  try {
    write(draft);
  } catch (error) {
    draft.discard();
    throw error;
  }
  draft.finish();
}

/** `fill` as a task. `steps` writes. */
export function* fillSteps<T>(draft: Draft, steps: Task<T>): Task<T> {
  let isWritten = false;
  try {
    const result = yield* steps;
    isWritten = true;
    draft.finish();
    return result;
  } finally {
    if (!isWritten) draft.discard(); // also if the task is aborted
  }
}
