/** Gram matrices and linear combinations of blocks of long Float64 vectors: routines. */

import type { Assembler, Code, Local } from '../../assembler/assembler.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { pairsOf } from '../columns.ts';
import { defineGramTile } from '../double/gram-tile.ts';
import { addProduct64, clearSums } from '../loops.ts';

/** The most rows and columns of a tile of sums. */
export const tile = 4;
const sizes = [1, 2, 3, 4] as const;

export function defineTallBlocks(module: Assembler) {
  return {
    /** By the number of their rows, less one, and of their columns, less one. */
    grams: sizes.map((p) => sizes.map((q) => defineGramTile(module, p, q, 8, false))),
    /** By the number of their columns, less one. */
    combines: sizes.map((q) => defineCombine(module, q)),
  };
}

/**
 * (n, a, p1, b, p2, c, p3, factors, factorRow, out, outRow): q columns of a combination of three blocks. Four rows at a time, then one.
 */
function defineCombine(module: Assembler, q: number) {
  return module.define(taking(11), (locals, declare) => {
    const [n, a, p1, b, p2, c, p3, factors, factorRow, out, outRow] = locals;
    const pairs = pairsOf(q);
    const sums = sizes.map(() => variables(declare, 'v128', pairs.length));
    const lines = variables(declare, 'v128', pairs.length);
    const entry = declare('v128');
    const [left, by] = variables(declare, 'i32', 2);
    const rows = variables(declare, 'i32', 4);
    /** Adds `count` rows of `source`, each of `width` numbers, and moves behind them. */
    const add = (count: number, source: Local, width: Local): Code => [
      left.set(width),
      rows[0].set(source),
      rows.slice(1, count).map((row, r) => row.set(i32.add(rows[r], i32.shiftLeft(width, 3)))),
      whileAtLeast(left, 1, [
        pairs.map(({ load }, k) => lines[k].set(load(by))),
        rows
          .slice(0, count)
          .map((row, r) => [
            entry.set(v128.loadSplat64(row)),
            lines.map((line, k) => addProduct64(sums[r][k], entry, line)),
            row.step(8),
          ]),
        by.advance(factorRow),
      ]),
      source.advance(i32.multiply(width, 8 * count)),
    ];
    const combine = (count: number): Code =>
      whileAtLeast(n, count, [
        clearSums(sums.slice(0, count).flat()),
        by.set(factors),
        add(count, a, p1),
        add(count, b, p2),
        add(count, c, p3),
        sums.slice(0, count).map((line) => [pairs.map(({ store }, k) => store(out, line[k])), out.advance(outRow)]),
      ]);
    return [combine(4), combine(1)];
  });
}
