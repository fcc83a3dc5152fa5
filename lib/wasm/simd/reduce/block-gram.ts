/** Gram matrices of many columns or of Float64, in blocks of rows that tiles multiply: routines and their use. */

import type { Assembler, Routines } from '../../assembler/assembler.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { layout } from '../../memory/memory.ts';
import { type Bytes, Cursor, forEachPair } from '../columns.ts';
import { defineTiles, tileProduct } from '../double/tiles.ts';
import { defineClear } from '../loops.ts';

/** The number of rows that are summed before their sum is added to the result. */
export const gramRows = 64;

/** A distance between rows that is no power of two: else they compete for a few lines of the first-level cache. */
const rowBytes = (columns: number): number => 8 * columns + 32;

/** The scratch memory for a block of rows of both matrices. */
export const blockBytes = (p: number, q: number): number => gramRows * (rowBytes(p) + rowBytes(q));

export function defineBlockGram(module: Assembler) {
  return {
    tiles: defineTiles(module),
    weigh: { 4: defineWeigh(module, 4), 8: defineWeigh(module, 8) },
    clear: defineClear(module),
  };
}

/** (count, columns, weights, step, x, out, outRow): row i of out = weights[i]·(row i of x). The weights are `step` bytes apart. */
function defineWeigh(module: Assembler, bytes: Bytes) {
  return module.define(taking(7), ([count, columns, weights, step, x, out, outRow], declare) => {
    const [left, to] = variables(declare, 'i32', 2);
    const weight = declare('v128');
    const [source, target] = [new Cursor(x, bytes), new Cursor(to)];
    return whileAtLeast(count, 1, [
      weight.set(v128.loadSplat64(weights)),
      to.set(out),
      left.set(columns),
      forEachPair(left, [source, target], (pair) => target.store(pair, f64x2.multiply(weight, source.load(pair)))),
      weights.advance(step),
      out.advance(outRow),
    ]);
  });
}

/**
 * out[p×q] = Aᵀ·diag(w)·B of matrices with numbers of `bytes` bytes; if symmetric, only the upper triangle. Weights are Float64, or 0
 * for ones, and so are the sums. Float32 is summed as the narrow tiles do it, block by block with weighted rows of B, and Float64
 * as the plain twin does it, row by row with weighted rows of A, to the same bits. `scratch` has `blockBytes(p, q)` bytes.
 */
export function blockGram({ tiles, weigh, clear }: Routines<typeof defineBlockGram>) {
  return (
    bytes: Bytes,
    rows: number,
    p: number,
    q: number,
    isSymmetric: boolean,
    weights: number,
    a: number,
    b: number,
    out: number,
    scratch: number,
  ): true => {
    const [aRow, bRow] = [rowBytes(p), rowBytes(q)];
    const left = scratch;
    const right = left + gramRows * aRow;
    const [w, step] = weights ? [weights, 8] : [layout.one64, 0];
    clear(out, 8 * p * q);
    for (let i = 0; i < rows; i += gramRows) {
      const count = Math.min(gramRows, rows - i);
      const [fromA, fromB, by] = [a + bytes * i * p, b + bytes * i * q, w + step * i];
      const leftRows = { at: left, layout: 'rows', stride: aRow } as const;
      if (bytes === 8) {
        weigh[8](count, p, by, step, fromA, left, aRow);
        tileProduct(tiles.chain, p, q, count, leftRows, { at: fromB, step: 8 * q }, out, 8 * q, isSymmetric);
      } else {
        weigh[4](count, p, layout.one64, 0, fromA, left, aRow);
        weigh[4](count, q, by, step, fromB, right, bRow);
        tileProduct(tiles.add, p, q, count, leftRows, { at: right, step: bRow }, out, 8 * q, isSymmetric);
      }
    }
    return true;
  };
}
