/** Routines that multiply dense Float32 matrices: register tiles, written once for every size of tile. */

import type { Assembler, Code, Handle, Local, Routines } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { doWhile, repeat, taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { addLanes, addProduct, forEachElement, rowOf } from '../loops.ts';

export type DenseRoutines = Routines<typeof defineDense>;

/** Tiles of eight columns, and the panel that is made of them. */
export type Tiles = DenseRoutines['products'];

/** Adds to a sum what an element of A (in all lanes) and four of B give; the last local is free for use. */
type Combine = (sum: Local, a: Local, b: Local, spare: Local) => Code;

const addSquaredDifference: Combine = (sum, a, b, difference) => [
  difference.set(f32x4.subtract(a, b)),
  addProduct(sum, difference, difference),
];

type Pack = Handle<readonly ['i32', 'i32', 'i32', 'i32'], null>;

/**
 * The columns of wide tiles of one and two rows: four and eight sums in flight. A tile of one row loads as many vectors of B as it
 * has sums, and with eight of each, the code of V8 is a fifth slower, probably for lack of registers.
 */
export const wideColumns = [16, 16] as const;

export function defineDense(module: Assembler, pack: Pack) {
  const rows = [1, 2, 3, 4] as const;
  return {
    products: definePanel(module, addProduct, pack),
    distances: definePanel(module, addSquaredDifference, pack),
    /** By rows − 1. */
    wide: wideColumns.map((columns, i) => defineTiles(module, addProduct, i + 1, columns)),
    /** By inner size − 1. */
    outers: rows.map((k) => defineOuter(module, k, 'floor')),
    bareOuters: rows.map((k) => defineOuter(module, k, 'bare')),
    /** By columns − 1: for four rows at a time, and for one. */
    tallDots: ([1, 2] as const).map((columns) => defineDots(module, 4, columns)),
    flatDots: ([1, 2] as const).map((columns) => defineDots(module, 1, columns)),
  };
}

/**
 * (tiles, columns, k, a, aRow, aCol, b, bStep, c, cRow, out, outRow, floor): `tiles` tiles below each other, all on
 * the same `columns` (at most `width`) columns: out = max(c + Σ_p A[i,p]∘B[p,j], floor). A[i,p] is at a + i·aRow + p·aCol,
 * B[p, …] at b + p·bStep, row i of the start values at c + i·cRow; all in bytes. May read up to 4·width bytes past the
 * end of B and c. floor is −∞, or 0 for a fused ReLU.
 */
function defineTiles(module: Assembler, combine: Combine, rows: number, width: number) {
  return module.define(taking(12, 'f32'), (locals, declare) => {
    const [tiles, columns, k, a, aRow, aCol, b, bStep, c, cRow, out, outRow, floor] = locals;
    const vectors = width / 4;
    const pointers = variables(declare, 'i32', rows);
    const sums = Array.from({ length: rows }, () => variables(declare, 'v128', vectors));
    const fromB = variables(declare, 'v128', vectors);
    const [fromA, spare, floors] = variables(declare, 'v128', 3);
    const [bPointer, p, row] = variables(declare, 'i32', 3);

    const start = sums.map((line, i) => [
      line.map((sum) => sum.set(f32x4.constant(0))),
      pointers[i].set(rowOf(a, aRow, i)),
    ]);
    // The start values come last, so that long sums are sums of blocks.
    const finish = sums.map((line, i) => [
      row.set(rowOf(c, cRow, i)),
      line.map((sum, v) => sum.set(f32x4.larger(f32x4.add(sum, v128.load(row, 16 * v)), floors))),
    ]);
    const step = [
      fromB.map((value, v) => value.set(v128.load(bPointer, 16 * v))),
      sums.map((line, i) => [
        fromA.set(v128.loadSplat(pointers[i])),
        line.map((sum, v) => combine(sum, fromA, fromB[v], spare)),
        pointers[i].advance(aCol),
      ]),
      bPointer.advance(bStep),
      p.step(-1),
    ];
    const store = sums.map((line, i) => [
      row.set(rowOf(out, outRow, i)),
      line.map((sum, v) => v128.store(row, sum, 16 * v)),
    ]);
    // Of the vector that the ragged right edge goes through only the valid lanes: two, then one.
    const storeLanes = (sum: Local, offset: number): Code => [
      when(i32.and(columns, 2), [
        v128.storeTwo(row, sum, offset),
        row.step(8),
        sum.set(v128.shuffle(sum, sum, [2, 3, 2, 3])),
      ]),
      when(i32.and(columns, 1), v128.storeOne(row, sum, offset)),
    ];
    const storeRagged = sums.map((line, i) => [
      row.set(rowOf(out, outRow, i)),
      line.map((sum, v) =>
        when(
          i32.lessThan(columns, 4 * v + 4),
          when(i32.lessThan(4 * v, columns), storeLanes(sum, 16 * v)),
          v128.store(row, sum, 16 * v),
        ),
      ),
    ]);
    return [
      floors.set(f32x4.splat(floor)),
      whileAtLeast(tiles, 1, [
        start,
        bPointer.set(b),
        p.set(k),
        when(p, doWhile(step, p)),
        finish,
        when(i32.eq(columns, width), store, storeRagged),
        advanceRows(rows, a, aRow, c, cRow, out, outRow),
      ]),
    ];
  });
}

/**
 * The tiles of one to four rows and eight columns, and a panel of them. panel(m, columns, k, a, aRow, aCol, b, bRow, packed, c,
 * cRow, out, outRow, floor) does the same for m rows, with eight columns of B, contiguous in `packed`; they are copied there
 * from b first if bRow is not 0. The rows that remain after tiles of four are regrouped into tiles of three if possible, because a tile
 * of one row waits for its sums.
 */
function definePanel(module: Assembler, combine: Combine, pack: Pack) {
  const tiles = [1, 2, 3, 4].map((rows) => defineTiles(module, combine, rows, 8));
  const [one, , three, four] = tiles;
  const panel = module.define(taking(13, 'f32'), (locals, declare) => {
    const [m, columns, k, a, aRow, aCol, b, bRow, packed, c, cRow, out, outRow, floor] = locals;
    const [ones, threes, above] = variables(declare, 'i32', 3);
    const inThrees = i32.multiply(threes, 3);
    const rows = (tile: typeof one, count: Code): Code =>
      tile.call(count, columns, k, a, aRow, aCol, packed, i32.constant(32), c, cRow, out, outRow, floor);
    return [
      when(bRow, pack.call(k, b, bRow, packed)),
      threes.set(i32.and(i32.subtract(0, m), 3)),
      when(i32.lessThan(m, inThrees), [ones.set(i32.and(m, 3)), threes.set(i32.constant(0))]),
      above.set(i32.subtract(i32.subtract(m, ones), inThrees)),
      rows(four, i32.shiftRight(above, 2)),
      advanceRows(above, a, aRow, c, cRow, out, outRow),
      rows(three, threes),
      rows(one, ones),
    ];
  });
  return { tiles, panel };
}

/**
 * (m, n, a, aRow, b, bRow, c, cRow, cCol, out, outRow, floor) for an inner size k ≤ 4: out[m×n] = max(c + A·B, floor), bare A·B, or A·B
 * where the mask c is positive, else 0. The rows of B stay in registers while the rows of A are read. Columns in blocks of 16 or
 * 8, then 4, then 1.
 */
export function defineOuter(module: Assembler, k: number, mode: 'floor' | 'bare' | 'mask') {
  const wide = k <= 2 ? 4 : 2;
  return module.define(taking(11, 'f32'), (locals, declare) => {
    const [m, n, a, aRow, b, bRow, c, cRow, cCol, out, outRow, floor] = locals;
    const fromB = Array.from({ length: k }, () => variables(declare, 'v128', wide));
    const fromA = variables(declare, 'v128', k);
    const floors = declare('v128');
    const [left, aPointer, cPointer, outPointer, bPointer] = variables(declare, 'i32', 5);

    const columns = (vectors: number, single: boolean): Code => {
      const load = single ? v128.loadOne : v128.load;
      const store = single ? v128.storeOne : v128.store;
      const width = single ? 1 : 4 * vectors;
      return whileAtLeast(n, width, [
        bPointer.set(b),
        fromB.map((line) => [
          line.slice(0, vectors).map((value, v) => value.set(load(bPointer, 16 * v))),
          bPointer.advance(bRow),
        ]),
        aPointer.set(a),
        cPointer.set(c),
        outPointer.set(out),
        repeat(left, m, [
          fromA.map((value, p) => value.set(v128.loadSplat(aPointer, 4 * p))),
          Array.from({ length: vectors }, (_, v) => {
            const products = fromA.map((value, p) => f32x4.multiply(value, fromB[p][v]));
            const sum = (...terms: Code[]): Code => terms.reduce((total, term) => f32x4.add(total, term));
            const start = load(cPointer, 16 * v);
            const value = {
              floor: () => f32x4.larger(sum(start, ...products), floors),
              bare: () => sum(...products),
              mask: () => v128.and(sum(...products), f32x4.greater(start, declare.constant(0))),
            };
            return store(outPointer, value[mode](), 16 * v);
          }),
          aPointer.advance(aRow),
          cPointer.advance(cRow),
          outPointer.advance(outRow),
        ]),
        b.step(4 * width),
        c.advance(i32.multiply(cCol, width)),
        out.step(4 * width),
      ]);
    };
    return [floors.set(f32x4.splat(floor)), columns(wide, false), columns(1, false), columns(1, true)];
  });
}

/**
 * (tiles, k, a, aRow, b, bRow, c, cRow, cCol, out, outRow, outCol): `tiles` tiles below each other of
 * out[i,j] = c[i,j] + A_i·B_j, dot products of rows; the four lanes of each sum are added at the end.
 */
function defineDots(module: Assembler, rows: number, cols: number) {
  return module.define(taking(12), (locals, declare) => {
    const [tiles, k, a, aRow, b, bRow, c, cRow, cCol, out, outRow, outCol] = locals;
    const aPointers = variables(declare, 'i32', rows);
    const bPointers = variables(declare, 'i32', cols);
    const sums = Array.from({ length: rows }, () => variables(declare, 'v128', cols));
    const fromB = variables(declare, 'v128', cols);
    const fromA = declare('v128');
    const [left, cPointer, outPointer] = variables(declare, 'i32', 3);

    const finish = sums.map((line, i) => [
      cPointer.set(rowOf(c, cRow, i)),
      outPointer.set(rowOf(out, outRow, i)),
      line.map((sum) => [
        addLanes(sum),
        v128.storeOne(outPointer, f32x4.add(sum, v128.loadOne(cPointer))),
        cPointer.advance(cCol),
        outPointer.advance(outCol),
      ]),
    ]);
    return whileAtLeast(tiles, 1, [
      sums.flat().map((sum) => sum.set(f32x4.constant(0))),
      aPointers.map((pointer, i) => pointer.set(rowOf(a, aRow, i))),
      bPointers.map((pointer, j) => pointer.set(rowOf(b, bRow, j))),
      left.set(k),
      forEachElement(left, [4, 1], [...aPointers, ...bPointers], ({ load }) => [
        fromB.map((value, j) => value.set(load(bPointers[j]))),
        sums.map((line, i) => [fromA.set(load(aPointers[i])), line.map((sum, j) => addProduct(sum, fromA, fromB[j]))]),
      ]),
      finish,
      advanceRows(rows, a, aRow, c, cRow, out, outRow),
    ]);
  });
}

/** Advances each pointer by a number of rows, with the stride that follows it. */
function advanceRows(count: Code, ...pointers: readonly Local[]): Code {
  return pointers.map((pointer, i) => (i % 2 === 0 ? pointer.advance(i32.multiply(pointers[i + 1], count)) : []));
}
