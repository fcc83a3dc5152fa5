/** The routine that leaves zeros out of a matrix: four entries at a time, those that are not 0 moved to the front. */

import type { Assembler, Bound, Code } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as i32x4 from '../../assembler/instructions/i32x4.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';

export type CompressionRoutines = Bound<ReturnType<typeof defineCompression>>;

export function defineCompression(module: Assembler) {
  return { compress: defineCompress(module) };
}

/** For each of 16 sets of lanes, the bytes that move its lanes to the front. The order of the others does not matter. */
export function laneOrders(): number[] {
  return Array.from({ length: 16 }, (_, set) => {
    const lanes = [0, 1, 2, 3].filter((lane) => (set >> lane) & 1);
    return [0, 1, 2, 3].flatMap((place) => [0, 1, 2, 3].map((byte) => 4 * (lanes[place] ?? 0) + byte));
  }).flat();
}

/** (rows, cols, from, x, starts, columns, values, table): `from` entries come before the first; the table is `laneOrders`. */
function defineCompress(module: Assembler) {
  return module.define(taking(8), ([rows, cols, from, x, starts, columns, values, table], declare) => {
    const [left, column, at, kept] = variables(declare, 'i32', 4);
    const [four, places, order] = variables(declare, 'v128', 3);
    // −0 is left out as well, a NaN is not.
    const takeFour: Code = [
      four.set(v128.load(x)),
      kept.set(i32x4.signs(f32x4.notEqual(four, declare.constant(0)))),
      order.set(v128.load(i32.add(table, i32.shiftLeft(kept, 4)))),
      v128.store(i32.add(columns, at), v128.swizzle(places, order)),
      v128.store(i32.add(values, at), v128.swizzle(four, order)),
      at.advance(i32.shiftLeft(i32.ones(kept), 2)),
      places.set(i32x4.add(places, i32x4.constant(4))),
    ];
    const takeOne: Code = [
      i32.store(i32.add(columns, at), column),
      i32.store(i32.add(values, at), i32.load(x)),
      at.advance(i32.shiftLeft(i32.notEqual(i32.shiftLeft(i32.load(x), 1), i32.constant(0)), 2)),
      column.step(1),
    ];
    return [
      i32.store(starts, from),
      at.set(i32.shiftLeft(from, 2)),
      whileAtLeast(rows, 1, [
        places.set(i32x4.lanes(0, 1, 2, 3)),
        left.set(cols),
        whileAtLeast(left, 4, [takeFour, x.step(16)]),
        column.set(i32.subtract(cols, left)),
        whileAtLeast(left, 1, [takeOne, x.step(4)]),
        starts.step(4),
        i32.store(starts, i32.shiftRight(at, 2)),
      ]),
    ];
  });
}
