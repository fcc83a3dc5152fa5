/** Which instructions move and scale whole rows of Float32 matrices? */

import { type Assembler, variables, whileAtLeast } from './assembler.ts';
import type { Code, Local } from './code.ts';
import * as f32x4 from './instructions/f32x4.ts';
import * as f64 from './instructions/f64.ts';
import * as i32 from './instructions/i32.ts';
import * as v128 from './instructions/v128.ts';

interface Access {
  load(pointer: Local): Code;
  store(pointer: Local, value: Code): Code;
}

/** Every column of a row: four at a time, then two, then one, so that narrow rows take few steps. */
function forEachColumn(left: Local, cols: Local, pointers: readonly Local[], body: (access: Access) => Code): Code {
  const accesses: [number, Access][] = [
    [4, { load: (p) => v128.load(p), store: (p, value) => v128.store(p, value) }],
    [2, { load: (p) => v128.loadTwo(p), store: (p, value) => v128.storeTwo(p, value) }],
    [1, { load: (p) => v128.loadOne(p), store: (p, value) => v128.storeOne(p, value) }],
  ];
  return [
    left.set(cols),
    accesses.map(([width, access]) =>
      whileAtLeast(left, width, [body(access), pointers.map((p) => p.step(4 * width))]),
    ),
  ];
}

export function defineRows(module: Assembler): void {
  // gather(count, cols, rows, x, out) and scatterAdd(count, cols, rows, x, out)
  for (const name of ['gather', 'scatterAdd'] as const) {
    module.define(name, { params: ['i32', 'i32', 'i32', 'i32', 'i32'] }, ([count, cols, rows, x, out], declare) => {
      const [left, listed] = variables(declare, 'i32', 2);
      const offset = i32.multiply(i32.load(rows), i32.shiftLeft(cols, 2));
      const copy = ({ load, store }: Access): Code =>
        name === 'gather' ? store(out, load(listed)) : store(listed, f32x4.add(load(listed), load(x)));
      return whileAtLeast(count, 1, [
        listed.set(i32.add(name === 'gather' ? x : out, offset)),
        forEachColumn(left, cols, [listed, name === 'gather' ? out : x], copy),
        rows.step(4),
      ]);
    });
  }
  // scaleRows(rows, cols, factors, x, out), the factors in Float32 or Float64, and the forms that add to out
  for (const double of [false, true]) {
    for (const accumulate of [false, true]) {
      const name = `scaleRows${double ? '64' : ''}${accumulate ? '+' : ''}`;
      module.define(name, { params: ['i32', 'i32', 'i32', 'i32', 'i32'] }, (locals, declare) => {
        const [rows, cols, factors, x, out] = locals;
        const left = declare('i32');
        const factor = declare('v128');
        return whileAtLeast(rows, 1, [
          factor.set(double ? f32x4.splat(f64.toF32(f64.load(factors))) : v128.loadSplat(factors)),
          forEachColumn(left, cols, [x, out], ({ load, store }) => {
            const value = f32x4.multiply(factor, load(x));
            return store(out, accumulate ? f32x4.add(load(out), value) : value);
          }),
          factors.step(double ? 8 : 4),
        ]);
      });
    }
  }
}
