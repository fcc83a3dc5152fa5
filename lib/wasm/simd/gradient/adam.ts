/** Adam for a matrix whose gradient is a sparse product, computed row by row: routines and twins. */

import { adamProduct, startAdam } from '../../../kernels/batch/adam-product.ts';
import type { Assembler, Code, Local, Routines } from '../../assembler/assembler.ts';
import * as f32 from '../../assembler/instructions/f32.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { type Repeat, taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { type AnyArray, input, input32, isSingle, output32 } from '../../memory/marshal.ts';
import { chunk, type Executor, type Host, inline } from '../../threads/executor.ts';
import { defineScale } from '../elementwise/elementwise.ts';
import { accessOf, forEachElement, forEachRow, stepAll } from '../loops.ts';
import {
  adamFlops,
  type AdamMove,
  adamMove,
  adamScalars,
  type AdamState,
  defineAdamStep,
} from '../optimizer/optimizer.ts';

export type OrderedRow = ReturnType<typeof defineOrderedRow>;

export function defineAdam(module: Assembler, orderedRow: OrderedRow) {
  return {
    product: defineProduct(module, orderedRow),
    others: defineOthers(module),
    /** (n, a, out, factor): out += factor·a. */
    scaleAdd: defineScale(module, true),
  };
}

/**
 * Columns of a row of the gradient that are made at a time, widest first. A sum waits for its last addition, so six of them are in
 * flight; with eight, and as many vectors of x, V8 runs out of registers.
 */
const blockWidths = [24, 16, 8, 4, 1] as const;

/**
 * (columns, values, x, xRow, entries, width, out): a row of S·x with at least one entry, its terms added in their order. What is read
 * for every entry comes first: V8 passes the first five operands in registers.
 */
export function defineOrderedRow(module: Assembler) {
  return module.define(taking(7), (locals, declare) => {
    const [columns, values, x, xRow, entries, width, out] = locals;
    const all = variables(declare, 'v128', blockWidths[0] / 4);
    const factor = declare('v128');
    const [entry, source, column, value] = variables(declare, 'i32', 4);
    const look = [
      factor.set(v128.loadSplat(value)),
      source.set(i32.add(x, i32.multiply(i32.load(column), xRow))),
      stepAll([column, value], 4),
    ];
    return blockWidths.map((count) => {
      const lanes = count === 1 ? 1 : 4;
      const sums = all.slice(0, count / lanes);
      const term = (v: number): Code => f32x4.multiply(factor, accessOf(lanes, 16 * v).load(source));
      return whileAtLeast(width, count, [
        column.set(columns),
        value.set(values),
        look,
        sums.map((sum, v) => sum.set(term(v))),
        entry.set(i32.subtract(entries, 1)),
        whileAtLeast(entry, 1, [look, sums.map((sum, v) => sum.set(f32x4.add(sum, term(v))))]),
        sums.map((sum, v) => accessOf(lanes, 16 * v).store(out, sum)),
        stepAll([x, out], 4 * count),
      ]);
    });
  });
}

/**
 * (rows, width, starts, columns, values, x, first, second, parameters, others, gradient, …adamScalars): the step for some rows
 * of a matrix, with pointers to their first column and value. Rows of the gradient are written to `gradient` one after the
 * other: while they are summed, no constants of Adam take up registers. Where `others` is 0, rows without an entry are left alone.
 */
function defineProduct(module: Assembler, gradientRow: OrderedRow) {
  const adamStep = defineAdamStep(module);
  return module.define(taking(11, ...adamScalars), (locals, declare) => {
    const [rows, width, starts, columns, values, x, first, second, parameters, others, gradient] = locals;
    const scalars = locals.slice(11) as readonly Local[] as Repeat<Local, 4>;
    const numbers = variables(declare, 'v128', 4);
    const [entries, left] = variables(declare, 'i32', 2);
    const state = [first, second, parameters] as const;
    return [
      numbers.map((number, i) => number.set(f32x4.splat(scalars[i]))),
      forEachRow(rows, starts, entries, [
        when(
          i32.atLeast(entries, 1),
          [
            gradientRow.call(columns, values, x, i32.shiftLeft(width, 2), entries, width, gradient),
            adamStep.call(width, gradient, ...state, ...scalars),
            [columns, values].map((pointer) => pointer.advance(i32.shiftLeft(entries, 2))),
            skip(width, state),
          ],
          when(
            i32.and(others, wasMoved(second)),
            [left.set(width), withoutGradient(adamMove(declare, numbers), left, state)],
            skip(width, state),
          ),
        ),
      ]),
    ];
  });
}

