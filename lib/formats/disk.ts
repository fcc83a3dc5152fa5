/** Data sets from files on disk. Works in Node only, and imports the modules of Node when a function is called. */

import { badKind, badValue } from '../core/check.ts';
import { checkOptions } from '../core/options.ts';
import type { Dataset } from './dataset.ts';
import { formatFromName, type PointsOptions, pointsRules, readPointsAs } from './points.ts';

/** Streams points from a .csv, .tsv, .txt, .npy or .idx file or the .gz of one. Default name: that of the file. */
export async function openPoints(path: string, options: PointsOptions = {}): Promise<Dataset> {
  const caller = 'openPoints';
  if (typeof path !== 'string') throw badKind(caller, 'the path of a file', path, 'readPoints takes bytes.');
  checkOptions(caller, options, pointsRules);
  const format = options.format ?? formatFromName(path);
  const name = /([^/\\]*?)(\.[a-z]+)?(\.gz)?$/i.exec(path)?.[1] || path;
  const stream = await openFile(caller, path);
  try {
    return await readPointsAs(caller, stream, { name, ...options, ...(format && { format }) });
  } finally {
    stream.destroy();
  }
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
