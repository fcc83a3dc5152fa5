/**
 * Writes files. All files of the command line are written here: to a draft in the same folder, which reaches the disk before
 * it takes the name of the file.
 */

import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { badValue } from '../core/check.ts';
import { type Destination, destinationOf } from './destination.ts';
import { runBlocking, runInBackground, type Steps } from './disk.ts';
import { draftPath, sweepDrafts } from './drafts.ts';
import { onInterrupt } from './interrupt.ts';
import { reach } from './moments.ts';

/** An output that was checked before the work began. */
export interface Output {
  /** The flag and the path as the user wrote them, for messages. */
  readonly flag: string;
  readonly path: string;
  readonly destination: Destination;
}

/**
 * Checks that a file can be written, by a draft that is deleted at once. Links are followed. Sweeps the drafts that killed
 * processes left of this file.
 */
export function openOutput(flag: string, path: string): Output {
  return nameOutput({ flag, path }, () => {
    const destination = destinationOf(path);
    if (destination.kind === 'device') accessSync(destination.path, constants.W_OK);
    if (destination.kind === 'file') {
      if (destination.stats) accessSync(destination.path, constants.W_OK);
      runBlocking(tryDraft(destination.path));
      sweepDrafts(destination.path);
      checkSticky(destination);
    }
    return { flag, path, destination };
  });
}

/**
 * Writes an output. A file is replaced as a whole: a failure, an interruption or a loss of power leaves the old file or the
 * new one. When the promise resolves, the file is on the disk. Pipes and devices receive the bytes directly.
 */
export async function writeOutput(output: Output, bytes: Uint8Array): Promise<void> {
  const release = cleanUpOnInterrupt(output);
  try {
    await replaceOutput(output, bytes);
  } finally {
    release();
  }
}

/** `writeOutput` without the signal handler, for callers that keep one installed over several writes. */
export async function replaceOutput(output: Output, bytes: Uint8Array): Promise<void> {
  const { destination } = output;
  try {
    if (destination.kind === 'descriptor') await writeDescriptor(destination.descriptor, bytes);
    else if (destination.kind === 'device') await runInBackground(writeThrough(destination.path, bytes));
    else await runInBackground(replace(destination.path, bytes));
  } catch (error) {
    // A reader that stops early, as `head` does, has what it wanted.
    if (destination.kind !== 'file' && (error as NodeJS.ErrnoException).code === 'EPIPE') return;
    throw unwritable(output, error as Error);
  }
}

/** Installs a signal handler that deletes the draft of the output. Returns a function that removes the handler. */
export function cleanUpOnInterrupt({ destination }: Output): () => void {
  // Nothing is to be cleaned for a pipe, and without a handler a signal ends the wait for its reader.
  if (destination.kind !== 'file') return () => undefined;
  return onInterrupt(() => runBlocking(removeDraft(destination.path)));
}

/** Replaces a file and blocks until it is on the disk. Does not follow a link at `path`: the file takes its place. */
export function replaceFileSync(flag: string, path: string, bytes: Uint8Array): void {
  nameOutput({ flag, path }, () => runBlocking(replace(path, bytes)));
}

/** Adds a line to a file that exists, in one piece, so that lines of several processes do not mix. */
export function appendLineSync(flag: string, path: string, line: string): void {
  nameOutput({ flag, path }, () => runBlocking(append(path, new TextEncoder().encode(`${line}\n`))));
}

/** Creates a folder and its parents. Node's own recursive option hangs where no folder can be created, as in /proc. */
export function makeFolder(flag: string, path: string): void {
  if (existsSync(path)) return;
  makeFolder(flag, dirname(path));
  try {
    mkdirSync(path);
    runBlocking(syncFolder(dirname(path)));
  } catch (error) {
    // Another thread may have created it first.
    if (existsSync(path)) return;
    throw badValue(flag, 'a folder that can be written to', shortMessage(error as Error));
  }
}

/** Writes the names in a folder to the disk, where the system can. */
export function syncFolderNow(folder: string): void {
  runBlocking(syncFolder(folder));
}

/** Refuses what the system would refuse after the work: in a sticky folder, only the owner of a file may replace it. */
function checkSticky({ path, stats }: Extract<Destination, { kind: 'file' }>): void {
  const user = process.geteuid?.() ?? 0;
  const folder = statSync(dirname(path));
  if (user === 0 || !stats || (folder.mode & 0o1000) === 0) return;
  if (Number(stats.uid) !== user && folder.uid !== user) throw new Error('EPERM: it belongs to another user');
}

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = constants;

