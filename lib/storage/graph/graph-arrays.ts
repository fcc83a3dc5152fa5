/** Opens the arrays of a stored graph with their checksums. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { badValue } from '../../core/check.ts';
import { ArrayReader, headerBytes } from '../arrays/array-file.ts';
import { readChecksums } from '../arrays/checksum-file.ts';
import type { PageCache } from '../arrays/page-cache.ts';
import { pageBytes } from '../arrays/paged-file.ts';
import {
  type ArrayName,
  arrayNames,
  arrayPath,
  checksumFile,
  damagedGraph,
  elementsOf,
  type StoredGraphHeader,
} from './graph-header.ts';

/** Refuses arrays that are not those of the header. Errors name `caller`. */
export function openArrays(
  caller: string,
  folder: string,
  header: StoredGraphHeader,
  cache: PageCache,
): Record<ArrayName, ArrayReader> {
  const { size, nonzeros, precision } = header;
  const lengths: Record<ArrayName, number> = { indptr: size + 1, indices: nonzeros, data: nonzeros, degrees: size };
  const elements = (name: ArrayName): string => elementsOf(name, precision);
  const bytes = (name: ArrayName): number => headerBytes + lengths[name] * Number(elements(name).slice(2));
  const pages = (name: ArrayName): number => Math.ceil(bytes(name) / pageBytes);
  for (const name of arrayNames) checkLength(caller, arrayPath(folder, name), bytes(name));
  const checksumPath = join(folder, checksumFile);
  checkLength(caller, checksumPath, headerBytes + 4 * arrayNames.reduce((sum, name) => sum + pages(name), 0));
  const checksums = readChecksums(caller, checksumPath, header.checksums, cache);
  const opened: Partial<Record<ArrayName, ArrayReader>> = {};
  try {
    let at = 0;
    for (const name of arrayNames) {
      const path = arrayPath(folder, name);
      const array = new ArrayReader(caller, path, cache, { checksums: checksums.subarray(at, (at += pages(name))) });
      opened[name] = array;
      const { dtype, bigEndian, shape, offset } = array.header;
      const got = `${bigEndian ? '>' : '<'}${dtype} of shape ${shape.join('×')}`;
      const expected = `${elements(name)} of shape ${lengths[name]}`;
      if (got !== expected || offset !== headerBytes) throw badValue(caller, `${expected} in ${path}`, got);
    }
    return opened as Record<ArrayName, ArrayReader>;
  } catch (error) {
    for (const array of Object.values(opened)) array.close();
    throw error;
  }
}

/** Refuses a file that is missing, or that was cut short. */
function checkLength(caller: string, path: string, bytes: number): void {
  const found = statSync(path, { throwIfNoEntry: false })?.size ?? 'no such file';
  if (found !== bytes) throw badValue(caller, `${path} of ${bytes} bytes`, found, damagedGraph);
}
