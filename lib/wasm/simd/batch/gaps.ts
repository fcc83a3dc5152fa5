/** How are zeros left out of a matrix? Four entries at a time, brought to the front; compiled when first asked for. */

import { compressRows, type GapKernels, plainGaps, sectionRows, startOf } from '../../../kernels/batch/gaps.ts';
import { type Assembler, taking, variables, whileAtLeast } from '../../assembler/assembler.ts';
import type { Code } from '../../assembler/code.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as i32x4 from '../../assembler/instructions/i32x4.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import type { Share } from '../../threads/crew.ts';
import type { Routines } from '../module.ts';
import { kernelFamily } from '../../simd.ts';
import { isSingle, type Stage } from '../../memory/stage.ts';

/** The SIMD twins where SIMD is on, else the plain ones. */
export const gapKernels = kernelFamily(plainGaps, defineGaps, gapTwins);

/** For each of 16 sets of lanes, the bytes that bring its lanes to the front. */
const tableBytes = 16 * 16;

/** compress(rows, cols, from, x, starts, columns, values, table): so many entries come before the first. */
export function defineGaps(module: Assembler): void {
  module.define('compress', taking(8), ([rows, cols, from, x, starts, columns, values, table], declare) => {
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

/** What an entry takes, looked at, in the time of multiplications and additions. */
const flops = 20;

/** Falls back on its plain twin for Float64 and for want of room. */
export function gapTwins(wasm: Routines, stage: Stage, share: Share): GapKernels {
  const table = stage.memory.take(tableBytes);
  if (table >= 0) new Uint8Array(stage.memory.buffer, table, tableBytes).set(frontings());
  return {
    compressRows(rows, cols, x, outStarts, outColumns, outValues) {
      if (table < 0 || !isSingle(x) || !isSingle(outValues) || !stage.admit(x, outStarts, outColumns, outValues)) {
        return compressRows(rows, cols, x, outStarts, outColumns, outValues);
      }
      const crew = share(flops * rows * cols);
      const compress = crew.later(wasm.compress);
      for (let i = 0; i < rows; i += sectionRows) {
        const starts = stage.at(outStarts) + 4 * startOf(i);
        const [some, from] = [Math.min(sectionRows, rows - i), i * cols];
        compress(some, cols, from, stage.at(x) + 4 * from, starts, stage.at(outColumns), stage.at(outValues), table);
      }
      crew.finish();
      stage.close(outStarts, outColumns, outValues);
      let entries = 0;
      for (let i = 0; i < rows; i += sectionRows) {
        entries += outStarts[startOf(Math.min(i + sectionRows, rows) - 1) + 1] - outStarts[startOf(i)];
      }
      return entries;
    },
  };
}

/** Lanes that are not in the set need not come anywhere. */
function frontings(): number[] {
  return Array.from({ length: 16 }, (_, set) => {
    const lanes = [0, 1, 2, 3].filter((lane) => (set >> lane) & 1);
    return [0, 1, 2, 3].flatMap((place) => [0, 1, 2, 3].map((byte) => 4 * (lanes[place] ?? 0) + byte));
  }).flat();
}
