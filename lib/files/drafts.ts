/** Drafts: the hidden files that hold new bytes until they are complete. Those of killed processes are swept. */

import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { checksum } from './checksum.ts';
import { attempt, self, stateOf } from './owner.ts';

/**
 * The draft of a file in the same folder. The name contains at most 16 characters of the file's, so that it is never too
 * long for the file system, and the process and thread, so that two runs never share a draft.
 */
export function draftPath(file: string): string {
  const { machine, pid, start } = self;
  return join(dirname(file), `${draftPrefix(basename(file))}${machine}-${pid}-${start}-${threadId}.draft`);
}

/** Whether this is the name of a draft of the named file, of any process. */
export function isDraftOf(name: string, file: string): boolean {
  return pattern.exec(name)?.[1] === draftPrefix(file);
}

/** Deletes the drafts of the file that killed processes left behind. Ignores drafts that it may not delete: they do no harm. */
export function sweepDrafts(file: string): void {
  const prefix = draftPrefix(basename(file));
  for (const draft of draftsIn(dirname(file))) if (draft.prefix === prefix && isAbandoned(draft)) remove(draft);
}

/** Deletes the drafts of the named files in a folder, or of all: those of killed processes or, for 'own', those of this process. */
export function sweepFolder(folder: string, names: Iterable<string> | 'all', whose: 'killed' | 'own'): void {
  const prefixes = names === 'all' ? null : new Set(Array.from(names, draftPrefix));
  for (const draft of draftsIn(folder)) {
    if (prefixes && !prefixes.has(draft.prefix)) continue;
    if (whose === 'own' ? draft.state === 'self' : isAbandoned(draft)) remove(draft);
  }
}

interface Draft {
  readonly path: string;
  readonly prefix: string;
  readonly state: ReturnType<typeof stateOf>;
}

const pattern = /^(\..*\.[\da-f]{8}-)([\da-f]{8})-(\d+)-(\d+)-\d+\.draft$/s;

function draftPrefix(name: string): string {
  return `.${[...name].slice(0, 16).join('')}.${checksum(name)}-`;
}

/** None for a folder that may be written but not read. */
function draftsIn(folder: string): Draft[] {
  return (attempt(() => readdirSync(folder)) ?? []).flatMap((name) => {
    const found = pattern.exec(name);
    if (!found) return [];
    const [, prefix, machine, pid, start] = found;
    return [{ path: join(folder, name), prefix, state: stateOf({ machine, pid: Number(pid), start: Number(start) }) }];
  });
}

const dayInMilliseconds = 86_400_000;

/** A draft of another machine counts as abandoned if it is a day older than the latest change of its folder. */
function isAbandoned({ path, state }: Draft): boolean {
  if (state !== 'unknown') return state === 'dead';
  const [draft, folder] = [path, dirname(path)].map((each) => statSync(each, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return folder - draft > dayInMilliseconds;
}

function remove({ path }: Draft): void {
  attempt(() => rmSync(path, { force: true }));
}
