/** Products of Float64 matrices of any size, by tiles that stay in registers: routines, and how a product is made of them. */

import type { Assembler, Code, Local, Routines } from '../../assembler/assembler.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { pairsOf } from '../columns.ts';
import { type Access, addProduct64, clearSums, rowOf, stepAll } from '../loops.ts';

/** The columns of tiles, widest first, and their rows: tall tiles, and flat ones for the rows that remain. */
const widths = [4, 2, 1] as const;
const tall = 4;
const flat = 1;

/**
 * set: out = Σ. add: out = out + Σ, the sum first. chain: the sum starts with out. The terms of a sum are added in their order, so
 * that `set` and `add` have the bits of the plain products.
 */
type Mode = 'set' | 'add' | 'chain';

/** How A lies in memory: the terms of a sum next to each other, or the rows of the result. */
type Layout = 'terms' | 'rows';

/** The tiles of a mode by the layout of A: tall and flat, each by the places of their widths in `widths`. */
export type Tiles = Routines<typeof defineTiles>[Mode];

export function defineTiles(module: Assembler) {
  const shapes = (mode: Mode, layout: Layout) =>
    [tall, flat].map((height) => widths.map((width) => defineTile(module, height, width, mode, layout)));
  const ofMode = (mode: Mode) => ({ terms: shapes(mode, 'terms'), rows: shapes(mode, 'rows') });
  return { set: ofMode('set'), add: ofMode('add'), chain: ofMode('chain') };
}

/**
 * (tiles, terms, a, aStride, aTile, b, bStep, out, outRow, outTile): `tiles` tiles below each other of Σ_t A[t,i]·B[t,j]. Row t of B is
 * at b + t·bStep, row i of out at out + i·outRow, and A[t,i] at a + 8·t + i·aStride or at a + t·aStride + 8·i, by the layout. The next
 * tile begins aTile and outTile bytes further. All in bytes.
 */
function defineTile(module: Assembler, height: number, width: number, mode: Mode, layout: Layout) {
  return module.define(taking(10), (locals, declare) => {
    const [tiles, terms, a, aStride, aTile, b, bStep, out, outRow, outTile] = locals;
    const pairs = pairsOf(width);
    const sums = Array.from({ length: height }, () => variables(declare, 'v128', pairs.length));
    const fromB = variables(declare, 'v128', pairs.length);
    const fromA = declare('v128');
    const pointers = variables(declare, 'i32', layout === 'terms' ? height : 1);
    const [left, by, to] = variables(declare, 'i32', 3);
    const eachRow = (body: (pair: Access, sum: Local) => Code): Code =>
      sums.map((line, i) => [to.set(rowOf(out, outRow, i)), pairs.map((pair, h) => body(pair, line[h]))]);
    return whileAtLeast(tiles, 1, [
      pointers.map((pointer, i) => pointer.set(layout === 'terms' ? rowOf(a, aStride, i) : a)),
      mode === 'chain' ? eachRow(({ load }, sum) => sum.set(load(to))) : clearSums(sums.flat()),
      by.set(b),
      left.set(terms),
      // One term per iteration: with more, the engine spills sums to memory.
      whileAtLeast(left, 1, [
        pairs.map(({ load }, h) => fromB[h].set(load(by))),
        sums.map((line, i) => [
          fromA.set(layout === 'terms' ? v128.loadSplat64(pointers[i]) : v128.loadSplat64(pointers[0], 8 * i)),
          line.map((sum, h) => addProduct64(sum, fromA, fromB[h])),
        ]),
        by.advance(bStep),
        layout === 'terms' ? stepAll(pointers, 8) : pointers[0].advance(aStride),
      ]),
      eachRow(({ load, store }, sum) => store(to, mode === 'add' ? f64x2.add(load(to), sum) : sum)),
      a.advance(aTile),
      out.advance(outTile),
    ]);
  });
}

/** The bytes of a row in scratch memory. They are no power of two: else rows compete for a few lines of the first-level cache. */
export const rowBytes = (columns: number): number => 8 * columns + 32;

/** A matrix A[t,i]: its address, what lies next to each other, and the bytes between two of the other. */
export interface LeftOperand {
  readonly at: number;
  readonly layout: Layout;
  readonly stride: number;
}

/** A matrix B[t,j]: its address, and the bytes between two rows. */
export interface RightOperand {
  readonly at: number;
  readonly step: number;
}

/**
 * out[m×n] = Σ_t A[t,i]·B[t,j], with rows of `outRow` bytes; the mode of the tiles says what happens to its contents. If `upper`, only
 * the upper triangle is computed, and some entries below it.
 */
export function tileProduct(
  tiles: Tiles,
  m: number,
  n: number,
  terms: number,
  a: LeftOperand,
  b: RightOperand,
  out: number,
  outRow: number,
  upper = false,
): void {
  const [tallTiles, flatTiles] = tiles[a.layout];
  const row = a.layout === 'terms' ? a.stride : 8;
  const whole = Math.floor(m / tall);
  const first = tall * whole;
  for (let j = 0, width: number; j < n; j += width) {
    const place = widths.findIndex((each) => each <= n - j);
    width = widths[place];
    const [from, to] = [b.at + 8 * j, out + 8 * j];
    const above = upper ? Math.min(whole, Math.ceil((j + width) / tall)) : whole;
    tallTiles[place](above, terms, a.at, a.stride, tall * row, from, b.step, to, outRow, tall * outRow);
    if (first === m || (upper && j + width <= first)) continue;
    const [left, below] = [a.at + first * row, to + first * outRow];
    flatTiles[place](m - first, terms, left, a.stride, row, from, b.step, below, outRow, outRow);
  }
}
