/** The report of a benchmark as JSON: what was measured, where, and with which version. */

import { badKind, badValue, excerpt } from '../../core/check.ts';
import type { MatrixBenchmark } from '../bench-matrix.ts';
import type { MachineLimits } from '../machine/limits.ts';

/** Where a benchmark was measured. */
export interface Machine {
  readonly processor: string;
  readonly processors: number;
  /** Operating system and architecture. */
  readonly system: string;
  /** The engine that ran the kernels, with its version. */
  readonly engine: string;
}

/** A benchmark of one or more matrices. */
export interface Benchmark {
  readonly format: 'specnet-benchmark';
  readonly version: 1;
  /** The version of this package. */
  readonly specnet: string;
  readonly machine: Machine;
  readonly limits: MachineLimits;
  readonly matrices: readonly MatrixBenchmark[];
}

/** Reads the JSON of a benchmark. Refuses other files, and benchmarks of other versions of the format. */
export function readBenchmark(text: string): Benchmark {
  const caller = 'readBenchmark';
  if (typeof text !== 'string') throw badKind(caller, 'the JSON of a benchmark', text);
  try {
    return checkBenchmark(caller, JSON.parse(text) as Benchmark);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badValue(caller, 'the JSON of a benchmark', excerpt(error.message));
  }
}

/** Refuses anything but a benchmark of this version. Errors name `caller`. */
export function checkBenchmark(caller: string, report: Benchmark): Benchmark {
  if (report?.format !== 'specnet-benchmark') {
    throw badValue(caller, "the format 'specnet-benchmark'", excerpt(String(report?.format)));
  }
  if (report.version !== 1) {
    throw badValue(caller, 'version 1 of specnet-benchmark', excerpt(String(report.version)), 'Measure anew.');
  }
  const { matrices } = report;
  if (!Array.isArray(matrices) || !matrices.every(hasRows) || !report.machine || !report.limits) {
    throw badValue(caller, 'machine, limits and matrices with their rows', 'a report without some of them');
  }
  return report;
}

function hasRows(matrix: Partial<MatrixBenchmark> | null): boolean {
  const rows: unknown = matrix?.rows;
  const isRow = (row: Partial<MatrixBenchmark['rows'][number]> | null): boolean => (row?.time?.median ?? 0) > 0;
  return typeof matrix?.name === 'string' && Boolean(matrix.structure) && Array.isArray(rows) && rows.every(isRow);
}
