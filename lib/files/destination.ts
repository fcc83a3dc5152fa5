/** The destination of an output: a file that can be replaced, a pipe or device, or an open descriptor; and its conflicts with inputs. */

import { fstatSync, lstatSync, readlinkSync, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { badValue } from '../core/check.ts';
import { attempt } from './owner.ts';

export type Destination =
  | { readonly kind: 'file'; readonly path: string; readonly stats: BigIntStats | undefined }
  | { readonly kind: 'device'; readonly path: string; readonly stats: BigIntStats }
  | { readonly kind: 'descriptor'; readonly descriptor: number };

/** Follows links, also one to a file that does not exist yet. Throws the error of the system for a folder that does not. */
export function destinationOf(path: string): Destination {
  let current = resolve(path);
  for (let links = 0; links < maxLinks; links++) {
    const folder = realpathSync(dirname(current));
    const name = basename(current);
    if (descriptorFolders.has(folder) && /^\d+$/.test(name)) {
      return { kind: 'descriptor', descriptor: Number(name) };
    }
    current = join(folder, name);
    const stats = lstatSync(current, { bigint: true, throwIfNoEntry: false });
    if (!stats?.isSymbolicLink()) return classify(current, stats);
    current = resolve(folder, readlinkSync(current));
  }
  throw new Error(`ELOOP: more than ${maxLinks} links`);
}

/** Equal texts for two paths that lead to the same file or folder. Names of files that do not exist are compared without case. */
export function identityOf(path: string): string {
  return identitiesOf(path)[0];
}

/** Refuses to write to a path, which messages call `name`, where that could change an input. Paths are strings. */
export function checkApart(caller: string, name: string, output: string, input: string): void {
  const found = conflictOf(name, output, `the input '${input}'`, input);
  if (found) throw badValue(caller, found.rule, found.got);
}

/** Why an output could change what is at another path, in the words of an error. */
interface Conflict {
  readonly kind: 'same' | 'inside' | 'around';
  readonly rule: string;
  readonly got: string;
}

/** The conflict of an output with `what` is at another path, or null. Links are followed; neither need exist. */
export function conflictOf(name: string, output: string, what: string, other: string): Conflict | null {
  const conflict = (kind: Conflict['kind'], rule: string, how: string): Conflict => ({
    kind,
    rule: `${name} to be ${rule} ${what}`,
    got: `'${output}', which ${how}`,
  });
  const [written, read] = [identitiesOf(output), identitiesOf(other)];
  if (written[0] === read[0]) return conflict('same', 'another file than', 'is the same');
  if (written.includes(read[0])) return conflict('inside', 'outside', 'is inside');
  return read.includes(written[0]) ? conflict('around', 'a folder without', 'contains it') : null;
}

/** The identities of a path and of all folders around it, from the inside out. */
function identitiesOf(path: string): string[] {
  const found = attempt(() => destinationOf(path));
  if (found?.kind !== 'descriptor') return identitiesAt(followLinks(resolve(path), maxLinks));
  // If standard output was redirected to a file, it is that file.
  const stats = attempt(() => fstatSync(found.descriptor, { bigint: true }));
  return [stats?.isFile() ? inodeOf(stats) : `descriptor ${found.descriptor}`];
}

/** The path without links, as far as it exists. */
function followLinks(path: string, links: number): string {
  const found = attempt(() => realpathSync(path));
  const folder = dirname(path);
  if (found !== undefined || folder === path) return found ?? path;
  const around = followLinks(folder, links);
  const target = links > 0 ? attempt(() => readlinkSync(path)) : undefined;
  return target === undefined ? join(around, basename(path)) : followLinks(resolve(around, target), links - 1);
}

function identitiesAt(path: string): string[] {
  const folder = dirname(path);
  const around = folder === path ? [] : identitiesAt(folder);
  const stats = attempt(() => statSync(path, { bigint: true }));
  const name = basename(path).normalize('NFC').toLowerCase();
  return [stats ? inodeOf(stats) : `${around[0]}/${name}`, ...around];
}

function inodeOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** As many as Linux follows. */
const maxLinks = 40;

const descriptorFolders = new Set(['/dev/fd', `/proc/${process.pid}/fd`]);

function classify(path: string, stats: BigIntStats | undefined): Destination {
  if (stats?.isDirectory()) throw new Error('EISDIR: it is a folder');
  if (!stats || stats.isFile()) return { kind: 'file', path, stats };
  return { kind: 'device', path, stats };
}
