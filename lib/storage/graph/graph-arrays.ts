/** Opens the arrays of a stored graph with their checksums. */

import { join } from 'node:path';
import { badValue } from '../../core/check.ts';
import { ArrayReader } from '../arrays/array-file.ts';
import { readChecksums } from '../arrays/checksum-file.ts';
import type { PageCache } from '../arrays/page-cache.ts';
import { pageBytes } from '../arrays/paged-file.ts';
import {
  type ArrayName,
  arrayNames,
  arrayPath,
  checksumFile,
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
  const checksums = readChecksums(caller, join(folder, checksumFile), header.checksums, cache);
  const opened: Partial<Record<ArrayName, ArrayReader>> = {};
  try {
    let at = 0;
    for (const name of arrayNames) {
      const path = arrayPath(folder, name);
      const descr = elementsOf(name, precision);
      const pages = Math.ceil((128 + lengths[name] * Number(descr.slice(2))) / pageBytes);
      const array = new ArrayReader(caller, path, cache, { checksums: checksums.subarray(at, (at += pages)) });
      opened[name] = array;
      const { dtype, bigEndian, shape, offset } = array.header;
      const got = `${bigEndian ? '>' : '<'}${dtype} of shape ${shape.join('×')}`;
      const expected = `${descr} of shape ${lengths[name]}`;
      if (got !== expected || offset !== 128) throw badValue(caller, `${expected} in ${path}`, got);
    }
    if (at !== checksums.length) throw badValue(caller, `${at} checksums in ${folder}`, checksums.length);
    return opened as Record<ArrayName, ArrayReader>;
  } catch (error) {
    for (const array of Object.values(opened)) array.close();
    throw error;
  }
}
