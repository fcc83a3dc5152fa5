/** A check of the kernels on this machine: compares the results and the speed of SIMD kernels with their plain twins. */

import { Random } from '../core/random.ts';
import { allocator } from '../kernels/table.ts';
import { type Kernels, kernels, plainKernels } from './all-kernels.ts';
import { type SimdStatus, simdStatus } from './simd.ts';

export interface KernelReport {
  readonly kernel: keyof Kernels;
  readonly size: string;
  /** Milliseconds a call, the least of many. */
  readonly plain: number;
  readonly simd: number;
  /** Floating-point operations (or bytes moved) a second, in units of 1e9. */
  readonly reaches: number;
  readonly unit: 'GFLOP/s' | 'GB/s';
  /** The largest difference between the twins' results, relative to the largest result. */
  readonly difference: number;
}

export interface CheckReport {
  readonly simd: SimdStatus;
  readonly kernels: readonly KernelReport[];
  readonly agree: boolean;
}

/** Float32 sums of up to 800 terms in another order. */
const tolerance = 2e-5;

type Numbers = (length: number) => Float32Array;

interface Case {
  readonly kernel: keyof Kernels;
  readonly size: string;
  /** Floating-point operations, or bytes. */
  readonly work: number;
  readonly unit: KernelReport['unit'];
  /** The length of the output, which comes with the arguments. */
  readonly outputs: number;
  arguments(numbers: Numbers, out: Float32Array): unknown[];
}

/** Ties a case to its kernel, so that the compiler checks the arguments. */
function test<Name extends keyof Kernels>(
  kernel: Name,
  size: string,
  [work, unit]: readonly [number, KernelReport['unit']],
  outputs: number,
  args: (numbers: Numbers, out: Float32Array) => Parameters<Kernels[Name]>,
): Case {
  return { kernel, size, work, unit, outputs, arguments: args };
}

function product(m: number, k: number, n: number): Case {
  return test('matmul', `${m}×${k}·${n}`, [2 * m * n * k, 'GFLOP/s'], m * n, (numbers, out) => {
    return [m, n, k, numbers(m * k), numbers(k * n), out, false];
  });
}

function sparse(n: number, perRow: number, width: number): Case {
  const [size, work] = [`n = ${n}, ${perRow} a row, width ${width}`, 2 * n * perRow * width];
  return test('csrMatmul', size, [work, 'GFLOP/s'], n * width, (numbers, out) => {
    const random = new Random(`columns/${n}`);
    const starts = allocator.int32(n + 1);
    for (let i = 0; i <= n; i++) starts[i] = i * perRow;
    const columns = allocator.int32(n * perRow);
    for (let e = 0; e < columns.length; e++) columns[e] = random.integer(n);
    return [n, width, starts, columns, numbers(n * perRow), numbers(n * width), out, false];
  });
}

const parameters = 269_000;
const elements = 45 * 256;

const cases: readonly Case[] = [
  product(45, 784, 256),
  product(512, 512, 512),
  product(620, 2, 128),
  product(620, 128, 2),
  test('dense', '45×784·256 + bias, tanh', [2 * 45 * 784 * 256, 'GFLOP/s'], elements, (numbers, out) => {
    const weights = numbers(784 * 256);
    for (let i = 0; i < weights.length; i++) weights[i] /= 28; // √784, so that tanh sees numbers of size one
    return ['tanh', 45, 256, 784, numbers(45 * 784), weights, numbers(256), out];
  }),
  test(
    'squaredDistances',
    '128 by 128 points, 784 columns',
    [3 * 128 * 128 * 784, 'GFLOP/s'],
    128 * 128,
    (numbers, out) => [128, 128, 784, numbers(128 * 784), numbers(128 * 784), out],
  ),
  sparse(2000, 180, 2),
  sparse(20_000, 22, 6),
  test('activate', `softplus of ${elements}`, [8 * elements, 'GB/s'], elements, (numbers, out) => {
    return ['softplus', elements, numbers(elements), out];
  }),
  test('adamStep', `${parameters} parameters`, [28 * parameters, 'GB/s'], parameters, (numbers, out) => {
    const second = numbers(parameters);
    for (let i = 0; i < parameters; i++) second[i] **= 2;
    return [parameters, 1e-3, 0.9, 0.999, 1e-8, 0, numbers(parameters), numbers(parameters), second, out];
  }),
];

/** `now` is a clock in milliseconds, `budget` the time for each twin of each kernel, and `bunch` the shortest time that is measured. */
export function checkKernels(
  now: () => number,
  budget = 60,
  progress: (done: number) => void = () => {},
  bunch = 0.2,
): CheckReport {
  const reports = cases.map((details, index) => {
    progress(index / cases.length);
    return checkOne(details, now, budget, bunch);
  });
  return { simd: simdStatus(), kernels: reports, agree: reports.every(({ difference }) => difference <= tolerance) };
}

function checkOne(details: Case, now: () => number, budget: number, bunch: number): KernelReport {
  const { kernel, size, work, unit, outputs } = details;
  const [plain, simd] = [plainKernels, kernels].map((table) => {
    const random = new Random(`${kernel}/${size}`);
    const numbers = (length: number): Float32Array => {
      const array = allocator.float32(length);
      random.fillNormal(array);
      return array;
    };
    const out = allocator.float32(outputs);
    const args = details.arguments(numbers, out);
    const run = (): unknown => (table[kernel] as (...all: unknown[]) => unknown)(...args);
    run();
    const result = out.slice();
    return { result, milliseconds: fastest(run, now, budget, bunch) };
  });
  const reaches = work / simd.milliseconds / 1e6;
  const difference = distance(plain.result, simd.result);
  return { kernel, size, plain: plain.milliseconds, simd: simd.milliseconds, reaches, unit, difference };
}

/** The least time of one call; calls too short for the clock are timed in bunches. */
function fastest(run: () => unknown, now: () => number, budget: number, least: number): number {
  let best = Infinity;
  let bunch = 1;
  for (const start = now(); now() - start < budget;) {
    const before = now();
    for (let i = 0; i < bunch; i++) run();
    const passed = now() - before;
    if (passed < least) bunch *= 2;
    else best = Math.min(best, passed / bunch);
  }
  return best;
}

function distance(expected: Float32Array, found: Float32Array): number {
  let largest = 0;
  let worst = 0;
  for (let i = 0; i < expected.length; i++) {
    const difference = Math.abs(found[i] - expected[i]);
    largest = Math.max(largest, Math.abs(expected[i]));
    if (!(difference <= worst)) worst = difference;
  }
  return worst === 0 ? 0 : worst / largest;
}