/** (rows, width, starts, first, second, parameters, …adamScalars): the step for rows without an entry. */
function defineOthers(module: Assembler) {
  return module.define(taking(6, ...adamScalars), (locals, declare) => {
    const [rows, width, starts, first, second, parameters, ...scalars] = locals;
    const numbers = variables(declare, 'v128', 4);
    const [left, entries] = variables(declare, 'i32', 2);
    const state = [first, second, parameters] as const;
    const move = adamMove(declare, numbers);
    return [
      numbers.map((number, i) => number.set(f32x4.splat(scalars[i]))),
      forEachRow(rows, starts, entries, [
        left.set(width),
        when(i32.and(i32.isZero(entries), wasMoved(second)), withoutGradient(move, left, state), skip(width, state)),
      ]),
    ];
  });
}

/** Whether the row that begins here ever had a gradient: no step leaves a second moment of 0 behind. */
function wasMoved(second: Local): Code {
  return i32.isZero(f32.eq(f32.load(second), f32.constant(0)));
}

function withoutGradient(move: AdamMove, left: Local, state: AdamState): Code {
  return forEachElement(left, [8, 4, 1], state, (access) => move(access, null, state));
}

function skip(width: Local, state: AdamState): Code {
  return state.map((pointer) => pointer.advance(i32.shiftLeft(width, 2)));
}

/** Threads share the rows, each the same ones in every step. */
export function adamTwins(routines: Routines<typeof defineAdam>, host: Host) {
  const { memory } = host;
  const { addresses } = memory;
  /** The executor of a step in the background, and its arrays, which must not be garbage-collected meanwhile. */
  let running: { readonly executor: Executor; readonly arrays: readonly AnyArray[] } | null = null;
  const finish = (): void => {
    running?.executor.finish();
    running = null;
  };
  const product = host.kernel(
    (...operands: Parameters<typeof adamProduct>) => {
      finish();
      adamProduct(...operands);
    },
    [input, input, input32, input32, output32, output32, output32],
    (rows, width, starts, columns, values, x, rate, beta1, beta2, epsilon, decay, m, v, p, movedFrom) => {
      finish(); // waits for rows in the background
      const executor = host.chooseExecutor(adamFlops * rows * width);
      const step = chunk(rows, executor);
      const row = 4 * width;
      // Calls that are made at the same time have a row of the gradient each. `movedFrom` may divide one of them.
      let gradient = memory.scratch(row * (Math.ceil(rows / step) + 1));
      if (gradient < 0) return null;
      if (decay !== 0) routines.scaleAdd(rows * width, p, p, -decay);
      const move = executor.defer(routines.product);
      for (let i = 0, some = 0; i < rows; i += some) {
        some = Math.min(step, (i < movedFrom ? movedFrom : rows) - i);
        const [list, at, others] = [starts + 4 * i, i * row, i < movedFrom ? 1 : 0];
        const entry = 4 * memory.firstEntry(starts, i);
        const [mi, vi, pi, column, by] = [m + at, v + at, p + at, columns + entry, values + entry];
        move(some, width, list, column, by, x, mi, vi, pi, others, gradient, rate, 1 - beta1, 1 - beta2, epsilon);
        gradient += row;
      }
      return executor.finish();
    },
  );
  return {
    adamProduct: product,
    startAdam(...operands: Parameters<typeof startAdam>) {
      const [rows, width, starts, rate, beta1, beta2, epsilon, first, second, parameters] = operands;
      const arrays = [starts, first, second, parameters];
      const canStart = arrays.every((array) => addresses.has(array)) && arrays.slice(1).every(isSingle);
      const executor = canStart ? host.chooseExecutor(adamFlops * rows * width) : inline;
      if (executor.count === 1) return startAdam(...operands);
      finish();
      // The first rows are left to the caller in `adamProduct`: they are in its cache.
      const step = chunk(rows, executor);
      const movedFrom = step * Math.ceil(rows / step / executor.count);
      const [list, m, v, p] = arrays.map((array) => addresses.get(array)!);
      const move = executor.defer(routines.others);
      for (let i = movedFrom; i < rows; i += step) {
        const [some, at] = [Math.min(step, rows - i), 4 * i * width];
        move(some, width, list + 4 * i, m + at, v + at, p + at, rate, 1 - beta1, 1 - beta2, epsilon);
      }
      executor.begin();
      running = { executor, arrays };
      return movedFrom;
    },
    finishAdam: finish,
  };
}
