/**
 * `node --import tsx bench/sparse-kernels.ts [REPORT.json …]`: joins reports of `specnet bench` into the record of
 * docs/sparse-kernels, if there are any, and puts its figures and chart into the document.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { MachineLimits, Rates } from '../lib/benchmark/machine/limits.ts';
import type { BenchmarkRow } from '../lib/benchmark/measure/measure-rows.ts';
import { operationRules } from '../lib/benchmark/measure/operations.ts';
import type { Recommendation } from '../lib/benchmark/measure/recommend.ts';
import { rate } from '../lib/benchmark/measure/roofline.ts';
import { type Benchmark, readBenchmark } from '../lib/benchmark/report/benchmark.ts';
import { geometricMean } from '../lib/benchmark/report/compare.ts';
import { formatBytes } from '../lib/benchmark/report/describe.ts';
import { plotBenchmark } from '../lib/benchmark/report/plot.ts';
import type { MatrixBenchmark } from '../lib/benchmark/bench-matrix.ts';
import { formatNumber, formatRatio } from '../lib/charts/table.ts';
import { matrixNames } from '../lib/matrices/catalog.ts';
import { recordedRows } from './sparse-model.ts';
import type { PeerRow } from './sparse-peers.ts';
import { fastestOf, type RegularRow, roofOf } from './sparse-roofline.ts';
import { table } from './report/document-tables.ts';
import { best, formatTable, paysAfter, ratioCell } from './report/sparse-cells.ts';
import { describeModel, fitModel } from './report/sparse-model.ts';
import { fillMarks } from './report/marks.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
export const documentPath = `${root}docs/sparse-kernels.md`;
const recordFolder = `${root}docs/sparse-kernels/`;
export const recordPath = `${recordFolder}benchmark.json`;
const peersPath = `${recordFolder}peers.json`;
const regularPath = `${recordFolder}regular.json`;
export const chartPath = `${recordFolder}roofline.svg`;

export function recordedBenchmark(): Benchmark {
  return readBenchmark(readFileSync(recordPath, 'utf8'));
}

/**
 * One report of the matrices of all, in the order of the set. Limits are the best that any of them measured, and rows are rated by these. Refuses reports
 * of different machines or versions.
 */
export function joinReports(reports: readonly Benchmark[]): Benchmark {
  const [first, ...others] = reports;
  for (const { machine, specnet } of others) {
    const isSame = JSON.stringify(machine) === JSON.stringify(first.machine) && specnet === first.specnet;
    if (!isSame) {
      throw new RangeError('joinReports: expected reports of one machine and version, got others.');
    }
  }
  const limits = bestLimits(reports.map((report) => report.limits));
  const rated = (row: BenchmarkRow): BenchmarkRow => ({
    ...row,
    ...rate(limits, row.mode, row.precision, row.flops, row.bytes, row.time.median),
  });
  const names: readonly string[] = matrixNames();
  const matrices = reports
    .flatMap((report) => report.matrices.map((matrix) => ({ ...matrix, rows: matrix.rows.map(rated) })))
    .toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
  return { ...first, limits, matrices };
}

function bestLimits(all: readonly MachineLimits[]): MachineLimits {
  const bestOf = (pick: (limits: MachineLimits) => Rates | undefined): Rates => {
    const rates = all.flatMap((limits) => pick(limits) ?? []);
    return { one: Math.max(...rates.map(({ one }) => one)), all: Math.max(...rates.map((each) => each.all)) };
  };
  // A quick run leaves out the largest.
  const workingSets = [...new Set(all.flatMap(({ bandwidth }) => bandwidth.map(({ bytes }) => bytes)))].toSorted((a, b) => a - b); // oxfmt-ignore
  return {
    ...all[0],
    peak: { single: bestOf(({ peak }) => peak.single), double: bestOf(({ peak }) => peak.double) },
    bandwidth: workingSets.map((bytes) => Object.assign({ bytes }, bestOf(({ bandwidth }) => bandwidth.find((set) => set.bytes === bytes)))), // oxfmt-ignore
  };
}

