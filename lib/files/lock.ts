/** A lock on a folder: one process at a time works in it. The lock of a process that has ended is ignored. */

import { closeSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { badValue } from '../core/check.ts';
import { attempt, type Owner, self, stateOf } from './owner.ts';
import { nameOutput } from './write.ts';

/**
 * Locks a folder, and returns a function that unlocks it. Throws if another process holds it. Each process has a lock file of
 * its own, with its process id in the name, so that nobody deletes the lock of a live process. It creates the file, then looks
 * for others: of two processes that start at the same time, at least one sees the other.
 */
export function lockFolder(flag: string, folder: string): () => void {
  const path = join(folder, lockName(self));
  nameOutput({ flag, path }, () => closeSync(create(path)));
  const unlock = (): void => rmSync(path, { force: true });
  for (let looks = 1; ; looks++) {
    const others = nameOutput({ flag, path: folder }, () => locksIn(folder)).filter(
      ({ owner }) => lockName(owner) !== lockName(self),
    );
    if (others.length === 0) return unlock;
    // Of two that start together, the later one gives up. The earlier one waits for that. A lock that stays is in use.
    if (looks < mostLooks && others.every(({ owner }) => isEarlier(self, owner))) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookInterval);
      continue;
    }
    unlock();
    throw busy(flag, folder, others[0]);
  }
}

/** Whether this is the name of a lock file, of any process. */
export function isLock(name: string): boolean {
  return pattern.test(name);
}

interface Lock {
  readonly name: string;
  readonly owner: Owner;
}

/** The number of looks, and the milliseconds between them: five seconds in all. */
const [mostLooks, lookInterval] = [250, 20];

const pattern = /^\.specnet-([\da-f]{8})-(\d+)-(\d+)\.lock$/;

function lockName({ machine, pid, start }: Owner): string {
  return `.specnet-${machine}-${pid}-${start}.lock`;
}

function create(path: string): number {
  try {
    return openSync(path, 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new Error('EBUSY: this process holds the lock', { cause: error });
    throw error;
  }
}

/** The locks of processes that may be alive. Deletes those of processes that have ended. */
function locksIn(folder: string): Lock[] {
  return readdirSync(folder).flatMap((name) => {
    const found = pattern.exec(name);
    if (!found) return [];
    const owner = { machine: found[1], pid: Number(found[2]), start: Number(found[3]) };
    if (stateOf(owner) !== 'dead') return [{ name, owner }];
    attempt(() => rmSync(join(folder, name), { force: true }));
    return [];
  });
}

function isEarlier(a: Owner, b: Owner): boolean {
  const order = a.start - b.start || a.pid - b.pid;
  return order === 0 ? a.machine < b.machine : order < 0;
}

function busy(flag: string, folder: string, { name, owner }: Lock): RangeError {
  const isHere = owner.machine === self.machine;
  const who = isHere ? `process ${owner.pid}` : `process ${owner.pid} of another machine or container`;
  const remedy = isHere
    ? 'Wait until it has ended, or choose another folder.'
    : `If it has ended, delete ${join(folder, name)}.`;
  return badValue(flag, 'a folder in which no other process works', `${folder}, which ${who} uses`, remedy);
}