function* tryDraft(file: string): Steps {
  const draft = draftPath(file);
  const descriptor = yield (disk) => disk.open(draft, O_WRONLY | O_CREAT | O_EXCL);
  yield (disk) => disk.close(descriptor);
  yield (disk) => disk.remove(draft);
}

function* removeDraft(file: string): Steps {
  yield (disk) => disk.remove(draftPath(file));
}

/** The steps that replace a file. Each of them may be the last one. For this file and its specs. */
export function* replace(file: string, bytes: Uint8Array): Steps {
  const draft = draftPath(file);
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  try {
    reach('before-draft', file);
    const descriptor = yield (disk) => disk.open(draft, O_WRONLY | O_CREAT | O_EXCL);
    try {
      if (mode !== undefined) yield (disk) => disk.permit(descriptor, mode & 0o777);
      const half = bytes.length >> 1;
      yield* writeAll(descriptor, bytes.subarray(0, half));
      reach('half-written', file);
      yield* writeAll(descriptor, bytes.subarray(half));
      reach('before-sync', file);
      yield (disk) => disk.sync(descriptor);
    } finally {
      yield (disk) => disk.close(descriptor);
    }
    reach('before-rename', file);
    yield (disk) => disk.rename(draft, file);
  } catch (error) {
    yield (disk) => disk.remove(draft);
    throw error;
  }
  reach('after-rename', file);
  yield* syncFolder(dirname(file));
  reach('after-sync', file);
}

/** The steps that add bytes to a file. For this file and its specs. */
export function* append(file: string, bytes: Uint8Array): Steps {
  reach('before-append', file);
  const descriptor = yield (disk) => disk.open(file, O_WRONLY | O_APPEND);
  try {
    yield* writeAll(descriptor, bytes);
    yield (disk) => disk.sync(descriptor);
  } finally {
    yield (disk) => disk.close(descriptor);
  }
  reach('after-append', file);
}

/** Opens a pipe, which waits for a reader, or a device. */
function* writeThrough(path: string, bytes: Uint8Array): Steps {
  const descriptor = yield (disk) => disk.open(path, O_WRONLY);
  try {
    yield* writeAll(descriptor, bytes);
  } finally {
    yield (disk) => disk.close(descriptor);
  }
}

const pieceLength = 1 << 24;

function* writeAll(descriptor: number, bytes: Uint8Array): Steps {
  for (let at = 0; at < bytes.length;) {
    const from = at;
    at += yield (disk) => disk.write(descriptor, bytes.subarray(from, from + pieceLength));
  }
}

/** Writes the names in a folder to the disk. Some systems cannot, and some folders may be written but not read. */
function* syncFolder(folder: string): Steps {
  let descriptor: number;
  try {
    descriptor = yield (disk) => disk.open(folder, O_RDONLY);
  } catch {
    return;
  }
  try {
    yield (disk) => disk.sync(descriptor);
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EPERM', 'EBADF'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    yield (disk) => disk.close(descriptor);
  }
}

/** The standard streams are written by Node's own streams, in the order of all other text. */
async function writeDescriptor(descriptor: number, bytes: Uint8Array): Promise<void> {
  const stream = { 1: process.stdout, 2: process.stderr }[descriptor];
  if (!stream) return runInBackground(writeAll(descriptor, bytes));
  await new Promise<void>((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/** Runs `use`. An error of the system becomes one that names flag and file. For this folder only. */
export function nameOutput<T>(output: Pick<Output, 'flag' | 'path'>, use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw unwritable(output, error as Error);
  }
}

/** The way out of errors of the system. */
const remedies: Readonly<Record<string, string>> = {
  ENOENT: 'Create its folder first.',
  ENOSPC: 'Free space there, or choose another disk.',
  EDQUOT: 'Free space there, or choose another disk.',
};

function unwritable({ flag, path }: Pick<Output, 'flag' | 'path'>, error: Error): RangeError {
  const remedy = remedies[(error as NodeJS.ErrnoException).code ?? ''];
  return badValue('writeOutput', `${flag} ${path} to be a file that can be written`, shortMessage(error), remedy);
}

/** The message of the system without the call and the name of the draft: `ENOSPC: no space left on device`. */
function shortMessage({ message }: Error): string {
  return message.replace(/, \w+( '.*)?$/s, '');
}
