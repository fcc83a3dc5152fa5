/** Gram matrices and linear combinations of blocks of long Float64 vectors: routines. */

import type { Assembler, Code, Local } from '../../assembler/assembler.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { parts } from '../sparse/sparse.ts';

/** The most rows and columns of a tile of sums. */
export const tile = 4;
const sizes = [1, 2, 3, 4] as const;

export function defineTallBlocks(module: Assembler) {
  return {
    /** By the number of their rows, less one, and of their columns, less one. */
    grams: sizes.map((p) => sizes.map((q) => defineGram(module, p, q))),
    /** By the number of their columns, less one. */
    combines: sizes.map((q) => defineCombine(module, q)),
  };
}

const zero = f64x2.splat(f64.constant(0));
const addTo = (sum: Local, a: Code, b: Code): Code => sum.set(f64x2.add(sum, f64x2.multiply(a, b)));

/** (n, a, aRow, b, bRow, weights, weightStep, out, outRow): a tile of p×q sums of products of n rows. */
function defineGram(module: Assembler, p: number, q: number) {
  return module.define(taking(9), (locals, declare) => {
    const [n, a, aRow, b, bRow, weights, weightStep, out, outRow] = locals;
    const pieces = parts(2 * q);
    const sums = sizes.slice(0, p).map(() => variables(declare, 'v128', pieces.length));
    const rights = variables(declare, 'v128', pieces.length);
    const factor = declare('v128');
    return [
      sums.flat().map((sum) => sum.set(zero)),
      whileAtLeast(n, 1, [
        factor.set(v128.loadSplat64(weights)),
        pieces.map(({ offset, lanes }, k) => rights[k].set(f64x2.multiply(factor, v128.loadLanes[lanes](b, offset)))),
        sums.map((line, r) => [
          factor.set(v128.loadSplat64(a, 8 * r)),
          line.map((sum, k) => addTo(sum, factor, rights[k])),
        ]),
        a.advance(aRow),
        b.advance(bRow),
        weights.advance(weightStep),
      ]),
      sums.map((line) => [
        line.map((sum, k) => v128.storeLanes[pieces[k].lanes](out, sum, pieces[k].offset)),
        out.advance(outRow),
      ]),
    ];
  });
}

/**
 * (n, a, p1, b, p2, c, p3, factors, factorRow, out, outRow): q columns of a combination of three blocks. Four rows at a time, then one.
 */
function defineCombine(module: Assembler, q: number) {
  return module.define(taking(11), (locals, declare) => {
    const [n, a, p1, b, p2, c, p3, factors, factorRow, out, outRow] = locals;
    const pieces = parts(2 * q);
    const sums = sizes.map(() => variables(declare, 'v128', pieces.length));
    const lines = variables(declare, 'v128', pieces.length);
    const entry = declare('v128');
    const [left, by] = variables(declare, 'i32', 2);
    const rows = variables(declare, 'i32', 4);
    /** Adds `source`, whose rows have `width` numbers, for so many rows, and moves behind them. */
    const add = (count: number, source: Local, width: Local): Code => [
      left.set(width),
      rows[0].set(source),
      rows.slice(1, count).map((row, r) => row.set(i32.add(rows[r], i32.shiftLeft(width, 3)))),
      whileAtLeast(left, 1, [
        pieces.map(({ offset, lanes }, k) => lines[k].set(v128.loadLanes[lanes](by, offset))),
        rows
          .slice(0, count)
          .map((row, r) => [
            entry.set(v128.loadSplat64(row)),
            lines.map((line, k) => addTo(sums[r][k], entry, line)),
            row.step(8),
          ]),
        by.advance(factorRow),
      ]),
      source.advance(i32.multiply(width, i32.constant(8 * count))),
    ];
    const combine = (count: number): Code =>
      whileAtLeast(n, count, [
        sums
          .slice(0, count)
          .flat()
          .map((sum) => sum.set(zero)),
        by.set(factors),
        add(count, a, p1),
        add(count, b, p2),
        add(count, c, p3),
        sums
          .slice(0, count)
          .map((line) => [
            line.map((sum, k) => v128.storeLanes[pieces[k].lanes](out, sum, pieces[k].offset)),
            out.advance(outRow),
          ]),
      ]);
    return [combine(4), combine(1)];
  });
}
