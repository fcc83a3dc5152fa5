/** Routines for sums of powers of differences: the Minkowski norms whose powers are whole, and the largest difference. */

import type { Assembler, Code, Declare, Local } from '../../assembler/assembler.ts';
import * as f32 from '../../assembler/instructions/f32.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import { doWhile, taking, variables, whileAtLeast } from '../../assembler/statements.ts';

/** How a norm sums up differences, and the squared distance of its sum. */
export interface NormCode {
  /** Adds a difference to the sum. The difference may change its sign. */
  add(sum: Local, difference: Local): Code;
  square(sum: Local): Code;
}

export const squares: NormCode = {
  add: (sum, difference) => sum.set(f64.add(sum, f64.multiply(difference, difference))),
  square: (sum) => sum,
};

export const absolutes: NormCode = {
  add: (sum, difference) => sum.set(f64.add(sum, f64.absolute(difference))),
  square: (sum) => f64.multiply(sum, sum),
};

export const largest: NormCode = {
  add: (sum, difference) => sum.set(f64.larger(sum, f64.absolute(difference))),
  square: (sum) => f64.multiply(sum, sum),
};

/** |difference|^power as a product of `power` factors. */
function wholePower(power: number): NormCode['add'] {
  return (sum, difference) => {
    const product = Array.from({ length: power - 1 }).reduce<Code>(
      (factors) => f64.multiply(factors, difference),
      difference,
    );
    return [difference.set(f64.absolute(difference)), sum.set(f64.add(sum, product))];
  };
}

/** Rows that are measured side by side: a sum waits only for itself. */
const together = 4;

/** The parts of `measureRows` that differ. `pointers` point to the rows to measure, which have `bytes` bytes. */
interface Measurement {
  readonly add: NormCode['add'];
  /** Before the first rows are measured against a new row. */
  start?(pointers: readonly Local[], bytes: Local): Code;
  /** Before and after some rows are measured. A pointer ends where the next row begins. */
  before?(pointers: readonly Local[], bytes: Local): Code;
  after(sums: readonly Local[], pointers: readonly Local[], bytes: Local): Code;
}

/** For each of the m rows of d ≥ 1 numbers at `a`: its differences from n others, which are summed in Float64. */
export function measureRows(
  declare: Declare,
  [m, n, d, a]: readonly Local[],
  { add, start, before, after }: Measurement,
): Code {
  const pointers = variables(declare, 'i32', together);
  const sums = variables(declare, 'f64', together);
  const [left, bytes, from, end] = variables(declare, 'i32', 4);
  const [value, difference] = variables(declare, 'f64', 2);
  const measure = (count: number): Code => {
    const [someSums, some] = [sums.slice(0, count), pointers.slice(0, count)];
    return whileAtLeast(left, count, [
      before?.(some, bytes) ?? [],
      someSums.map((sum) => sum.set(f64.constant(0))),
      from.set(a),
      doWhile(
        [
          value.set(f64.fromF32(f32.load(from))),
          someSums.map((sum, t) => [
            difference.set(f64.subtract(value, f64.fromF32(f32.load(some[t])))),
            add(sum, difference),
            some[t].step(4),
          ]),
          from.step(4),
        ],
        i32.lessThanUnsigned(from, end),
      ),
      after(someSums, some, bytes),
    ]);
  };
  return [
    bytes.set(i32.shiftLeft(d, 2)),
    whileAtLeast(m, 1, [
      left.set(n),
      end.set(i32.add(a, bytes)),
      start?.(pointers, bytes) ?? [],
      measure(together),
      measure(1),
      a.set(end),
    ]),
  ];
}

/** (m, n, d, a, b, out): the kernel powerSums for Float32 rows, d ≥ 1, with the sums of one norm. */
function defineSums(module: Assembler, add: NormCode['add']) {
  return module.define(taking(6), ([m, n, d, a, b, out], declare) =>
    measureRows(declare, [m, n, d, a], {
      add,
      start: (pointers, bytes) => pointers.map((pointer, t) => pointer.set(i32.add(b, i32.multiply(bytes, t)))),
      after: (sums, pointers, bytes) => [
        sums.map((sum, t) => f64.store(out, sum, 8 * t)),
        out.step(8 * sums.length),
        // All move on by the other rows.
        pointers.map((pointer) => pointer.advance(i32.multiply(bytes, sums.length - 1))),
      ],
    }),
  );
}

export function definePowerSums(module: Assembler, largestWhole: number) {
  const whole = Array.from({ length: largestWhole - 2 }, (_, k) => defineSums(module, wholePower(k + 3)));
  return {
    manhattan: defineSums(module, absolutes.add),
    euclidean: defineSums(module, squares.add),
    chebyshev: defineSums(module, largest.add),
    /** Powers 3, 4, …. */
    whole,
  };
}
