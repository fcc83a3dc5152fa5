/** Measures the rows of a plan: compares every kernel with its plain twin, then times it. */

import { Random, type Seed } from '../../core/random.ts';
import { subtask, type Task } from '../../core/task.ts';
import type { Floats } from '../../kernels/types.ts';
import { borrowCsr } from '../../sparse/borrow-csr.ts';
import { type CsrMatrix, entriesIn } from '../../sparse/csr.ts';
import { type MatrixStructure, matrixStructure } from '../../sparse/structure.ts';
import type { Precision } from '../../tensor/tensor.ts';
import { Loans } from '../../wasm/loans.ts';
import { kernelMemory } from '../../wasm/simd.ts';
import type { MachineLimits } from '../machine/limits.ts';
import { startThreads } from '../machine/threads.ts';
import { type Pace, timeCallsSteps, type Timing } from '../timing.ts';
import { bitsOf, differenceOf, largestSums, roundingBound } from './agreement.ts';
import { type Listed, type Operands, operationRules } from './operations.ts';
import type { Measured, Order } from './plan.ts';
import { rate, type Rated } from './roofline.ts';
import { type Conversion, StoredFormats } from './stored.ts';

/** A measured row. */
export interface BenchmarkRow extends Measured, Rated {
  /** Milliseconds of a call. */
  readonly time: Timing;
  /** The largest difference from the plain twin, relative to the largest possible result. */
  readonly difference: number;
}

/** A row that was not timed: its result was wrong, or its arrays did not fit. */
export interface FailedRow extends Measured {
  readonly reason: string;
  /** Whether the result differed from that of the plain twin. */
  readonly isWrong: boolean;
}

/** A slice copies one of this many rows. */
const sliceEvery = 16;
/** X repeats this many random numbers, a prime, so that rows differ. */
const period = 4099;

/** What measuring needs beside the plan. */
export interface Setting {
  readonly limits: MachineLimits;
  readonly pace: Pace;
  readonly threads: number;
  readonly seed: Seed;
}

/** Measures rows, in the order of the plan. `matrixOf` is the matrix in each order. */
export function* measureRowsSteps(
  plan: readonly Measured[],
  matrixOf: Readonly<Partial<Record<Order, CsrMatrix>>>,
  setting: Setting,
): Task<{ rows: BenchmarkRow[]; failed: FailedRow[]; conversions: Conversion[] }> {
  const rows: BenchmarkRow[] = [];
  const failed: FailedRow[] = [];
  const conversions: Conversion[] = [];
  /** The bits of the results on one thread, by the row on one thread. Threads must not change them. */
  const bits = new Map<string, number>();
  let bench: Workbench | null = null;
  let inUse = 0;
  try {
    for (const [i, each] of plan.entries()) {
      const threads = each.mode === 'threads' ? setting.threads : 1;
      if (threads !== inUse) startThreads((inUse = threads), setting.pace.now);
      if (!bench?.fits(each)) {
        bench?.close(conversions);
        bench = new Workbench(matrixOf[each.order]!, each, setting);
      }
      const result = yield* subtask(bench.measureSteps(each, setting, bits), i / plan.length, (i + 1) / plan.length);
      if ('reason' in result) failed.push(result);
      else rows.push(result);
    }
    bench?.close(conversions);
    bench = null;
    return { rows, failed, conversions };
  } finally {
    bench?.close(conversions);
  }
}

/** A matrix in one precision and order, in the memory of the kernels, with arrays for calls. */
class Workbench {
  readonly #loan: ReturnType<typeof borrowCsr>;
  readonly #structure: MatrixStructure;
  readonly #sums: ReturnType<typeof largestSums>;
  readonly #precision: Precision;
  readonly #order: Order;
  readonly #list: Int32Array;
  readonly #listed: Listed;
  readonly #numbers: Float64Array;
  readonly #stored: StoredFormats;

