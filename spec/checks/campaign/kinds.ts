/** The table of all kinds: how each is opened, its share of the tries, and the limit of one call. */

import type { Kind, Means } from './kind.ts';
import { openIdx, openNpy } from './kinds/arrays.ts';
import { openCsv } from './kinds/csv.ts';
import { openGraphs } from './kinds/graphs.ts';
import { openMatrixMarket, openNpz } from './kinds/matrices.ts';
import { openOptions } from './kinds/options.ts';
import { openPoints } from './kinds/points.ts';
import { openResults } from './kinds/results.ts';
import { openTables } from './kinds/tables.ts';
import { openModels, openTrainings } from './kinds/tensor-files.ts';

export interface KindEntry {
  readonly open: (means: Means) => Promise<Kind>;
  /** The number of tries, relative to that of a format. */
  readonly share: number;
  /** A call that takes longer is a hang. */
  readonly seconds: number;
  /** Whether results are compared with the independent reader. */
  readonly isCompared: boolean;
}

const format = { share: 1, seconds: 30, isCompared: true };
const computation = { share: 1, seconds: 60, isCompared: false };

export const kinds = {
  csv: { ...format, open: openCsv },
  tables: { ...format, open: openTables },
  npy: { ...format, open: openNpy },
  npz: { ...format, open: openNpz },
  idx: { ...format, open: openIdx },
  'matrix-market': { ...format, open: openMatrixMarket },
  models: { ...format, open: openModels },
  trainings: { ...format, open: openTrainings },
  results: { ...format, open: openResults },
  points: { ...computation, open: openPoints },
  graphs: { ...computation, open: openGraphs, isCompared: true },
  options: { ...computation, share: 1 / 4, open: openOptions },
} as const satisfies Record<string, KindEntry>;

export type KindName = keyof typeof kinds;
