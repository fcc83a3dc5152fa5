/** The header of a stored graph: a JSON file that is written last, with the sizes of the arrays and a checksum. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { badValue, excerpt } from '../../core/check.ts';
import { readSealed, type SealedFormat, writeSealed } from '../../files/records/sealed-json.ts';
import { precisions, type Precision } from '../../tensor/tensor.ts';

/** The name of the header in the folder. A folder without it is not a stored graph, or not a complete one. */
export const headerFile = 'specnet-graph.json';

/** The arrays of a stored graph, as scipy names those of a sparse matrix, and NumPy's names of their elements. */
export const arrayNames = ['indptr', 'indices', 'data', 'degrees'] as const;

export type ArrayName = (typeof arrayNames)[number];

/** The name of the file with the checksums of all pages, in the order of the arrays. */
export const checksumFile = 'checksums.npy';

/** What the header states. */
export interface StoredGraphHeader {
  /** The number of nodes, and of stored entries. */
  readonly size: number;
  readonly nonzeros: number;
  readonly precision: Precision;
  /** As in `Graph`: the weights that were given are `scale` times the stored ones. */
  readonly scale: number;
  /** The sum of all degrees, and the number of nodes of degree 0. */
  readonly volume: number;
  readonly isolated: number;
  /** The CRC-32 of the file of checksums. */
  readonly checksums: string;
  /** Only of an approximate search: the fraction of true neighbors found, measured on a random sample of points. */
  readonly recall?: number;
}

/** The way out for a folder in which something is damaged or missing. */
export const damagedGraph = 'Make the folder anew, or copy it again.';

const sealed: SealedFormat = {
  format: 'specnet-graph',
  version: 1,
  otherVersion: 'Make the folder anew, or use the version of specnet that wrote it.',
  damaged: damagedGraph,
  longest: 1 << 16,
};

/** The file of an array. */
export function arrayPath(folder: string, name: ArrayName): string {
  return join(folder, `${name}.npy`);
}

/** NumPy's name of the elements of an array. */
export function elementsOf(name: ArrayName, precision: Precision): string {
  return { indptr: '<i8', indices: '<i4', data: precision === 'double' ? '<f8' : '<f4', degrees: '<f8' }[name];
}

export function writeHeader(flag: string, folder: string, content: StoredGraphHeader): void {
  writeSealed(flag, join(folder, headerFile), sealed, content);
}

/** Reads and checks the header of a folder. Errors name `caller`. */
export function readHeader(caller: string, folder: string): StoredGraphHeader {
  const path = join(folder, headerFile);
  if (!existsSync(path)) throw badValue(caller, `${path} of a complete graph`, 'no such file', damagedGraph);
  const content = readSealed(caller, path, sealed) as StoredGraphHeader;
  checkContent(caller, path, content);
  return content;
}

/** The checksum shows damage. These checks are for headers that others wrote. */
function checkContent(caller: string, path: string, content: StoredGraphHeader): void {
  const { size, nonzeros, precision, scale, volume, isolated, checksums, recall = 1 } = content;
  const isCount = (value: unknown, least: number, most: number): boolean =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
  const rules: [name: keyof StoredGraphHeader, rule: string, kept: boolean][] = [
    ['size', 'a whole number from 1 to 2147483646', isCount(size, 1, 2 ** 31 - 2)],
    ['nonzeros', 'a whole number of at most size²', isCount(nonzeros, 0, size * size)],
    ['precision', precisions.join(' or '), precisions.includes(precision)],
    ['scale', 'a number above 0', typeof scale === 'number' && scale > 0],
    ['volume', 'a number of at least 0', typeof volume === 'number' && volume >= 0],
    ['isolated', 'a whole number of at most size', isCount(isolated, 0, size)],
    ['recall', 'a number from 0 to 1', typeof recall === 'number' && recall >= 0 && recall <= 1],
    ['checksums', 'eight hexadecimal digits', typeof checksums === 'string' && /^[\da-f]{8}$/.test(checksums)],
  ];
  for (const [name, rule, kept] of rules) {
    if (!kept) throw badValue(caller, `${name} to be ${rule} in ${path}`, excerpt(String(content[name])));
  }
}
