/** Whole rows of Float32 matrices, moved and scaled: routines and twins. */

import * as plain from '../../../kernels/rows.ts';
import type { Assembler, Routines } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { byPrecision, held32, input, input32, output32 } from '../../memory/marshal.ts';
import type { Host } from '../../threads/executor.ts';
import type { LayoutRoutines } from '../dense/layout.ts';
import { bothModes, forEachElement, put } from '../loops.ts';

/** Narrow rows take few iterations. */
const widths = [4, 2, 1] as const;

/** gather(count, cols, rows, x, out), scale and scale64(rows, cols, factors, x, out) by factors of Float32 or Float64 */
export function defineRows(module: Assembler) {
  return {
    gather: defineListed(module, true),
    scale: bothModes((accumulate) => defineScale(module, 4, accumulate)),
    scale64: bothModes((accumulate) => defineScale(module, 8, accumulate)),
  };
}

/** (count, cols, rows, x, out): copies the listed rows of x to out, or adds the rows of x to the listed ones of out. */
export function defineListed(module: Assembler, gathers: boolean) {
  return module.define(taking(5), ([count, cols, rows, x, out], declare) => {
    const [left, listed] = variables(declare, 'i32', 2);
    const [from, to] = gathers ? [listed, out] : [x, listed];
    return whileAtLeast(count, 1, [
      listed.set(i32.add(gathers ? x : out, i32.multiply(i32.load(rows), i32.shiftLeft(cols, 2)))),
      left.set(cols),
      forEachElement(left, widths, [from, to], (access) => put(access, to, access.load(from), !gathers)),
      rows.step(4),
    ]);
  });
}

function defineScale(module: Assembler, bytes: 4 | 8, accumulate: boolean) {
  return module.define(taking(5), ([rows, cols, factors, x, out], declare) => {
    const left = declare('i32');
    const factor = declare('v128');
    return whileAtLeast(rows, 1, [
      factor.set(bytes === 8 ? f32x4.splat(f64.toF32(f64.load(factors))) : v128.loadSplat(factors)),
      left.set(cols),
      forEachElement(left, widths, [x, out], (access) =>
        put(access, out, f32x4.multiply(factor, access.load(x)), accumulate),
      ),
      factors.step(bytes),
    ]);
  });
}

export function rowTwins(routines: Routines<typeof defineRows>, { transpose }: LayoutRoutines, host: Host) {
  const [scale, scale64] = [routines.scale, routines.scale64].map(({ set, add }) =>
    host.kernel(plain.scaleRows, [input, input32, output32], (rows, cols, factors, x, out, accumulate) =>
      (accumulate ? add : set)(rows, cols, factors, x, out),
    ),
  );
  return {
    gatherRows: host.kernel(plain.gatherRows, [input, held32, output32], routines.gather),
    scaleRows: byPrecision(2, scale, scale64),
    transpose: host.kernel(plain.transpose, [input32, output32], (rows, cols, x, out, accumulate) =>
      accumulate ? null : transpose(rows, cols, x, 4 * cols, out, 4 * rows),
    ),
  };
}
