/** The call that the worker of the Bench tab answers for a matrix. */

import type { Cells } from '../../lib/benchmark/report/describe.ts';
import type { MatrixName } from '../../lib/matrices/catalog.ts';
import type { UserFile } from './user-file.ts';

/** What is done, and the fraction of it. */
export interface MatrixProgress {
  readonly doing: string;
  readonly fraction: number;
}

/** The report of a benchmark, as the page shows it. */
export interface MatrixReport {
  readonly title: string;
  readonly machine: string;
  readonly limits: Cells;
  /** The structure of the matrix, a line each. */
  readonly structure: readonly string[];
  readonly products: Cells;
  /** What to use, and what was not timed. */
  readonly findings: readonly string[];
  /** Whether every kernel computes what its plain twin computes. */
  readonly agrees: boolean;
  /** The number of products of the processor and of the graphics card that were timed. */
  readonly timed: readonly [processor: number, card: number];
  /** The roofline as SVG. */
  readonly charts: { readonly light: string; readonly dark: string };
  /** The report of `specnet bench --json`. */
  readonly json: string;
}

export interface MatrixCalls {
  readonly measure: {
    readonly input: UserFile | MatrixName;
    readonly notice: MatrixProgress;
    readonly output: MatrixReport;
  };
}
