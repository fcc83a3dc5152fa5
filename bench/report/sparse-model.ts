/** A model of the time of A·X from compressed rows in Float32 on one thread: costs of instructions, of mispredicted branches and of cache misses. */

import type { Benchmark } from '../../lib/benchmark/report/benchmark.ts';
import { geometricMean } from '../../lib/benchmark/report/compare.ts';
import { formatNumber, formatRatio } from '../../lib/charts/table.ts';
import { table } from './document-tables.ts';
import { best } from './sparse-cells.ts';

/** What one product needs, by a simulation of caches and branch prediction. */
export interface Counts {
  readonly instructions: number;
  readonly mispredicted: number;
  /** Lines that are not in the second-level cache, and those that are in no cache. */
  readonly secondLevelMisses: number;
  readonly lastLevelMisses: number;
}

export interface CountRow {
  readonly matrix: string;
  readonly columns: number;
  readonly counts: Counts;
}

/** What costs time. Processors learn the branches of a small matrix that is multiplied again and again, which the simulation does not. A stream is read or written once, line after line, as the bytes model counts; all other misses are scattered. */
export const causes = [
  'instructions, K = 1',
  'instructions, K = 8',
  'mispredicted branch, small matrix',
  'mispredicted branch, other matrix',
  'line of a stream, last-level cache',
  'line of a stream, memory',
  'scattered line, last-level cache',
  'scattered line, memory',
] as const;

/** A measured time in nanoseconds, and how often each cause occurs. */
export interface ModelRow {
  readonly matrix: string;
  readonly columns: number;
  readonly nanoseconds: number;
  readonly occurrences: readonly number[];
}

/** Nanoseconds of each cause, and the rows with their shares of the predicted time. */
export interface Model {
  readonly costs: readonly number[];
  readonly rows: readonly (ModelRow & { readonly predicted: number; readonly shares: readonly number[] })[];
}

const lineBytes = 64;
/** A matrix with fewer entries is small. */
const remembered = 1e5;

/** The rows of the record of which there are counts. */
export function modelRows(report: Benchmark, counted: readonly CountRow[]): ModelRow[] {
  return counted.flatMap(({ matrix: name, columns, counts }) => {
    const matrix = report.matrices.find((each) => each.name === name);
    const row = matrix && best(matrix, 'single', columns, 'given', 'multiply', 'simd');
    if (!row) return [];
    const instructions = [1, 8].map((width) => (width === columns ? counts.instructions : 0));
    const isSmall = matrix.structure.nonzeros < remembered;
    const mispredicted = [isSmall ? counts.mispredicted : 0, isSmall ? 0 : counts.mispredicted];
    const lines = row.bytes / lineBytes;
    const inMemory = Math.min(lines, counts.lastLevelMisses);
    const inLastLevel = Math.min(lines, counts.secondLevelMisses) - inMemory;
    const scatteredInMemory = counts.lastLevelMisses - inMemory;
    const scattered = counts.secondLevelMisses - inMemory - inLastLevel - scatteredInMemory;
    const occurrences = [...instructions, ...mispredicted, inLastLevel, inMemory, scattered, scatteredInMemory].map((count) => Math.max(0, count)); // oxfmt-ignore
    return [{ matrix: name, columns, nanoseconds: 1e6 * row.time.median, occurrences }];
  });
}

const sweeps = 20_000;

/** The costs, none below 0, with the least sum of squares of relative errors: one after another, until they settle. */
export function fitModel(rows: readonly ModelRow[]): Model {
  const costs = causes.map(() => 0);
  const relative = rows.map(({ nanoseconds, occurrences }) => occurrences.map((count) => count / nanoseconds));
  const errors = rows.map(() => -1);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (const k of causes.keys()) {
      const square = relative.reduce((sum, row) => sum + row[k] ** 2, 0);
      if (square === 0) continue;
      const slope = relative.reduce((sum, row, r) => sum + row[k] * errors[r], 0);
      const next = Math.max(0, costs[k] - slope / square);
      for (const [r, row] of relative.entries()) errors[r] += row[k] * (next - costs[k]);
      costs[k] = next;
    }
  }
  return {
    costs,
    rows: rows.map((row) => {
      const parts = row.occurrences.map((count, k) => count * costs[k]);
      const predicted = parts.reduce((sum, part) => sum + part, 0);
      return { ...row, predicted, shares: parts.map((part) => part / predicted) };
    }),
  };
}

/** What a cause costs, and for every product: predicted over measured time, and the shares of the causes. */
export function describeModel({ costs, rows }: Model): string {
  const prices = causes.map((cause, k) => [cause, k < 2 ? `${formatNumber(1 / costs[k])} per ns` : `${formatNumber(costs[k])} ns`]); // oxfmt-ignore
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  const lines = rows.map(
    ({ matrix, columns, nanoseconds, predicted, shares: [one, eight, learned, unknown, ...others] }) => [
      matrix,
      String(columns),
      formatRatio(predicted / nanoseconds),
      percent(one + eight),
      percent(learned + unknown),
      ...others.map(percent),
    ],
  );
  const quotients = rows.map(({ predicted, nanoseconds }) => Math.max(predicted / nanoseconds, nanoseconds / predicted)); // oxfmt-ignore
  const within = quotients.filter((quotient) => quotient <= 1.25).length;
  const header = ['matrix', 'K', 'predicted', 'instructions', 'mispredicted', 'streams, last level', 'streams, memory', 'scattered, last level', 'scattered, memory']; // oxfmt-ignore
  return [
    table(['cause', 'cost'], prices),
    `Predicted and measured times differ by a factor of ${formatRatio(geometricMean(quotients))} in the geometric mean and ${formatRatio(Math.max(...quotients))} at most; ${within} of ${rows.length} by 1.25 or less.`,
    table(header, lines),
  ].join('\n\n');
}
