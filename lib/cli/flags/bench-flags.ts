/** Flags of benchmarks of sparse products. */

import { matrixSizes } from '../../matrices/catalog.ts';
import { booleanFlag, choiceFlag, fileFlag, type FlagTable } from './kinds.ts';

/** Which matrices are measured, and what they are compared with. */
export const benchTable = {
  set: choiceFlag([...matrixSizes, 'all'], 'all generated matrices of a size, in addition to those that are named'),
  compare: fileFlag('an earlier report of --out or --json, to compare with'),
  'relaxed-simd': booleanFlag('fuse multiplication and addition, where the engine can; other bits than without'),
} satisfies FlagTable;
