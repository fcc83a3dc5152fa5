/** The destination of an output: a file that can be replaced, a pipe or device, or an open file descriptor. */

import { fstatSync, lstatSync, readlinkSync, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

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

/** Equal texts for two paths that lead to the same file. Names of files that do not exist are compared without case. */
export function identityOf(path: string): string {
  const found = destinationOf(path);
  if (found.kind === 'descriptor') {
    // If standard output was redirected to a file, it is that file.
    const stats = fstatSync(found.descriptor, { bigint: true });
    return stats.isFile() ? inodeOf(stats) : `descriptor ${found.descriptor}`;
  }
  if (found.stats) return inodeOf(found.stats);
  const folder = statSync(dirname(found.path), { bigint: true });
  return `${folder.dev}:${folder.ino}/${basename(found.path).normalize('NFC').toLowerCase()}`;
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
