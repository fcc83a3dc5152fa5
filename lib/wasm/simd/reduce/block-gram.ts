/** Gram matrices of many columns or of Float64, in blocks of rows that tiles multiply: routines and their use. */

import type { Assembler, Routines } from '../../assembler/assembler.ts';
import { layout, weightsAt } from '../../memory/memory.ts';
import type { Bytes } from '../columns.ts';
import { defineScaleRows } from '../double/scale-rows.ts';
import { defineTiles, rowBytes, tileProduct } from '../double/tiles.ts';
import { defineClear } from '../loops.ts';

/** The number of rows that are summed before their sum is added to the result. */
export const gramRows = 64;

/** The scratch memory for a block of rows of both matrices. */
export const blockBytes = (p: number, q: number): number => gramRows * (rowBytes(p) + rowBytes(q));

export function defineBlockGram(module: Assembler) {
  return {
    tiles: defineTiles(module),
    scaleRows: defineScaleRows(module),
    clear: defineClear(module),
  };
}

/**
 * out[p×q] = Aᵀ·diag(w)·B of matrices with numbers of `bytes` bytes; if symmetric, only the upper triangle. Weights are Float64, or 0
 * for ones, and so are the sums. Float32 is summed as the narrow tiles do it, block by block with weighted rows of B, and Float64
 * as the plain twin does it, row by row with weighted rows of A, to the same bits. `scratch` has `blockBytes(p, q)` bytes.
 */
export function blockGram({ tiles, scaleRows: { fromRows }, clear }: Routines<typeof defineBlockGram>) {
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
    const [w, step] = weightsAt(weights);
    clear(out, 8 * p * q);
    for (let i = 0; i < rows; i += gramRows) {
      const count = Math.min(gramRows, rows - i);
      const [fromA, fromB, by] = [a + bytes * i * p, b + bytes * i * q, w + step * i];
      const leftRows = { at: left, layout: 'rows', stride: aRow } as const;
      if (bytes === 8) {
        fromRows[8](count, p, by, step, fromA, 8 * p, left, aRow);
        tileProduct(tiles.chain, p, q, count, leftRows, { at: fromB, step: 8 * q }, out, 8 * q, isSymmetric);
      } else {
        fromRows[4](count, p, layout.one64, 0, fromA, 4 * p, left, aRow);
        fromRows[4](count, q, by, step, fromB, 4 * q, right, bRow);
        tileProduct(tiles.add, p, q, count, leftRows, { at: right, step: bRow }, out, 8 * q, isSymmetric);
      }
    }
    return true;
  };
}
