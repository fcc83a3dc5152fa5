/** The command `bench`: measures products with sparse matrices, and compares them with the limits of the machine. */

import { availableParallelism, cpus } from 'node:os';
import {
  benchMatrix,
  type BenchOptions,
  estimateBench,
  type MatrixBenchmark,
} from '../../../benchmark/bench-matrix.ts';
import { measureMachine } from '../../../benchmark/machine/limits.ts';
import { type Benchmark, type Machine, readBenchmark } from '../../../benchmark/report/benchmark.ts';
import { compareBenchmarks, type Comparison } from '../../../benchmark/report/compare.ts';
import { describeComparison, describeMachine, describeMatrix } from '../../../benchmark/report/describe.ts';
import { plotBenchmark } from '../../../benchmark/report/plot.ts';
import { badValue } from '../../../core/check.ts';
import { formatMilliseconds } from '../../../charts/table.ts';
import { matrixNames } from '../../../matrices/catalog.ts';
import { type Precision, precisions } from '../../../tensor/tensor.ts';
import { enableRelaxedSimd, relaxedSimdStatus } from '../../../wasm/relaxed-simd.ts';
import { commonFlags, type Flags } from '../../flags/flags.ts';
import { countFlag } from '../../flags/kinds.ts';
import { UsageError } from '../../shared/arguments.ts';
import { type Call, type Command, printReport } from '../../shared/command.ts';
import { nameFileInErrors, readBytes } from '../../shared/input.ts';
import { checkOutputs, plotWriters, prepareOutput, reportWriters, writeAll } from '../../shared/output.ts';
import { packageVersion } from '../../shared/version.ts';
import { findMatrices, type MatrixSource, openMatrix } from './matrices.ts';

/** What --quick measures. Budgets are milliseconds for each figure. */
const quick = { columns: [1, 8], budget: 10, largest: 2 ** 26 };

export const bench: Command = {
  summary: 'measure products with sparse matrices against the limits of this machine',
  operands: ['[MATRIX…]'],
  flags: ['set', 'columns', 'precision', 'quick', 'plot', 'compare', 'relaxed-simd', ...commonFlags],
  overrides: {
    columns: { help: 'numbers of columns of X; default: 1,2,4,8,16,32,64', value: 'K,K,…' },
    precision: { help: 'single, double or both; default: both', choices: [...precisions, 'both'] },
    quick: { help: 'less time for each figure, and 1 and 8 columns: seconds instead of minutes' },
    plot: { help: 'draw the roofline: a page with tables (.html) or a picture (.svg)' },
    seed: { help: 'seed of generated matrices and of X; default: 0' },
    threads: { help: 'number of threads to compare with one; default: one per processor, at most 8' },
  },
  details: [
    `MATRIX: a file (.mtx, .mtx.gz, .npz), a stored graph, a folder of these, or the name of a generated matrix:\n${listClasses()}`,
    'A matrix in a folder that cannot be read or has no entries is left out, with a note.',
    '--out .json: the report of --json',
    'JSON: format, version, specnet, machine, limits (peak in GFLOP/s, bandwidth in GB/s by working set), matrices (name,\n  structure, reordering, rows, failed, recommendations), comparison (with --compare). A row: operation, columns,\n  precision, format, order, mode, time in ms (median, lower, upper, least, samples, calls), difference from the plain\n  kernel, flops, bytes, gflops, gbs, bandwidth, roof, bound, share (of the roofline)',
    'Exit code 1 if a kernel differs from its plain twin by more than rounding.',
  ],
  examples: [
    ['specnet bench graph.mtx --quick --out earlier.json', 'a matrix of a file, and the report as JSON'],
    ['specnet bench graph.mtx --quick --precision single --compare earlier.json', 'compare with an earlier run'],
    ['specnet bench stencil-2d-small --quick --columns 8 --plot roofline.svg', 'a generated matrix, and its roofline'],
  ],
  async run(call) {
    const { flags, operands, progress } = call;
    const sources = findMatrices(operands, flags.set);
    checkOutputs(operands, flags, false);
    const options = optionsOf(flags);
    if (flags['relaxed-simd']) useRelaxedSimd();
    const writeOut = await prepareOutput(flags.out, reportWriters);
    const writePlot = await prepareOutput(flags.plot, plotWriters, '--plot');
    const earlier = flags.compare === undefined ? null : await readEarlier(flags.compare);
    const limits = await measureMachine(call.terminal.now, {
      ...(flags.threads !== undefined && { threads: flags.threads }),
      ...(flags.quick && { budget: quick.budget, largest: quick.largest }),
      progress: progress.percent('measuring the limits of the machine'),
    });
    const matrices = await measureAll(sources, { ...options, limits, threads: limits.threads }, call);
    progress.clear();
    const benchmark: Benchmark = {
      format: 'specnet-benchmark',
      version: 1,
      specnet: packageVersion(),
      machine: machineHere(),
      limits,
      matrices,
    };
    const comparison = earlier && compareBenchmarks(benchmark, earlier);
    const report = { ...benchmark, ...(comparison && { comparison }) };
    await writeAll([() => writeOut(report), () => writePlot((format) => plotBenchmark(benchmark, format))]);
    printReport(call, report, () => describe(benchmark, comparison, call.seconds()));
    const wrong = matrices.filter(({ failed }) => failed.some(({ isWrong }) => isWrong));
    if (wrong.length === 0) return 0;
    call.terminal.note(`specnet bench: wrong results for ${wrong.map(({ name }) => name).join(', ')}.\n`);
    return 1;
  },
};