/** The document with the figures of the report between its marks. */
export async function withBenchmark(text: string, report: Benchmark): Promise<string> {
  return fillMarks(text, documentPath, (name) => {
    if (!(name in figures)) throw new RangeError(`withBenchmark: expected the name of figures, got ${name}.`);
    return figures[name](report);
  });
}

const figures: Record<string, (report: Benchmark) => string> = {
  machine: ({ machine: { processor, processors, system, engine }, specnet }) =>
    `${processor}, ${processors} processors, ${system}; ${engine}; specnet ${specnet}.`,
  limits: ({ limits: { peak, bandwidth, threads } }) => {
    const line = (name: string, { one, all }: Rates, unit: string): string[] =>
      [name, `${formatNumber(one)} ${unit}`, `${formatNumber(all)} ${unit}`]; // oxfmt-ignore
    return table(
      ['limit', '1 thread', `${threads} threads`],
      [
        line('multiply and add, Float32', peak.single, 'GFLOP/s'),
        line('multiply and add, Float64', peak.double, 'GFLOP/s'),
        ...bandwidth.map((set) => line(`read ${formatBytes(set.bytes)}`, set, 'GB/s')),
      ],
    );
  },
  set: ({ matrices }) =>
    table(
      ['matrix', 'size', 'entries', 'per row', 'bandwidth', 'blocks 2×2, 4×4 full'],
      matrices.map(({ name, structure: { rows, cols, nonzeros, rowLengths, bandwidth, blockFill } }) => [
        name,
        `${rows}×${cols}`,
        String(nonzeros),
        `${rowLengths.least}–${rowLengths.largest}, median ${rowLengths.median}`,
        String(bandwidth),
        blockFill.map(({ fill }) => `${Math.round(100 * fill)} %`).join(', '),
      ]),
    ),
  rates: ({ matrices }) =>
    table(
      ['matrix', 'Float32, K = 1', 'Float32, K = 8', 'Float64, K = 1', 'Float64, K = 8'],
      matrices.map((matrix) => [
        matrix.name,
        rateCell(best(matrix, 'single', 1, 'given', 'any')),
        rateCell(best(matrix, 'single', 8, 'given', 'any')),
        rateCell(best(matrix, 'double', 1, 'given', 'any')),
        rateCell(best(matrix, 'double', 8, 'given', 'any')),
      ]),
    ),
  formats: (report) => formatTable(report, 1, ['sliced', 'blocked', 'symmetric']),
  wideFormats: (report) => formatTable(report, 8, ['sliced', 'blocked', 'symmetric']),
  advice: ({ matrices }) => {
    const losses = matrices.flatMap((matrix) => matrix.recommendations.map((advice) => lossOf(matrix, advice)));
    const right = losses.filter((loss) => loss <= 1.2).length;
    return `The advice is within 1.2 of the fastest way for ${right} of ${losses.length} products, ${Math.round((100 * right) / losses.length)} %.`;
  },
  peers: () => {
    const { engine, peers, rows } = JSON.parse(readFileSync(peersPath, 'utf8')) as PeerRecord;
    const groups = [1, 8].flatMap((columns) => (['single', 'double'] as const).map((precision) => ({ columns, precision }))); // oxfmt-ignore
    const means = groups.map(({ columns, precision }) => {
      const group = rows.filter((row) => row.columns === columns && row.precision === precision);
      const mean = (name: string, way: (row: PeerRow) => string): string => {
        const timed = group.filter(({ times }) => name in times);
        return formatRatio(geometricMean(timed.map((row) => row.times[name] / row.times[way(row)])));
      };
      const cells = peers.map(({ name }) => (group.some(({ times }) => name in times) ? `${mean(name, () => 'rows')}, ${mean(name, ({ fastest }) => fastest)}` : '–')); // oxfmt-ignore
      return [`${precision === 'single' ? 'Float32' : 'Float64'}, K = ${columns}`].concat(cells);
    });
    const versions = peers.map(({ name, version }) => `${name}: ${version}`).join('; ');
    return `${table(['', ...peers.map(({ name }) => name)], means)}\n\n${engine}; ${versions}.`;
  },
  transposed: ({ matrices }) => {
    const cell = (matrix: MatrixBenchmark, precision: BenchmarkRow['precision'], columns: number): string => {
      const [copy, inPlace, slices] = (['transposedCopy', 'transpose', 'transposedSlices'] as const).map((each) => best(matrix, precision, columns, 'given', each, 'simd')); // oxfmt-ignore
      const pays = paysAfter(matrix, 'transposedSlices', precision, inPlace, slices);
      return `${ratioCell(copy, inPlace)}, ${ratioCell(copy, slices)}${pays}`;
    };
    return table(
      ['matrix', 'Float32, K = 1', 'Float32, K = 8', 'Float64, K = 1', 'Float64, K = 8'],
      matrices.map((matrix) => [
        matrix.name,
        ...(['single', 'double'] as const).flatMap((precision) => [1, 8].map((columns) => cell(matrix, precision, columns))), // oxfmt-ignore
      ]),
    );
  },
  transposedMeans: ({ matrices }) => {
    const ratios = (operation: 'transpose' | 'transposedSlices') =>
      matrices.flatMap((matrix) =>
        (['single', 'double'] as const).flatMap((precision) =>
          [1, 8].map((columns) => {
            const [copy, other] = (['transposedCopy', operation] as const).map((each) => best(matrix, precision, columns, 'given', each, 'simd')!); // oxfmt-ignore
            return copy.time.median / other.time.median;
          }),
        ),
      );
    const sentence = (all: readonly number[]): string =>
      `${formatRatio(geometricMean(all))} in the geometric mean, ${formatRatio(Math.min(...all))} at least, 0.8 or more for ${all.filter((each) => each >= 0.8).length} of ${all.length} products`;
    return `From the rows of A: ${sentence(ratios('transpose'))}. From slices of Aᵀ: ${sentence(ratios('transposedSlices'))}.`;
  },
  threadMeans: ({ matrices }) => {
    const gains = matrices.flatMap((matrix) =>
      (['single', 'double'] as const).flatMap((precision) =>
        [1, 8].flatMap((columns) => {
          const [one, all] = (['simd', 'threads'] as const).map((mode) => best(matrix, precision, columns, 'given', 'any', mode)); // oxfmt-ignore
          return one && all && !matrix.name.endsWith('-small') ? [one.time.median / all.time.median] : [];
        }),
      ),
    );
    return `By the fastest format on each: ${formatRatio(geometricMean(gains))} in the geometric mean, 1.7 or more for ${gains.filter((gain) => gain >= 1.7).length} of ${gains.length} products of medium and large matrices.`;
  },
  threads: ({ matrices }) => {
    const cell = (matrix: MatrixBenchmark, precision: BenchmarkRow['precision'], columns: number): string => {
      const of = (mode: BenchmarkRow['mode']) => best(matrix, precision, columns, 'given', 'multiply', mode);
      return ratioCell(of('simd'), of('threads'));
    };
    return table(
      ['matrix', 'Float32, K = 1', 'Float32, K = 8', 'Float64, K = 1', 'Float64, K = 8'],
      matrices
        .filter((matrix) => best(matrix, 'single', 1, 'given', 'multiply', 'threads'))
        .map((matrix) => [
          matrix.name,
          cell(matrix, 'single', 1),
          cell(matrix, 'single', 8),
          cell(matrix, 'double', 1),
          cell(matrix, 'double', 8),
        ]),
    );
  },
  regular: () => {
    const rows = JSON.parse(readFileSync(regularPath, 'utf8')) as RegularRow[];
    return table(
      ['matrix', 'product', 'threads', 'read', 'peak', 'streams alone', 'fastest format', 'of the roofline'],
      rows.map((row) => {
        const { matrix, precision, columns, threads, read, peak, streams, formats } = row;
        const way = fastestOf(row);
        const { share, bound } = roofOf(row, formats[way]);
        return [
          matrix,
          `${precision === 'single' ? 'Float32' : 'Float64'}, K = ${columns}`,
          String(threads),
          `${formatNumber(read)} GB/s`,
          `${formatNumber(peak)} GFLOP/s`,
          `${Math.round((100 * streams) / read)} %`,
          `${way}, ${formatNumber(formats[way].milliseconds)} ms`,
          `${Math.round(100 * share)} %, ${bound}`,
        ];
      }),
    );
  },
  model: () => describeModel(fitModel(recordedRows())),
  reordering: ({ matrices }) =>
    table(
      ['matrix', 'mean distance', 'reordered', 'gain, K = 1', 'gain, K = 8', 'pays after'],
      matrices
        .filter(({ reordering }) => reordering !== null)
        .map((matrix) => [
          matrix.name,
          formatNumber(matrix.structure.meanDistance),
          formatNumber(matrix.reordering!.meanDistance),
          ratioCell(best(matrix, 'single', 1), best(matrix, 'single', 1, 'reordered')),
          ratioCell(best(matrix, 'single', 8), best(matrix, 'single', 8, 'reordered')),
          reorderingPays(matrix),
        ]),
    ),
};

