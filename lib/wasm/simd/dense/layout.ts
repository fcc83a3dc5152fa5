/** Routines that copy Float32 matrices into another layout. */

import type { Assembler, Code, Local, Routines } from '../../assembler/assembler.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { rowOf } from '../loops.ts';

export type LayoutRoutines = Routines<typeof defineLayout>;

export function defineLayout(module: Assembler) {
  return {
    /** Eight columns. */
    pack: definePack(module, 8),
    transpose: defineTranspose(module),
  };
}

/** pack(k, b, bRow, out): the `width` columns of B that start at b, row by row without gaps. */
export function definePack(module: Assembler, width: number) {
  return module.define(taking(4), ([k, b, bRow, out]) =>
    whileAtLeast(k, 1, [
      Array.from({ length: width / 4 }, (_, v) => v128.store(out, v128.load(b, 16 * v), 16 * v)),
      b.advance(bRow),
      out.step(4 * width),
    ]),
  );
}

/** transpose(rows, cols, x, xRow, out, outRow): out[cols×rows] = xᵀ, in blocks of 4×4, the rest one by one. */
function defineTranspose(module: Assembler) {
  return module.define(taking(6), (locals, declare) => {
    const [rows, cols, x, xRow, out, outRow] = locals;
    const lines = variables(declare, 'v128', 4);
    const pairs = variables(declare, 'v128', 4);
    const [left, from, to, inner] = variables(declare, 'i32', 4);
    const twoOf = (all: readonly Local[], i: number): [Local, Local] => [all[i], all[i + 1]];
    const block = [
      lines.map((line, i) => line.set(v128.load(rowOf(from, xRow, i)))),
      pairs.map((pair, i) => pair.set(v128.shuffle(...twoOf(lines, 2 * (i % 2)), i < 2 ? [0, 4, 1, 5] : [2, 6, 3, 7]))),
      pairs.map((_, i) => {
        const line = v128.shuffle(...twoOf(pairs, i & 2), i % 2 === 0 ? [0, 1, 4, 5] : [2, 3, 6, 7]);
        return v128.store(rowOf(to, outRow, i), line);
      }),
      from.step(16),
      to.advance(i32.shiftLeft(outRow, 2)),
    ];
    const single = (count: number): Code => [
      Array.from({ length: count }, (_, i) => v128.storeOne(to, v128.loadOne(rowOf(from, xRow, i)), 4 * i)),
      from.step(4),
      to.advance(outRow),
    ];
    const band = (height: number): Code =>
      whileAtLeast(rows, height, [
        from.set(x),
        to.set(out),
        left.set(cols),
        height === 4 ? whileAtLeast(left, 4, block) : [],
        inner.set(left),
        whileAtLeast(inner, 1, single(height)),
        x.advance(i32.multiply(xRow, height)),
        out.step(4 * height),
      ]);
    return [band(4), band(1)];
  });
}
