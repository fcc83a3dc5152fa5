/** The operations of a write, once blocking and once in the background, so that both kinds of writes share their steps. */

import { close, fchmod, fsync, open, rename, rm, write } from 'node:fs';
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

/** Descriptors and counts of bytes are numbers; operations without a result return nothing. */
type Result = number | void;

export interface Disk<R extends Result | Promise<Result> = Result | Promise<Result>> {
  open(path: string, flags: number): R;
  /** Returns how many bytes were written. */
  write(file: number, bytes: Uint8Array): R;
  /** Sets the permissions of a file. */
  permit(file: number, mode: number): R;
  sync(file: number): R;
  close(file: number): R;
  rename(from: string, to: string): R;
  /** Deletes a file if it is there. */
  remove(path: string): R;
}

/** A generator that yields operations and receives their results. */
export type Steps = Generator<(disk: Disk) => Result | Promise<Result>, void, number>;

export function runBlocking(steps: Steps): void {
  let next = steps.next(0);
  while (!next.done) {
    const operation = next.value;
    let result: Result;
    try {
      result = operation(blocking) as Result;
    } catch (error) {
      next = steps.throw(error);
      continue;
    }
    next = steps.next(result ?? 0);
  }
}

export async function runInBackground(steps: Steps): Promise<void> {
  let next = steps.next(0);
  while (!next.done) {
    let result: Result;
    try {
      // oxlint-disable-next-line no-await-in-loop -- each step needs the one before
      result = await next.value(background);
    } catch (error) {
      next = steps.throw(error);
      continue;
    }
    next = steps.next(result ?? 0);
  }
}

const blocking: Disk<Result> = {
  open: (path, flags) => openSync(path, flags),
  write: (file, bytes) => writeSync(file, bytes),
  permit: fchmodSync,
  sync: fsyncSync,
  close: closeSync,
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
};

const [openLater, writeLater, removeLater] = [promisify(open), promisify(write), promisify(rm)];

const background: Disk<Promise<Result>> = {
  open: (path, flags) => openLater(path, flags),
  write: async (file, bytes) => (await writeLater(file, bytes)).bytesWritten,
  permit: promisify(fchmod),
  sync: promisify(fsync),
  close: promisify(close),
  rename: promisify(rename),
  remove: (path) => removeLater(path, { force: true }),
};
