/** `benchWebGpu`: measures A·X on a graphics card, after comparing it with the plain kernel. */

import { checkCount } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { Random, type Seed } from '../../core/random.ts';
import type { ProgressOptions } from '../../core/task.ts';
import { csrMatmul } from '../../kernels/sparse.ts';
import { checkCsr, type CsrMatrix } from '../../sparse/csr.ts';
import { matrixStructure } from '../../sparse/structure.ts';
import { differenceOf, largestSums, roundingBound } from '../measure/agreement.ts';
import { operationRules } from '../measure/operations.ts';
import {
  type Clock,
  isEnough,
  isTooShort,
  type Pace,
  paceOf,
  summarize,
  type Timing,
  type TimingOptions,
  timingRules,
} from '../timing.ts';
import { type Card, type CardProduct, openCard, type WebGpu } from './device.ts';
import { lanesOf } from './shader.ts';

/** A·X on the card for one number of columns, in single precision and in the given order. */
export interface WebGpuRow {
  readonly columns: number;
  /** Milliseconds of a call. Matrix and X are on the card before. */
  readonly time: Timing;
  /** Milliseconds until the first result: upload of matrix and X, compilation, one call. */
  readonly upload: number;
  /** The largest difference from the plain kernel, relative to the largest possible result. */
  readonly difference: number;
  readonly gflops: number;
  /** By the bytes model of A·X. */
  readonly gbs: number;
  /** Flops per byte. */
  readonly intensity: number;
}

/** What was measured on a card, or the reason why there is none. */
export interface WebGpuBenchmark {
  /** Null if there is no card. */
  readonly card: string | null;
  /** Why there is no card. Empty if there is one. */
  readonly reason: string;
  readonly rows: readonly WebGpuRow[];
  /** Products that were not timed: wrong, or too large. */
  readonly failed: readonly { readonly columns: number; readonly reason: string; readonly isWrong: boolean }[];
}

/** What is measured on the card, and for how long. */
export interface WebGpuOptions extends TimingOptions {
  /** The numbers of columns of X. Default: 1, 2, 4, 8, 16, 32, 64. */
  readonly columns?: readonly number[] | undefined;
  /** The seed of X. Default: 0. */
  readonly seed?: Seed | undefined;
}

const rules = {
  ...timingRules,
  columns: 'array',
  seed: 'seed',
} as const satisfies Rules<WebGpuOptions>;

const defaultColumns = [1, 2, 4, 8, 16, 32, 64];
/** The shortest sample, in milliseconds: a call has to reach the card. */
const shortestSample = 5;
/** The most calls in a sample, if the clock hardly advances. */
const mostCalls = 2 ** 10;

/** Measures A·X on the graphics card of the browser. Where there is none, the result says why. `now`: a clock in milliseconds. */
export async function benchWebGpu(
  matrix: CsrMatrix,
  now: Clock,
  options: WebGpuOptions = {},
): Promise<WebGpuBenchmark> {
  const caller = 'benchWebGpu';
  checkCsr(caller, matrix);
  checkOptions(caller, options, rules);
  const pace = paceOf(caller, now, options, shortestSample);
  const { columns = defaultColumns } = options;
  for (const width of columns) checkCount(caller, 'columns', width, 1);
  const { navigator } = globalThis as { navigator?: { readonly gpu?: WebGpu } };
  const card = await openCard(navigator?.gpu);
  if (typeof card === 'string') return { card: null, reason: card, rows: [], failed: [] };
  try {
    return await measureOnCard(card, matrix, pace, { ...options, columns });
  } finally {
    card.close();
  }
}

/** Measures A·X on a card. */
export async function measureOnCard(
  card: Card,
  matrix: CsrMatrix,
  pace: Pace,
  { columns, seed = 0, progress, signal }: Settings,
): Promise<WebGpuBenchmark> {
  const single = matrix.precision === 'single' ? matrix : matrix.copy('single');
  const rows: WebGpuRow[] = [];
  const failed: { columns: number; reason: string; isWrong: boolean }[] = [];
  for (const [k, width] of columns.entries()) {
    signal?.throwIfAborted();
    progress?.(k / columns.length);
    // oxlint-disable-next-line no-await-in-loop -- one product at a time, since two would disturb each other
    const found = await measureProduct(card, single, width, pace, { columns, seed, signal });
    if ('reason' in found) failed.push({ columns: width, ...found });
    else rows.push(found);
  }
  progress?.(1);
  return { card: card.name, reason: '', rows, failed };
}

interface Settings extends ProgressOptions {
  readonly columns: readonly number[];
  readonly seed?: Seed | undefined;
}

async function measureProduct(
  card: Card,
  matrix: CsrMatrix,
  width: number,
  pace: Pace,
  { seed = 0, signal }: Settings,
): Promise<WebGpuRow | { reason: string; isWrong: boolean }> {
  const { rows, cols, nonzeros, starts, columns, values } = matrix;
  const shape = { rows, width, lanes: lanesOf(nonzeros / Math.max(1, rows), width) };
  let product: CardProduct | null = null;
  try {
    const x = new Float32Array(cols * width);
    new Random(seed).fork('benchmark').fillUniform(x, -1, 1);
    const start = pace.now();
    product = await card.load(matrix, shape, x);
    await product.run(1);
    const upload = pace.now() - start;
    const expected = new Float32Array(rows * width);
    csrMatmul(rows, width, starts, columns, values, x, expected, false);
    const { sum, count } = largestSums(matrix).row;
    const difference = differenceOf(await product.read(), expected, sum);
    const allowed = roundingBound(count, true);
    if (!(difference <= allowed)) {
      const reason = `the result differs by ${difference.toPrecision(2)} from that of the plain kernel, and ${allowed.toPrecision(2)} is allowed`;
      return { reason, isWrong: true };
    }
    const time = await timeProduct(product, pace, signal);
    if (time.median === 0) return { reason: 'the clock does not advance', isWrong: false };
    const structure = matrixStructure(matrix);
    const flops = operationRules.multiply.flops(structure, width);
    const bytes = operationRules.multiply.bytes(structure, { rows: 0, entries: 0 }, width, 4);
    const [gflops, gbs] = [flops, bytes].map((amount) => amount / time.median / 1e6);
    return { columns: width, time, upload, difference, gflops, gbs, intensity: flops / bytes };
  } catch (error) {
    // Too large for the card or for this process, or the card is lost: the other products are reported all the same.
    signal?.throwIfAborted();
    return { reason: (error as Error).message, isWrong: false };
  } finally {
    product?.close();
  }
}

/** The time of a call within samples of several, which follow each other on the card. */
async function timeProduct(
  product: CardProduct,
  { now, budget, sample }: Pace,
  signal: AbortSignal | undefined,
): Promise<Timing> {
  let calls = 1;
  const sampleOf = async (): Promise<number> => {
    const start = now();
    await product.run(calls);
    return now() - start;
  };
  // oxlint-disable-next-line no-await-in-loop -- the next sample depends on this one
  while (calls < mostCalls && (await sampleOf()) < sample) calls *= 2;
  const samples: number[] = [];
  for (let spent = 0; !isEnough(spent, samples.length, budget);) {
    signal?.throwIfAborted();
    // oxlint-disable-next-line no-await-in-loop
    const passed = await sampleOf();
    if (calls < mostCalls && isTooShort(passed, calls, sample)) {
      calls *= 2;
      continue;
    }
    samples.push(passed / calls);
    spent += Math.max(passed, budget / mostCalls); // ends, even by a clock that stands still
  }
  return summarize(samples, calls);
}
