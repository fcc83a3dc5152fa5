/** The comparison of two benchmarks: ratios of the times of equal rows. */

import type { BenchmarkRow } from '../measure/measure-rows.ts';
import type { Measured } from '../measure/plan.ts';
import { type Benchmark, checkBenchmark, type Machine } from './benchmark.ts';

/** A row that both benchmarks have. */
export interface ComparedRow extends Measured {
  /** The earlier time over the present one: above 1 if it is faster now. */
  readonly ratio: number;
  /** Whether the ranges between the quartiles do not overlap. */
  readonly isClear: boolean;
}

/** The rows of a matrix that both benchmarks have. */
export interface ComparedMatrix {
  readonly name: string;
  /** The geometric mean of the ratios. */
  readonly mean: number;
  readonly rows: readonly ComparedRow[];
}

/** What differs between two benchmarks. */
export interface Comparison {
  /** What makes the ratios less meaningful: another machine or version, matrices that are not the same. */
  readonly notes: readonly string[];
  readonly matrices: readonly ComparedMatrix[];
}

/** Compares the rows that both benchmarks have. */
export function compareBenchmarks(present: Benchmark, earlier: Benchmark): Comparison {
  for (const each of [present, earlier]) checkBenchmark('compareBenchmarks', each);
  const notes = differences(present, earlier);
  const matrices = present.matrices.flatMap((matrix): ComparedMatrix[] => {
    const other = earlier.matrices.find(({ name }) => name === matrix.name);
    if (!other) {
      notes.push(`${matrix.name} is not in the earlier benchmark.`);
      return [];
    }
    if (other.structure.nonzeros !== matrix.structure.nonzeros || other.structure.rows !== matrix.structure.rows) {
      notes.push(`${matrix.name} is another matrix than in the earlier benchmark, and is not compared.`);
      return [];
    }
    const before = new Map(other.rows.map((row) => [keyOf(row), row]));
    const rows = matrix.rows.flatMap((row) => compareRow(row, before.get(keyOf(row))));
    return rows.length > 0 ? [{ name: matrix.name, mean: geometricMean(rows.map(({ ratio }) => ratio)), rows }] : [];
  });
  return { notes, matrices };
}

function compareRow(row: BenchmarkRow, before: BenchmarkRow | undefined): ComparedRow[] {
  if (!before) return [];
  const { operation, columns, precision, format, order, mode } = row;
  const isClear = before.time.lower > row.time.upper || before.time.upper < row.time.lower;
  return [{ operation, columns, precision, format, order, mode, ratio: before.time.median / row.time.median, isClear }];
}

function keyOf({ operation, columns, precision, format, order, mode }: Measured): string {
  return [operation, columns, precision, format, order, mode].join();
}

export function geometricMean(numbers: readonly number[]): number {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length);
}

function differences(present: Benchmark, earlier: Benchmark): string[] {
  const notes: string[] = [];
  const note = (what: string, now: string | number, before: string | number): void => {
    if (now !== before) notes.push(`Another ${what}: ${now} now, ${before} earlier.`);
  };
  note('version of specnet', present.specnet, earlier.specnet);
  for (const name of Object.keys(machineWords) as (keyof Machine)[]) {
    note(machineWords[name], present.machine[name], earlier.machine[name]);
  }
  note('number of threads', present.limits.threads, earlier.limits.threads);
  return notes;
}

const machineWords: Readonly<Record<keyof Machine, string>> = {
  processor: 'processor',
  processors: 'number of processors',
  system: 'system',
  engine: 'engine',
};
