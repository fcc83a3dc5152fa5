/** Products of Float64 matrices of any size, by tiles that stay in registers: routines, and how a product is made of them. */

import type { Assembler, Code, Routines } from '../../assembler/assembler.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { loadPair, type Pair, storePair } from '../columns.ts';
import { rowOf, stepAll } from '../loops.ts';

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
function defineTile(module: Assembler, height: number, width: 4 | 2 | 1, mode: Mode, layout: Layout) {
  return module.define(taking(10), (locals, declare) => {
    const [tiles, terms, a, aStride, aTile, b, bStep, out, outRow, outTile] = locals;
    const pair: Pair = width === 1 ? 1 : 2;
    const pairs = Math.ceil(width / 2);
    const sums = Array.from({ length: height }, () => variables(declare, 'v128', pairs));
    const fromB = variables(declare, 'v128', pairs);
    const fromA = declare('v128');
    const pointers = variables(declare, 'i32', layout === 'terms' ? height : 1);
    const [left, by, to] = variables(declare, 'i32', 3);
    const eachRow = (body: (line: (typeof sums)[number]) => Code): Code =>
      sums.map((line, i) => [to.set(rowOf(out, outRow, i)), body(line)]);
    const stored = (h: number): Code => loadPair(8, pair, to, 2 * h);
    return whileAtLeast(tiles, 1, [
      pointers.map((pointer, i) => pointer.set(layout === 'terms' ? rowOf(a, aStride, i) : a)),
      mode === 'chain'
        ? eachRow((line) => line.map((sum, h) => sum.set(stored(h))))
        : sums.flat().map((sum) => sum.set(f64x2.splat(f64.constant(0)))),
      by.set(b),
      left.set(terms),
      // One term per iteration: with more, the engine spills sums to memory.
      whileAtLeast(left, 1, [
        fromB.map((value, h) => value.set(loadPair(8, pair, by, 2 * h))),
        sums.map((line, i) => [
          fromA.set(layout === 'terms' ? v128.loadSplat64(pointers[i]) : v128.loadSplat64(pointers[0], 8 * i)),
          line.map((sum, h) => sum.set(f64x2.add(sum, f64x2.multiply(fromA, fromB[h])))),
        ]),
        by.advance(bStep),
        layout === 'terms' ? stepAll(pointers, 8) : pointers[0].advance(aStride),
      ]),
      eachRow((line) =>
        line.map((sum, h) => storePair(8, pair, to, mode === 'add' ? f64x2.add(stored(h), sum) : sum, 2 * h)),
      ),
      a.advance(aTile),
      out.advance(outTile),
    ]);
  });
}

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
