/** Cells and tables of the record of sparse products: the fastest rows, their ratios, and when conversions pay. */

import type { MatrixBenchmark } from '../../lib/benchmark/bench-matrix.ts';
import type { BenchmarkRow } from '../../lib/benchmark/measure/measure-rows.ts';
import { operationRules } from '../../lib/benchmark/measure/operations.ts';
import type { Benchmark } from '../../lib/benchmark/report/benchmark.ts';
import { formatRatio } from '../../lib/charts/table.ts';
import { table } from './document-tables.ts';

/** The fastest row of an operation, or of A·X in any format; or that of one mode. */
export function best(
  { rows }: MatrixBenchmark,
  precision: BenchmarkRow['precision'],
  columns: number,
  order: BenchmarkRow['order'] = 'given',
  operation: BenchmarkRow['operation'] | 'any' = 'multiply',
  mode?: BenchmarkRow['mode'],
): BenchmarkRow | undefined {
  return rows
    .filter((row) => row.precision === precision && row.columns === columns && row.order === order)
    .filter((row) =>
      operation === 'any' ? operationRules[row.operation].product === 'A·X' : row.operation === operation,
    )
    .filter((row) => mode === undefined || row.mode === mode)
    .toSorted((a, b) => a.time.median - b.time.median)[0];
}

/** How many times as long the first takes. */
export function ratioCell(first: BenchmarkRow | undefined, second: BenchmarkRow | undefined): string {
  return first && second ? formatRatio(first.time.median / second.time.median) : '–';
}

/** The speed of formats over that of compressed rows, on one thread, with the products after which the conversion has paid for itself. */
export function formatTable(
  { matrices }: Benchmark,
  columns: number,
  operations: readonly ('sliced' | 'blocked' | 'symmetric')[],
): string {
  const cell = (
    matrix: MatrixBenchmark,
    precision: BenchmarkRow['precision'],
    operation: BenchmarkRow['operation'],
  ): string => {
    const [rows, other] = (['multiply', operation] as const).map((each) => best(matrix, precision, columns, 'given', each, 'simd')); // oxfmt-ignore
    return `${ratioCell(rows, other)}${paysAfter(matrix, operationRules[operation].format, precision, rows, other)}`;
  };
  const words = { sliced: 'slices', blocked: 'blocks', symmetric: 'half' };
  const columnsOf = (['single', 'double'] as const).flatMap((precision) => operations.map((operation) => ({ precision, operation }))); // oxfmt-ignore
  return table(
    ['matrix', ...columnsOf.map(({ precision, operation }) => `${words[operation]}, ${precision === 'single' ? 'Float32' : 'Float64'}`)], // oxfmt-ignore
    matrices.map((matrix) => [
      matrix.name,
      ...columnsOf.map(({ precision, operation }) => cell(matrix, precision, operation)),
    ]),
  );
}

/** `, pays after N`: the products after which a conversion has paid for itself. Nothing if the format is not faster. */
export function paysAfter(
  matrix: MatrixBenchmark,
  format: BenchmarkRow['format'],
  precision: BenchmarkRow['precision'],
  before: BenchmarkRow | undefined,
  after: BenchmarkRow | undefined,
): string {
  const conversion = matrix.conversions.find((made) => made.order === 'given' && made.precision === precision && made.format === format); // oxfmt-ignore
  const saved = before && after ? before.time.median - after.time.median : 0;
  return conversion && saved > 0 ? `, pays after ${Math.ceil(conversion.milliseconds / saved)}` : '';
}
