/** Flags of work on graphs that need not fit in memory. */

import { badValue } from '../../core/check.ts';
import { leastStoreBytes } from '../../storage/memory-budget.ts';
import { booleanFlag, choiceFlag, countFlag, type Flag, type FlagTable, fractionFlag, numberOf } from './kinds.ts';

/** The bytes of each unit of memory. */
const units: Readonly<Record<string, number>> = {
  '': 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
};

/** How a file of entries becomes a graph. */
export const entryTable = {
  edges: booleanFlag('the file lists edges: two nodes and optionally a weight; .csv, .tsv, .txt, .npy, .parquet'),
  symmetric: choiceFlag(
    ['given', 'mean', 'sum', 'max', 'min'],
    'how to combine (i, j) and (j, i); given: must be equal; default: given, with --edges max',
  ),
  nodes: countFlag('nodes', 'N', 1, 'number of nodes, for --edges; default: one more than the largest'),
} satisfies FlagTable;

/** How the neighbors of points in a file are searched. */
export const searchTable = {
  search: choiceFlag(
    ['auto', 'exact', 'approximate'],
    'search for neighbors in .npy points; auto (default): exact up to an hour or two',
  ),
  recall: fractionFlag(
    'recall',
    'R',
    'fraction of the neighbors that an approximate search aims to find; default: 0.95',
  ),
} satisfies FlagTable;

/** Work on files that need not fit in memory. */
export const storageTable = {
  stored: {
    value: 'FOLDER',
    help: 'graph that specnet store wrote; with .npy points, and --method other than eigen',
    read: (_caller: string, text: string) => text,
  } as Flag<string>,
  order: choiceFlag(
    ['shuffled', 'cyclic', 'random'],
    'with --stored, rows of batches; cyclic: one after the other; default: shuffled',
  ),
  memory: {
    value: 'BYTES',
    help: 'memory for buffers, such as 512MiB; at least 16MiB; default: 256MiB',
    read(caller: string, text: string) {
      const [, digits, unit] = /^([\d.]+) *([a-z]*)$/i.exec(text) ?? [];
      const bytes = Math.floor(numberOf(digits ?? '') * (units[(unit ?? '').toUpperCase()] ?? NaN));
      if (!(bytes > 0 && Number.isSafeInteger(bytes))) {
        throw badValue(caller, 'a number of bytes such as 512MiB or 2GB', `'${text}'`);
      }
      if (bytes < leastStoreBytes) throw badValue(caller, 'at least 16MiB', `'${text}'`);
      return bytes;
    },
  } as Flag<number>,
} satisfies FlagTable;
