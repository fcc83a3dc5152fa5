/** A benchmark in words and tables, for people. */

import { formatMilliseconds, formatNumber, formatRatio, formatTable } from '../../charts/table.ts';
import type { MatrixBenchmark } from '../bench-matrix.ts';
import type { MachineLimits, Rates } from '../machine/limits.ts';
import type { BenchmarkRow } from '../measure/measure-rows.ts';
import { type Format, type Mode, modes, operationRules } from '../measure/operations.ts';
import type { Recommendation } from '../measure/recommend.ts';
import type { WebGpuBenchmark, WebGpuRow } from '../webgpu/bench-webgpu.ts';
import type { Machine } from './benchmark.ts';
import { type Comparison, geometricMean } from './compare.ts';

/** The machine and its limits, as a line and a table. */
export function describeMachine(machine: Machine, limits: MachineLimits): string {
  const { header, lines } = tableOfLimits(limits);
  return `${nameMachine(machine, limits)}\n\n${formatTable(header, lines, 1)}`;
}

/** Where a benchmark was measured, in one line. */
export function nameMachine({ processor, system, engine }: Machine, { programs }: MachineLimits): string {
  const loops = programs === 'plain' ? ', plain loops, because SIMD is off' : '';
  return `${processor}, ${system}, ${engine}${loops}`;
}

/** The limits of a machine, a line each. */
export function tableOfLimits({ threads, peak, bandwidth }: MachineLimits): Cells {
  const isShared = threads > 1;
  const line = (name: string, { one, all }: Rates, unit: string): string[] => {
    const rates = isShared ? [one, all] : [one];
    return [name, ...rates.map((rate) => `${formatNumber(rate)} ${unit}`)];
  };
  const lines = [
    line('multiply and add, single', peak.single, 'GFLOP/s'),
    line('multiply and add, double', peak.double, 'GFLOP/s'),
    ...bandwidth.map((set) => line(`read ${formatBytes(set.bytes)}`, set, 'GB/s')),
  ];
  return { header: ['limits', '1 thread', ...(isShared ? [`${threads} threads`] : [])], lines };
}

/** `16 KiB`, `4 MiB`. */
export function formatBytes(bytes: number): string {
  const [unit, size] = bytes >= 2 ** 20 ? ['MiB', bytes / 2 ** 20] : ['KiB', bytes / 1024];
  return `${Number(size.toPrecision(3))} ${unit}`;
}

/** The benchmark of a matrix: its structure, the table of rows, and what to use. */
export function describeMatrix(benchmark: MatrixBenchmark, threads: number): string {
  const { header, lines } = tableOfRows(benchmark, threads);
  return [
    describeStructure(benchmark),
    formatTable(header, lines, 3),
    describeFindings(benchmark, threads).join('\n'),
  ].join('\n\n');
}

/** What to use, and what was not timed, in sentences. */
export function describeFindings({ failed, recommendations, webgpu }: MatrixBenchmark, threads: number): string[] {
  return [
    ...describeRecommendations(recommendations, threads),
    ...failed.map(({ reason, ...row }) => `Not timed: ${nameOf(row)}: ${reason}.`),
    ...(webgpu ? describeWebGpu(webgpu) : []),
  ];
}

function describeWebGpu({ card, reason, rows, failed }: WebGpuBenchmark): string[] {
  if (card === null) return [`No WebGPU here: ${reason}.`];
  const agreement = Math.max(0, ...rows.map(({ difference }) => difference)).toExponential(1);
  const uploads = rows.map(({ upload }) => formatMilliseconds(upload)).join(', ');
  return [
    ...(rows.length > 0 ? [`WebGPU: ${card}; agrees with the plain kernel to ${agreement}; first result after ${uploads}.`] : []), // oxfmt-ignore
    ...failed.map((lost) => `Not timed: A·X, ${lost.columns} columns, single, given, WebGPU: ${lost.reason}.`),
  ];
}

/** The structure of a matrix and its conversions, a line each. */
export function describeStructure({ name, structure, reordering, conversions }: MatrixBenchmark): string {
  const { rows, cols, nonzeros, rowLengths, emptyRows, emptyColumns, symmetry, blockFill } = structure;
  const symmetries = { symmetric: 'symmetric', pattern: 'symmetric positions', none: 'not symmetric' };
  const { least, median, percentile99, largest, mean, variation } = rowLengths;
  const blocks = blockFill.map(({ side, fill }) => `${side}×${side} ${Math.round(100 * fill)} % full`);
  const reordered = reordering
    ? `; reordered ${reordering.bandwidth} and ${formatNumber(reordering.meanDistance)}, in ${formatMilliseconds(reordering.milliseconds)}`
    : '';
  return [
    `${name}: ${rows}×${cols} with ${nonzeros} entries, ${symmetries[symmetry]}`,
    `  entries per row: ${least} to ${largest}, median ${median}, 99 % up to ${percentile99}, mean ${formatNumber(mean)}, variation ${formatNumber(variation)}`,
    `  empty: ${emptyRows} rows, ${emptyColumns} columns; blocks: ${blocks.join(', ')}`,
    ...conversions
      .filter(({ order }, i) => order === 'given' && conversions.findIndex((each) => each.format === conversions[i].format) === i)
      .map(({ format, precision, milliseconds, size }) => `  ${formatWords[format]}converted in ${formatMilliseconds(milliseconds)} (${precision}), ${formatRatio(size)} the bytes`), // oxfmt-ignore
    `  bandwidth ${structure.bandwidth}, mean distance from the diagonal ${formatNumber(structure.meanDistance)}${reordered}`,
  ].join('\n');
}

