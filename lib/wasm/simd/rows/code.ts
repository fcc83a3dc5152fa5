/** Which instructions move and scale whole rows of Float32 matrices? */

import { type Assembler, taking, variables, whileAtLeast } from '../../assembler/assembler.ts';
import { forEachElement, put } from '../elementwise/code.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';

/** So that narrow rows take few steps. */
const widths = [4, 2, 1] as const;

export function defineRows(module: Assembler): void {
  // gather(count, cols, rows, x, out) and scatterAdd(count, cols, rows, x, out)
  for (const name of ['gather', 'scatterAdd']) {
    module.define(name, taking(5), ([count, cols, rows, x, out], declare) => {
      const gathers = name === 'gather';
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
  // scaleRows(rows, cols, factors, x, out), the factors in Float32 or Float64, and the forms that add to out
  for (const name of ['scaleRows', 'scaleRows+', 'scaleRows64', 'scaleRows64+']) {
    module.define(name, taking(5), ([rows, cols, factors, x, out], declare) => {
      const double = name.includes('64');
      const left = declare('i32');
      const factor = declare('v128');
      return whileAtLeast(rows, 1, [
        factor.set(double ? f32x4.splat(f64.toF32(f64.load(factors))) : v128.loadSplat(factors)),
        left.set(cols),
        forEachElement(left, widths, [x, out], (access) =>
          put(access, out, f32x4.multiply(factor, access.load(x)), name.endsWith('+')),
        ),
        factors.step(double ? 8 : 4),
      ]);
    });
  }
}
