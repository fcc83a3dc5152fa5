/** Elimination in dense panels of a sparse factorization, and the updates that panels pass on: routines. */

import { group } from '../../../kernels/panels.ts';
import type { Assembler, Code, Handle, Local } from '../../assembler/assembler.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { type Integers, repeat, taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { pairsOf } from '../columns.ts';
import { element64 } from '../loops.ts';
import { defineScale, forEachDouble } from '../vectors/vectors.ts';

export function defineUpdates(module: Assembler) {
  const pack = definePack(module);
  const strips = [1, 2, 3, 4].map((columns) => defineStrip(module, columns));
  return {
    pack,
    block: defineBlock(module, strips),
    eliminate: defineEliminate(module, pack, strips),
    extendAdd: defineExtendAdd(module),
  };
}

/** The code for each of some values of a number. */
function forValues(number: Local, values: readonly number[], body: (value: number) => Code): Code {
  return values.map((value) => when(i32.eq(number, value), body(value)));
}

/**
 * pack(tiles, inner, a, aStride, factors, step, out): copies four rows after another, tile by tile: out[tile][k][4], with column k
 * multiplied by its factor. Factors are `step` bytes apart. May read up to three numbers beyond the last row.
 */
function definePack(module: Assembler) {
  return module.define(taking(7), ([tiles, inner, a, aStride, factors, step, out], declare) => {
    const [from, by, left] = variables(declare, 'i32', 3);
    const factor = declare('v128');
    return whileAtLeast(tiles, 1, [
      from.set(a),
      by.set(factors),
      repeat(left, inner, [
        factor.set(v128.loadSplat64(by)),
        pairsOf(group).map(({ load, store }) => store(out, f64x2.multiply(factor, load(from)))),
        from.advance(aStride),
        by.advance(step),
        out.step(8 * group),
      ]),
      a.step(8 * group),
    ]);
  });
}

type Strip = Handle<Integers<8>, null>;

/**
 * strip(rows, inner, a, aStep, aTile, b, c, cStride): C −= A·Bᵀ for up to four packed rows B, the columns of C. Four rows of A are
 * next to each other; their next column is aStep bytes away, and the next four rows are aTile bytes away.
 */
function defineStrip(module: Assembler, columns: number): Strip {
  return module.define(taking(8), ([rows, inner, a, aStep, aTile, b, c, cStride], declare) => {
    const sums = Array.from({ length: columns }, () => variables(declare, 'v128', 2));
    const values = variables(declare, 'v128', 2);
    const factor = declare('v128');
    const [left, from, by, to] = variables(declare, 'i32', 4);
    const tile = (count: number): Code => {
      const pairs = pairsOf(count);
      const eachColumn = (visit: (sum: Local, h: number) => Code): Code => [
        to.set(c),
        sums.map((line) => [pairs.map((_, h) => visit(line[h], h)), to.advance(cStride)]),
      ];
      return [
        eachColumn((sum, h) => sum.set(pairs[h].load(to))),
        from.set(a),
        by.set(b),
        repeat(left, inner, [
          pairs.map(({ load }, h) => values[h].set(load(from))),
          sums.map((line, j) => [
            factor.set(v128.loadSplat64(by, 8 * j)),
            pairs.map((_, h) => line[h].set(f64x2.subtract(line[h], f64x2.multiply(values[h], factor)))),
          ]),
          from.advance(aStep),
          by.step(8 * group),
        ]),
        eachColumn((sum, h) => pairs[h].store(to, sum)),
      ];
    };
    return [
      whileAtLeast(rows, group, [tile(group), a.advance(aTile), c.step(8 * group)]),
      forValues(rows, [1, 2, 3], tile),
    ];
  });
}

/**
 * block(from, to, columns, inner, a, b, c, cStride): rows from … to−1 of the update, from the first column to the diagonal. `from` is
 * a multiple of four; a, b and c are those of row 0 and column 0.
 */