interface PeerRecord {
  readonly engine: string;
  readonly peers: readonly { readonly name: string; readonly version: string }[];
  readonly rows: readonly PeerRow[];
}

/** How many times as long as the fastest way to compute a product the advised one takes. */
function lossOf(
  { rows }: MatrixBenchmark,
  { product, columns, precision, format, order, mode }: Recommendation,
): number {
  const ways = rows.filter((row) => row.columns === columns && row.precision === precision && operationRules[row.operation].product === product); // oxfmt-ignore
  const advised = ways.find((row) => row.format === format && row.order === order && row.mode === mode)!;
  return advised.time.median / Math.min(...ways.map(({ time }) => time.median));
}

const modeWords = { plain: 'plain', simd: '1 thread', threads: 'threads' };
const formatWords = {
  csr: 'rows',
  sliced: 'slices',
  blocked: 'blocks',
  half: 'half',
  transposed: 'copy',
  transposedSlices: 'slices of Aᵀ',
};

function rateCell(row: BenchmarkRow | undefined): string {
  if (!row) return '–';
  return `${formatNumber(row.gflops)} GFLOP/s, ${Math.round(100 * row.share)} % (${formatWords[row.format]}, ${modeWords[row.mode]})`;
}

/** The number of products with 8 columns after which reordering has paid for itself. */
function reorderingPays(matrix: MatrixBenchmark): string {
  const [given, reordered] = [best(matrix, 'single', 8), best(matrix, 'single', 8, 'reordered')];
  const saved = given && reordered ? given.time.median - reordered.time.median : 0;
  const isClear = given && reordered && given.time.lower > reordered.time.upper;
  return isClear ? `${Math.ceil(matrix.reordering!.milliseconds / saved)} products` : 'never';
}

async function main(paths: readonly string[]): Promise<void> {
  mkdirSync(recordFolder, { recursive: true });
  if (paths.length > 0) {
    const joined = joinReports(paths.map((path) => readBenchmark(readFileSync(path, 'utf8'))));
    writeFileSync(recordPath, `${JSON.stringify(joined)}\n`);
  }
  const report = recordedBenchmark();
  writeFileSync(chartPath, plotBenchmark(report, 'svg'));
  writeFileSync(documentPath, await withBenchmark(readFileSync(documentPath, 'utf8'), report));
  console.log(`Written: ${documentPath}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
