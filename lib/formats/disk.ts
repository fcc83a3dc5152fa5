/** Data sets from files on disk. Works in Node only, and imports the modules of Node when a function is called. */

import { badKind, badValue } from '../core/check.ts';
import { checkOptions } from '../core/options.ts';
import { collect } from './bytes/byte-source.ts';
import type { Dataset } from './dataset.ts';
import { formatFromName, type PointsOptions, pointsRules, readPointsAs } from './points.ts';
import { boundedPieces, readTableFrom, type TableOptions, tableRules } from './table/read-table.ts';
import type { Table } from './table/table.ts';
import { libraryWording, type Wording } from './table/wording.ts';

/** Streams points from a .csv, .tsv, .txt, .npy or .idx file or the .gz of one. Default name: that of the file. */
export async function openPoints(path: string, options: PointsOptions = {}): Promise<Dataset> {
  const caller = 'openPoints';
  if (typeof path !== 'string') throw badKind(caller, 'the path of a file', path, 'readPoints takes bytes.');
  checkOptions(caller, options, pointsRules);
  const format = options.format ?? formatFromName(path);
  const stream = await openFile(caller, path);
  try {
    return await readPointsAs(caller, stream, { name: nameOf(path), ...options, ...(format && { format }) });
  } finally {
    stream.destroy();
  }
}

/** Reads a table from a file, as `readTable` does, or the .gz of one. Default name: that of the file. */
export async function openTable(path: string, options: TableOptions = {}): Promise<Table> {
  if (typeof path !== 'string')
    throw badKind('openTable', 'the path of a file', path, 'readTable takes text or bytes.');
  checkOptions('openTable', options, tableRules);
  return openTableAs(libraryWording('openTable'), path, options);
}

/** `openTable` with messages in the words of the caller. Internal. */
export async function openTableAs(wording: Wording, path: string, options: TableOptions): Promise<Table> {
  const open = (): AsyncGenerator<Uint8Array> => piecesOfFile(wording.caller, path, options.maxBytes);
  const settings = { name: nameOf(path), ...options };
  if (await canReopen(path)) return readTableFrom(wording, open, settings);
  const bytes = await collect(open());
  return readTableFrom(wording, () => onePiece(bytes), settings);
}

/** Whether a file can be read more than once. A pipe cannot. What cannot be opened at all is refused by whoever opens it. */
async function canReopen(path: string): Promise<boolean> {
  const { stat } = await importNodeModule<typeof import('node:fs/promises')>('fs/promises');
  const stats = await stat(path).catch(() => null);
  return !stats || stats.isFile();
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* piecesOfFile(caller: string, path: string, maxBytes: number | undefined): AsyncGenerator<Uint8Array> {
  const stream = await openFile(caller, path);
  try {
    yield* boundedPieces(caller, stream, maxBytes);
  } finally {
    stream.destroy();
  }
}

/** The name of a file without folder and endings. */
function nameOf(path: string): string {
  return /([^/\\]*?)(\.[a-z]+)?(\.gz)?$/i.exec(path)?.[1] || path;
}

/** A stream of the bytes of a file. Errors name `caller`. Internal. */
export async function openFile(caller: string, path: string): Promise<AsyncIterable<Uint8Array> & { destroy(): void }> {
  const { createReadStream } = await importNodeModule<typeof import('node:fs')>('fs');
  const stream = createReadStream(path, { highWaterMark: 1 << 20 });
  await new Promise<void>((resolve, reject) => {
    stream.once('readable', resolve).once('end', resolve);
    stream.once('error', ({ message }) => reject(badValue(caller, 'a file that can be read', message)));
  });
  return stream;
}

/** Imports a module of Node. The computed name keeps bundlers for browsers from resolving it. Internal. */
export async function importNodeModule<T>(name: string): Promise<T> {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`) as Promise<T>;
}
