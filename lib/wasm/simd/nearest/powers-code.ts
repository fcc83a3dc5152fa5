/** Routines for sums of powers of differences: the Minkowski norms whose powers are whole, and the largest difference. */

import type { Assembler, Code, Local } from '../../assembler/assembler.ts';
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

/** Rows of b that are measured side by side: a sum waits only for itself. */
const together = 4;

/** (m, n, d, a, b, out): the kernel powerSums for Float32 rows, d ≥ 1, with the sums of one norm. */
function defineSums(module: Assembler, add: NormCode['add']) {
  return module.define(taking(6), (locals, declare) => {
    const [m, n, d, a, b, out] = locals;
    const pointers = variables(declare, 'i32', together);
    const sums = variables(declare, 'f64', together);
    const [left, bytes, from, end] = variables(declare, 'i32', 4);
    const [value, difference] = variables(declare, 'f64', 2);
    const measure = (count: number): Code => {
      const some = <T>(all: readonly T[]): T[] => all.slice(0, count);
      return whileAtLeast(left, count, [
        some(sums).map((sum) => sum.set(f64.constant(0))),
        from.set(a),
        doWhile(
          [
            value.set(f64.fromF32(f32.load(from))),
            some(sums).map((sum, t) => [
              difference.set(f64.subtract(value, f64.fromF32(f32.load(pointers[t])))),
              add(sum, difference),
              pointers[t].step(4),
            ]),
            from.step(4),
          ],
          i32.lessThanUnsigned(from, end),
        ),
        some(sums).map((sum, t) => f64.store(out, sum, 8 * t)),
        out.step(8 * count),
        // A pointer ends where the next row begins, so that all move on by the other rows.
        some(pointers).map((pointer) => pointer.advance(i32.multiply(bytes, i32.constant(count - 1)))),
      ]);
    };
    const startAt = (row: Code): Code =>
      pointers.map((pointer, t) => pointer.set(i32.add(row, i32.multiply(bytes, i32.constant(t)))));
    return [
      bytes.set(i32.shiftLeft(d, 2)),
      whileAtLeast(m, 1, [
        left.set(n),
        end.set(i32.add(a, bytes)),
        startAt(b),
        measure(together),
        measure(1),
        a.set(end),
      ]),
    ];
  });
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
