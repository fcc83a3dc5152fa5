/** The checksums of the pages of several arrays in one file, of which a header states the checksum. */

import { badValue } from '../../core/check.ts';
import { checksum } from '../../files/checksum.ts';
import { fill } from '../../files/pieces/growing-file.ts';
import { ArrayReader, ArrayWriter } from './array-file.ts';
import type { PageCache } from './page-cache.ts';

/** Writes the checksums of all arrays, one array after another. Returns the checksum of them. Errors name the file. */
export function writeChecksums(path: string, pages: readonly Uint32Array[]): string {
  const checksums = new Uint32Array(pages.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const page of pages) {
    checksums.set(page, at);
    at += page.length;
  }
  fill(new ArrayWriter('the file', path, '<u4'), (list) => list.append(checksums));
  return checksum(new Uint8Array(checksums.buffer));
}

/** Reads them, and compares them with the checksum that a header states. */
export function readChecksums(caller: string, path: string, stated: string, cache: PageCache): Uint32Array {
  const array = new ArrayReader(caller, path, cache);
  try {
    const { dtype, shape } = array.header;
    if (dtype !== 'u4' || shape.length !== 1) {
      throw badValue(caller, `32-bit unsigned integers (u4) in ${path}`, dtype);
    }
    const checksums = new Uint32Array(shape[0]);
    array.read(0, checksums);
    if (checksum(new Uint8Array(checksums.buffer)) === stated) return checksums;
    const remedy = 'Make the folder anew, or copy it again.';
    throw badValue(caller, `an undamaged ${path}`, 'other checksums than the header states', remedy);
  } finally {
    array.close();
  }
}
