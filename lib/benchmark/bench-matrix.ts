/** `benchMatrix`: measures products with a matrix, compares them with the limits of the machine, and recommends what to use. */

import { badValue, checkChoice, checkCount } from '../core/check.ts';
import { checkOptions, type Rules } from '../core/options.ts';
import type { Seed } from '../core/random.ts';
import { runAsync, subtask, type Task } from '../core/task.ts';
import { symmetrize } from '../sparse/combine.ts';
import { checkCsr, type CsrMatrix } from '../sparse/csr.ts';
import { reverseCuthillMcKee } from '../sparse/orders/cuthill-mckee.ts';
import { permute } from '../sparse/orders/reorder.ts';
import { type MatrixStructure, matrixStructure } from '../sparse/structure.ts';
import { type Precision, precisions as allPrecisions } from '../tensor/tensor.ts';
import { checkThreads, setThreads } from '../wasm/set-threads.ts';
import { simdStatus } from '../wasm/simd.ts';
import { type MachineLimits, measureMachineSteps } from './machine/limits.ts';
import { defaultThreads, threadsInUse } from './machine/threads.ts';
import { type BenchmarkRow, type FailedRow, measureRowsSteps } from './measure/measure-rows.ts';
import { estimateSeconds, type Order, planRows, type Wanted } from './measure/plan.ts';
import type { Conversion } from './measure/stored.ts';
import { type Recommendation, recommend } from './measure/recommend.ts';
import { type Clock, defaultBudget, type Pace, paceOf, type TimingOptions, timingRules } from './timing.ts';
import type { WebGpuBenchmark } from './webgpu/bench-webgpu.ts';

/** What is measured, and for how long. */
export interface BenchOptions extends TimingOptions {
  /** The name of the matrix in the report. Default: 'matrix'. */
  readonly name?: string | undefined;
  /** The limits of the machine, from `measureMachine`. Default: measured first. */
  readonly limits?: MachineLimits | undefined;
  /** The numbers of columns of X. Default: 1, 2, 4, 8, 16, 32, 64. */
  readonly columns?: readonly number[] | undefined;
  /** Default: both. */
  readonly precisions?: readonly Precision[] | undefined;
  /** Default: as `setThreads` said, else one per processor, at most 8. With one, nothing is measured with threads. */
  readonly threads?: number | undefined;
  /** Whether the matrix is measured after reordering too. Default: true. */
  readonly reorder?: boolean | undefined;
  /** The seed of X and of the rows of a slice. Default: 0. */
  readonly seed?: Seed | undefined;
}

const benchRules = {
  ...timingRules,
  name: 'string',
  limits: 'object',
  columns: 'array',
  precisions: 'array',
  threads: 'number',
  reorder: 'boolean',
  seed: 'seed',
} as const satisfies Rules<BenchOptions>;

const defaultColumns: readonly number[] = [1, 2, 4, 8, 16, 32, 64];

/** A reordering: how long it took, and what it changed. */
export interface Reordering {
  readonly milliseconds: number;
  readonly bandwidth: number;
  readonly meanDistance: number;
}

/** The benchmark of one matrix. */
export interface MatrixBenchmark {
  readonly name: string;
  readonly structure: MatrixStructure;
  /** Null if the matrix was not reordered. */
  readonly reordering: Reordering | null;
  readonly rows: readonly BenchmarkRow[];
  /** Rows that were not timed. */
  readonly failed: readonly FailedRow[];
  /** The formats other than compressed rows that were measured. */
  readonly conversions: readonly Conversion[];
  readonly recommendations: readonly Recommendation[];
  /** What `benchWebGpu` found, if it was called. */
  readonly webgpu?: WebGpuBenchmark | undefined;
}

/** Measures products with a matrix. `now`: a clock in milliseconds. */
export async function benchMatrix(matrix: CsrMatrix, now: Clock, options: BenchOptions = {}): Promise<MatrixBenchmark> {
  const wanted = checkBench('benchMatrix', matrix, options);
  const pace = paceOf('benchMatrix', now, options);
  return runAsync(benchMatrixSteps(matrix, pace, wanted, options), options);
}

/** The seconds that `benchMatrix` takes with these options, about, without those for the limits of the machine. */
export function estimateBench(matrix: CsrMatrix, options: BenchOptions = {}): number {
  const wanted = checkBench('estimateBench', matrix, options);
  const structure = matrixStructure(matrix);
  return estimateSeconds(structure, planRows(structure, wanted), options.budget ?? defaultBudget);
}

/** Checks matrix and options, and resolves what is wanted. */
function checkBench(caller: string, matrix: CsrMatrix, options: BenchOptions): Wanted {
  checkCsr(caller, matrix);
  checkOptions(caller, options, benchRules);
  const { columns = defaultColumns, precisions = allPrecisions, threads = defaultThreads() } = options;
  if (matrix.nonzeros === 0)
    throw badValue(caller, 'a matrix with entries', `${matrix.rows}×${matrix.cols} without any`);
  for (const width of columns) checkCount(caller, 'columns', width, 1);
  for (const precision of precisions) checkChoice(caller, 'precisions', precision, allPrecisions);
  if (columns.length === 0 || precisions.length === 0)
    throw badValue(caller, 'columns and precisions', 'an empty list');
  checkThreads(caller, 'threads', threads);
  const { reorder: isReordered = true } = options;
  const orders: Order[] = isReordered && matrix.rows === matrix.cols ? ['given', 'reordered'] : ['given'];
  return {
    columns: [...new Set(columns)],
    precisions: [...new Set(precisions)],
    orders,
    threads,
    simd: simdStatus().enabled,
  };
}

function* benchMatrixSteps(
  matrix: CsrMatrix,
  pace: Pace,
  wanted: Wanted,
  { name = 'matrix', limits, seed = 0 }: BenchOptions,
): Task<MatrixBenchmark> {
  const before = threadsInUse();
  const { threads } = wanted;
  const { now, sample } = pace;
  try {
    const machine = limits ?? (yield* subtask(measureMachineSteps('benchMatrix', now, { threads, sample }), 0, 0.1));
    const structure = matrixStructure(matrix);
    yield 0.1;
    const reordered = wanted.orders.includes('reordered') ? reorder(matrix, structure, now) : null;
    yield 0.15;
    const matrixOf = { given: matrix, ...(reordered && { reordered: reordered.matrix }) };
    const setting = { limits: machine, pace, threads, seed };
    const found = yield* subtask(measureRowsSteps(planRows(structure, wanted), matrixOf, setting), 0.15, 1);
    const recommendations = recommend(found.rows, reordered?.reordering.milliseconds ?? null, found.conversions);
    return { name, structure, reordering: reordered?.reordering ?? null, ...found, recommendations };
  } finally {
    setThreads(before);
  }
}

/** P·A·Pᵀ for reverse Cuthill-McKee on the pattern of A, or of A + Aᵀ if it is not symmetric. */
function reorder(
  matrix: CsrMatrix,
  { symmetry }: MatrixStructure,
  now: Clock,
): { matrix: CsrMatrix; reordering: Reordering } {
  const start = now();
  const order = reverseCuthillMcKee(symmetry === 'none' ? symmetrize(matrix, 'max') : matrix);
  const reordered = permute(matrix, order);
  const milliseconds = now() - start;
  const { bandwidth, meanDistance } = matrixStructure(reordered);
  return { matrix: reordered, reordering: { milliseconds, bandwidth, meanDistance } };
}