function defineBlock(module: Assembler, strips: readonly Strip[]) {
  return module.define(taking(8), ([from, to, columns, inner, a, b, c, cStride], declare) => {
    const [j, start] = variables(declare, 'i32', 2);
    const tile = i32.shiftLeft(inner, 5);
    const strip = (width: number): Code => {
      const [rows, aRow] = [i32.subtract(to, start), element64(a, i32.multiply(start, inner))];
      const call = strips[width - 1].call(rows, inner, aRow, i32.constant(32), tile, b, element64(c, start), cStride);
      return [start.set(i32.select(j, from, i32.lessThan(from, j))), when(i32.lessThan(start, to), call)];
    };
    return [
      whileAtLeast(columns, group, [
        strip(group),
        b.advance(tile),
        c.advance(i32.multiply(cStride, group)),
        j.step(group),
      ]),
      forValues(columns, [1, 2, 3], strip),
    ];
  });
}

/**
 * eliminate(height, columns, stride, panel, pivots, packed): eliminates the columns of a panel, four at a time: first the columns
 * before them are subtracted, with their rows scaled by pivots in `packed`, 32 bytes for each column, then they are eliminated one by one.
 */
function defineEliminate(module: Assembler, pack: Handle<Integers<7>, null>, strips: readonly Strip[]) {
  const scale = defineScale(module, true);
  const divide = module.define(taking(2, 'f64'), ([n, a, divisor], declare) => {
    const divisors = declare('v128');
    return [
      divisors.set(f64x2.splat(divisor)),
      forEachDouble(n, [a], ({ load, store }) => store(a, f64x2.divide(load(a), divisors))),
    ];
  });
  return module.define(taking(6), ([height, columns, stride, panel, pivots, packed], declare) => {
    const [known, width, left, to, at] = variables(declare, 'i32', 5);
    const [column, other, j, k] = variables(declare, 'i32', 4);
    const factor = declare('f64');
    const [one, tile] = [i32.constant(1), i32.constant(32)];
    /** At column `known`, on the diagonal. */
    const first = element64(panel, known);
    const subtractKnown = [
      pack.call(one, known, first, stride, pivots, i32.constant(8), packed),
      forValues(width, [1, 2, 3, 4], (count) =>
        strips[count - 1].call(height, known, first, stride, tile, packed, column, stride),
      ),
    ];
    const pivot = (place: Code): Code => element64(pivots, i32.add(known, place));
    /** Column j of the four: the ones before it, then the division. `at` is its diagonal entry. */
    const eliminateColumn = [
      k.set(i32.constant(0)),
      other.set(element64(column, j)),
      repeat(left, j, [
        factor.set(f64.multiply(f64.load(pivot(k)), f64.load(other))),
        scale.call(i32.subtract(height, j), other, at, f64.subtract(f64.constant(0), factor)),
        other.advance(stride),
        k.step(1),
      ]),
      f64.store(pivot(j), f64.load(at)),
      divide.call(i32.subtract(i32.subtract(height, j), 1), i32.add(at, 8), f64.load(at)),
      at.advance(i32.add(stride, 8)),
      j.step(1),
    ];
    return [
      column.set(panel),
      whileAtLeast(columns, 1, [
        width.set(i32.select(group, columns, i32.atLeast(columns, group))),
        when(known, subtractKnown),
        j.set(i32.constant(0)),
        at.set(column),
        repeat(to, width, eliminateColumn),
        known.advance(width),
        height.set(i32.subtract(height, width)),
        column.advance(i32.multiply(width, i32.add(stride, 8))),
        columns.set(i32.subtract(columns, i32.subtract(width, 1))),
      ]),
    ];
  });
}

/** extendAdd(size, places, source, columns, height, panel, update): one number after the other, since their places are not contiguous. */
function defineExtendAdd(module: Assembler) {
  return module.define(taking(7), ([size, places, source, columns, height, panel, update], declare) => {
    const [left, target, place, from, to, step] = variables(declare, 'i32', 6);
    const inUpdate = i32.multiply(i32.subtract(target, columns), i32.subtract(height, columns));
    return [
      step.set(i32.shiftLeft(i32.add(size, 1), 3)),
      whileAtLeast(size, 1, [
        target.set(i32.load(places)),
        when(
          i32.lessThan(target, columns),
          target.set(element64(panel, i32.multiply(target, height))),
          target.set(element64(update, i32.subtract(inUpdate, columns))),
        ),
        place.set(places),
        from.set(source),
        repeat(left, size, [
          to.set(element64(target, i32.load(place))),
          f64.store(to, f64.add(f64.load(to), f64.load(from))),
          place.step(4),
          from.step(8),
        ]),
        places.step(4),
        source.advance(step),
      ]),
    ];
  });
}