async function measureAll(
  sources: readonly MatrixSource[],
  options: BenchOptions,
  call: Call,
): Promise<MatrixBenchmark[]> {
  const { progress, terminal } = call;
  const found: MatrixBenchmark[] = [];
  for (const [i, source] of sources.entries()) {
    const { name } = source;
    // oxlint-disable-next-line no-await-in-loop -- one matrix at a time, since two would disturb each other
    const matrix = await openMatrix(source, call);
    if (!matrix) continue;
    const time = formatMilliseconds(1000 * estimateBench(matrix, options));
    const title = `${i + 1} of ${sources.length}: ${name}, about ${time}`;
    // oxlint-disable-next-line no-await-in-loop
    found.push(await benchMatrix(matrix, terminal.now, { ...options, name, progress: progress.estimate(title) }));
  }
  if (found.length === 0) throw badValue('bench', 'a matrix that can be measured', 'none');
  return found;
}

function optionsOf(flags: Flags): BenchOptions {
  const precision = flags.precision as Precision | 'both' | undefined;
  const text = flags.columns as unknown as string | undefined;
  const columns = text === undefined ? flags.quick && quick.columns : columnsOf(text);
  return {
    ...(columns && { columns }),
    ...(precision && precision !== 'both' && { precisions: [precision] }),
    ...(flags.quick && { budget: quick.budget }),
    ...(flags.seed !== undefined && { seed: flags.seed }),
  };
}

function columnsOf(text: string): number[] {
  const { read } = countFlag('columns', 'K', 1, '');
  try {
    return text.split(',').map((word) => read('--columns', word.trim()));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function readEarlier(path: string): Promise<Benchmark> {
  return nameFileInErrors(path, async () => readBenchmark(new TextDecoder().decode(await readBytes(path))));
}

/** Refuses where relaxed SIMD is not to be had: figures without it would not be what was asked for. */
function useRelaxedSimd(): void {
  const status = enableRelaxedSimd();
  if (!status.enabled) throw new UsageError(`--relaxed-simd: ${status.reason}.`);
}

function machineHere(): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown processor',
    processors: availableParallelism(),
    system: `${process.platform} ${process.arch}`,
    engine: `Node ${process.version}${relaxedSimdStatus().enabled ? ' with relaxed SIMD' : ''}`,
  };
}

function describe(benchmark: Benchmark, comparison: Comparison | null, seconds: number): string {
  const { machine, limits, matrices } = benchmark;
  return [
    describeMachine(machine, limits),
    ...matrices.map((matrix) => describeMatrix(matrix, limits.threads)),
    ...(comparison ? [describeComparison(comparison)] : []),
    `Done in ${formatMilliseconds(1000 * seconds)}.`,
  ].join('\n\n');
}

/** The classes of generated matrices, as help shows them. */
function listClasses(): string {
  const classes = matrixNames('small').map((name) => name.replace(/-small$/, ''));
  return `  ${classes.join(', ')},\n  each with -small, -medium or -large at the end: fits the second-level cache, the last-level cache, or neither`;
}