/** The modes in the header of a table. */
export function modeNames(threads: number): Readonly<Record<Mode, string>> {
  return { plain: 'plain', simd: 'SIMD', threads: `${threads} threads` };
}

/** The cells of a table. */
export interface Cells {
  readonly header: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

/** One line for each product, with the time of each mode; rates and spread are those of the fastest on the processor. */
export function tableOfRows({ rows, webgpu }: MatrixBenchmark, threads: number): Cells {
  const keyOf = ({ operation, precision, order, columns }: BenchmarkRow): string =>
    [operation, precision, order, columns].join();
  const shown = modes.filter((mode) => rows.some((row) => row.mode === mode));
  const names = modeNames(threads);
  const cards = webgpu?.rows ?? [];
  const lines = [...new Set(rows.map(keyOf))].map((key) =>
    lineOf(
      rows.filter((row) => keyOf(row) === key),
      shown,
      cards,
    ),
  );
  const columns = [...shown.map((mode) => names[mode]), ...(cards.length > 0 ? ['WebGPU'] : [])];
  const rates = ['spread', 'GFLOP/s', 'GB/s', 'of the roofline'];
  return { header: ['product', 'precision', 'order', 'columns', ...columns, ...rates], lines };
}

/** The cells of a product, of which `group` has a row for each mode that was measured. */
function lineOf(group: readonly BenchmarkRow[], shown: readonly Mode[], cards: readonly WebGpuRow[]): string[] {
  const best = group.reduce((a, b) => (b.time.median < a.time.median ? b : a));
  const { operation, precision, order, columns, time, gflops, gbs, share } = best;
  const isOnCard = operation === 'multiply' && precision === 'single' && order === 'given';
  const onCard = isOnCard ? cards.find((row) => row.columns === columns)?.time.median : undefined;
  const times = [
    ...shown.map((mode) => group.find((row) => row.mode === mode)?.time.median),
    ...(cards.length > 0 ? [onCard] : []),
  ];
  return [
    operationRules[operation].label,
    precision,
    order,
    columns === 0 ? '' : String(columns),
    ...times.map((median) => (median === undefined ? '' : formatMilliseconds(median))),
    `±${Math.round((50 * (time.upper - time.lower)) / time.median)} %`,
    gflops === 0 ? '' : formatNumber(gflops),
    formatNumber(gbs),
    `${Math.round(100 * share)} %`,
  ];
}

/** A line for each run of columns with the same advice. */
function describeRecommendations(all: readonly Recommendation[], threads: number): string[] {
  const runs: Recommendation[][] = [];
  for (const each of all) {
    const last = runs.at(-1)?.[0];
    const isSame =
      last?.product === each.product &&
      last.precision === each.precision &&
      last.mode === each.mode &&
      last.order === each.order &&
      last.format === each.format;
    if (isSame) runs.at(-1)!.push(each);
    else runs.push([each]);
  }
  return runs.map((run) => {
    const [{ product, precision, mode, order, format }] = run;
    const columns = run.map((each) => each.columns);
    const gain = formatRatio(geometricMean(run.map((each) => each.gain)));
    const products = run.map(({ breakEven }) => breakEven ?? 0).join(', ');
    const pays = `, which pays after ${products} products`;
    const isSimple = order === 'given' && format === 'csr';
    const place = `${formatWords[format]}${order === 'given' ? 'in the given order' : 'reordered'}${isSimple ? '' : pays}`;
    const width = `${columns.join(', ')} ${columns.length === 1 && columns[0] === 1 ? 'column' : 'columns'}`;
    return `Use for ${product}, ${precision}, ${width}: ${modeNames(threads)[mode]}, ${place}; ${gain} as fast as plain.`;
  });
}

/** Formats in advice. */
const formatWords: Readonly<Record<Format, string>> = {
  csr: '',
  sliced: 'in slices, ',
  blocked: 'in blocks, ',
  half: 'by half, ',
  transposed: 'from a transposed copy, ',
  transposedSlices: 'from slices of the transpose, ',
};

/** `A·X, 8 columns, single, given, SIMD`. */
function nameOf({
  operation,
  columns,
  precision,
  order,
  mode,
}: Pick<BenchmarkRow, 'operation' | 'columns' | 'precision' | 'order' | 'mode'>): string {
  const width = columns === 0 ? [] : [`${columns} column${columns === 1 ? '' : 's'}`];
  return [operationRules[operation].label, ...width, precision, order, mode === 'simd' ? 'SIMD' : mode].join(', ');
}

/** The comparison with an earlier benchmark: a line for each matrix, and the notes. */
export function describeComparison({ notes, matrices }: Comparison): string {
  const lines = matrices.map(({ name, mean, rows }) => {
    const sorted = rows.toSorted((a, b) => a.ratio - b.ratio);
    const [slowest, fastest] = [sorted[0], sorted.at(-1)!];
    const clear = rows.filter(({ isClear }) => isClear).length;
    const show = (row: (typeof rows)[number]): string => `${formatRatio(row.ratio)} ${nameOf(row)}`;
    return [name, String(rows.length), formatRatio(mean), String(clear), show(slowest), show(fastest)];
  });
  const header = ['speed over earlier', 'rows', 'mean', 'clear', 'least', 'most'];
  const table = lines.length > 0 ? [formatTable(header, lines, 1)] : ['No row is in both benchmarks.'];
  return [...table, ...(notes.length > 0 ? [notes.join('\n')] : [])].join('\n\n');
}