  constructor(matrix: CsrMatrix, { precision, order }: Measured, { seed, pace: { now } }: Setting) {
    const random = new Random(seed).fork('benchmark');
    this.#loan = borrowCsr(matrix.precision === precision ? matrix : matrix.copy(precision));
    this.#stored = new StoredFormats(this.#loan.matrix, order, now);
    this.#structure = matrixStructure(matrix);
    this.#sums = largestSums(matrix);
    [this.#precision, this.#order] = [precision, order];
    const { rows } = matrix;
    this.#list = random.permutation(rows).slice(0, Math.ceil(rows / sliceEvery)).toSorted(); // oxfmt-ignore
    this.#listed = { rows: this.#list.length, entries: entriesIn(matrix, this.#list) };
    this.#numbers = new Float64Array(period);
    random.fillUniform(this.#numbers, -1, 1);
  }

  fits({ precision, order }: Measured): boolean {
    return precision === this.#precision && order === this.#order;
  }

  /** Gives all memory back, and adds the conversions that were made to the list, each once. */
  close(conversions: Conversion[]): void {
    this.#loan.giveBack();
    this.#stored.close();
    for (const made of this.#stored.conversions) {
      const { format, precision, order } = made;
      const isKnown = conversions.some((each) => each.format === format && each.precision === precision && each.order === order); // oxfmt-ignore
      if (!isKnown) conversions.push(made);
    }
  }

  *measureSteps(row: Measured, setting: Setting, bits: Map<string, number>): Task<BenchmarkRow | FailedRow> {
    const loans = new Loans();
    try {
      const operands = this.#operandsOf(row, loans);
      if (!this.#isReachable(operands)) {
        return { ...row, isWrong: false, reason: 'its arrays do not fit into the memory of the kernels' };
      }
      const rules = operationRules[row.operation];
      const kernel = row.mode === 'plain' ? rules.plain : rules.simd[row.precision]!;
      const difference = this.#check(row, operands, () => kernel(operands), bits);
      if (typeof difference === 'string') return { ...row, isWrong: true, reason: difference };
      const time = yield* timeCallsSteps(() => kernel(operands), setting.pace);
      const valueBytes = row.precision === 'single' ? 4 : 8;
      const flops = rules.flops(this.#structure, row.columns);
      const bytes = rules.bytes(this.#structure, this.#listed, row.columns, valueBytes);
      const rated = rate(setting.limits, row.mode, row.precision, flops, bytes, time.median);
      return { ...row, time, difference, ...rated };
    } finally {
      loans.giveBackAll();
    }
  }

  #operandsOf({ operation, columns }: Measured, loans: Loans): Operands {
    const lengths = operationRules[operation].lengths(this.#structure, this.#listed, columns);
    const floats = (length: number): Floats =>
      this.#precision === 'single' ? loans.float32(length) : loans.float64(length);
    const isSlice = operation === 'slice';
    const list = loans.int32(isSlice ? this.#list.length : 0);
    if (isSlice) list.set(this.#list);
    const x = floats(lengths.x);
    for (let at = 0; at < x.length; at += period) x.set(this.#numbers.subarray(0, Math.min(period, x.length - at)), at);
    return {
      matrix: this.#loan.matrix,
      width: columns,
      x,
      out: floats(lengths.out).fill(0),
      list,
      outStarts: loans.int32(isSlice ? list.length + 1 : 0),
      outColumns: loans.int32(lengths.outColumns).fill(0),
      half: operation === 'symmetric' ? this.#stored.half() : null,
      sliced: operation === 'sliced' ? this.#stored.sliced() : null,
      blocked: operation === 'blocked' ? this.#stored.blocked() : null,
      transposed: operation === 'transposedCopy' ? this.#stored.transposed() : null,
      transposedSlices: operation === 'transposedSlices' ? this.#stored.transposedSlices() : null,
    };
  }

  /** Whether kernels reach all arrays without a copy. */
  #isReachable({
    matrix,
    x,
    out,
    list,
    outStarts,
    outColumns,
    half,
    sliced,
    blocked,
    transposed,
    transposedSlices,
  }: Operands): boolean {
    // oxfmt-ignore
    const memory = kernelMemory();
    const arrays = [
      matrix.values,
      x,
      out,
      list,
      outStarts,
      outColumns,
      ...(half ? [half.diagonal, half.values] : []),
      ...(sliced ? [sliced.columns, sliced.values] : []),
      ...(blocked ? [blocked.firsts, blocked.values] : []),
      ...(transposed ? [transposed.columns, transposed.values] : []),
      ...(transposedSlices ? [transposedSlices.columns, transposedSlices.values] : []),
    ];
    return memory === null || arrays.every(({ buffer, length }) => length === 0 || buffer === memory.buffer);
  }

  /** Runs the kernel once. Returns the difference from the plain twin, or in words what is wrong. */
  #check(row: Measured, operands: Operands, run: () => void, bits: Map<string, number>): number | string {
    const { operation, columns, precision, format, order, mode } = row;
    const key = [operation, columns, precision, format, order].join();
    const { out, outColumns } = operands;
    run();
    const found = bitsOf(out) ^ bitsOf(outColumns);
    if (mode === 'threads') {
      return bits.get(key) === found ? 0 : 'the result on several threads has other bits than on one';
    }
    const { plain, reference = plain, product } = operationRules[operation];
    if (mode === 'plain' && reference === plain) return 0;
    bits.set(key, found);
    const copies = [out.slice(), outColumns.slice()] as const;
    reference(operands);
    const { sum, count } = this.#sums[product === 'Aᵀ·X' ? 'column' : 'row'];
    const isSlice = operation === 'slice';
    const allowed = isSlice ? 0 : roundingBound(count, precision === 'single');
    const difference = differenceOf(copies[0], out, isSlice ? 1 : sum);
    const sameColumns = outColumns.every((column, e) => column === copies[1][e]);
    if (difference <= allowed && sameColumns) return difference;
    return `the result differs by ${difference.toPrecision(2)} from that of the plain kernel, and ${allowed.toPrecision(2)} is allowed`;
  }
}
