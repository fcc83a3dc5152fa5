/** The identity of a process, as part of the names of its drafts, and whether the process of a draft is still alive. */

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { checksum } from './checksum.ts';

export interface Owner {
  /** A checksum of the host, its last start and the namespace in which process numbers count. */
  readonly machine: string;
  readonly pid: number;
  /** When the process started: on Linux in ticks since the machine started, elsewhere in milliseconds since 1970. */
  readonly start: number;
}

/** 'unknown' for a process of another machine or container, of which nothing can be learned here. */
export type OwnerState = 'self' | 'alive' | 'dead' | 'unknown';

const machine = checksum(
  [hostname(), attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')), namespace()].join('\n'),
);

export const self: Owner = {
  machine,
  pid: process.pid,
  start: processStart(process.pid)?.start ?? Math.round(performance.timeOrigin),
};

export function stateOf(owner: Owner): OwnerState {
  if (owner.machine !== self.machine) return 'unknown';
  if (owner.pid === self.pid) return owner.start === self.start ? 'self' : 'dead';
  if (processStart(self.pid)) {
    const found = processStart(owner.pid);
    return found && found.start === owner.start && !found.ended ? 'alive' : 'dead';
  }
  try {
    process.kill(owner.pid, 0);
    return 'alive';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? 'dead' : 'alive';
  }
}

/** From /proc, which only Linux has: state and start time are fields 3 and 22, after a name in parentheses. */
function processStart(pid: number): { readonly start: number; readonly ended: boolean } | undefined {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { start: Number(fields[19]), ended: fields[0] === 'Z' || fields[0] === 'X' };
}

function namespace(): string | undefined {
  return attempt(() => readlinkSync('/proc/self/ns/pid'));
}

/** The result of `use`; undefined if the system refuses. For this folder only. */
export function attempt<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
