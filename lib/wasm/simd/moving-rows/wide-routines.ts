/** Routines on blocks of rows of any number of columns: they gather rows in Float64, prepare sums for moments, and finish mapped rows. */

import type { Assembler, Code } from '../../assembler/assembler.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { repeat, taking, variables, when } from '../../assembler/statements.ts';
import {
  byBytes,
  type Bytes,
  contiguousRows,
  forEachRowPair,
  listedRows,
  type Pair,
  rowFactor,
  stridedRows,
} from '../columns.ts';
import { defineScaleRows } from '../double/scale-rows.ts';
import { defineTiles } from '../double/tiles.ts';
import { bothModes, defineClear } from '../loops.ts';

export function defineWide(module: Assembler) {
  return {
    tiles: defineTiles(module),
    scaleRows: defineScaleRows(module),
    gather: byBytes((bytes) => defineGather(module, bytes)),
    exchange: byBytes((bytes) => defineExchange(module, bytes)),
    shift: byBytes((bytes) => defineShift(module, bytes)),
    spread: defineSpread(module),
    scaleColumns: bothModes((accumulate) => defineScaleColumns(module, accumulate)),
    divide: defineDivide(module),
    addSymmetric: defineAddSymmetric(module),
    hasOffDiagonal: defineHasOffDiagonal(module),
    clear: defineClear(module),
  };
}

/** (count, columns, list, x, out, outRow): listed rows of x in Float64. */
function defineGather(module: Assembler, bytes: Bytes) {
  return module.define(taking(6), ([count, columns, list, x, out, outRow], declare) => {
    const source = listedRows(declare, x, list, columns, bytes);
    const target = stridedRows(declare, out, outRow);
    return forEachRowPair(declare, count, columns, [source, target], (pair) => target.store(pair, source.load(pair)));
  });
}

/** (count, columns, list, x, kept, fresh, old, row): rows of x replace listed rows of `kept`; both in Float64 to `fresh` and `old`. */
function defineExchange(module: Assembler, bytes: Bytes) {
  return module.define(taking(8), ([count, columns, list, x, kept, fresh, old, row], declare) => {
    const value = declare('v128');
    const [source, target] = [contiguousRows(x, bytes), listedRows(declare, kept, list, columns, bytes)];
    const [now, before] = [fresh, old].map((rows) => stridedRows(declare, rows, row));
    return forEachRowPair(declare, count, columns, [source, target, now, before], (pair) => [
      value.set(source.load(pair)),
      before.store(pair, target.load(pair)),
      now.store(pair, value),
      target.store(pair, value),
    ]);
  });
}

/** (count, columns, list, kept, change, old, row, length): listed rows of `kept` ← old + length·change, rounded once; `change` ← that row. */
function defineShift(module: Assembler, bytes: Bytes) {
  return module.define(taking(7, 'f64'), ([count, columns, list, kept, change, old, row, length], declare) => {
    const along = declare('v128');
    const target = listedRows(declare, kept, list, columns, bytes);
    const [moved, before] = [change, old].map((rows) => stridedRows(declare, rows, row));
    return [
      along.set(f64x2.splat(length)),
      forEachRowPair(declare, count, columns, [target, moved, before], (pair) => [
        target.store(pair, f64x2.add(before.load(pair), f64x2.multiply(along, moved.load(pair)))),
        moved.store(pair, target.load(pair)),
      ]),
    ];
  });
}

/** (count, columns, mass, fresh, old, change, weighted, row): change ← fresh − old, weighted ← mass·change, fresh ← fresh + old. */
function defineSpread(module: Assembler) {
  return module.define(taking(8), ([count, columns, mass, fresh, old, change, weighted, row], declare) => {
    const rows = [fresh, old, change, weighted].map((each) => stridedRows(declare, each, row));
    const [toFresh, toOld, toChange, toWeighted] = rows;
    const [weight, now, before, difference] = variables(declare, 'v128', 4);
    const body = (pair: Pair): Code => [
      now.set(toFresh.load(pair)),
      before.set(toOld.load(pair)),
      difference.set(f64x2.subtract(now, before)),
      toChange.store(pair, difference),
      toWeighted.store(pair, f64x2.multiply(weight, difference)),
      toFresh.store(pair, f64x2.add(now, before)),
    ];
    return forEachRowPair(declare, count, columns, rows, body, rowFactor(weight, mass, i32.constant(8)));
  });
}

/** (count, columns, x, d, dStep, out, row): out ← x·diag(d), or out += x·diag(d). The entries of d are dStep bytes apart. */
function defineScaleColumns(module: Assembler, accumulate: boolean) {
  return module.define(taking(7), ([count, columns, x, d, dStep, out, row], declare) => {
    const by = declare('i32');
    const [source, target] = [x, out].map((rows) => stridedRows(declare, rows, row));
    const body = (pair: Pair): Code => {
      const first = v128.loadTwo(by);
      const factors = pair === 2 ? v128.loadUpper(i32.add(by, dStep), first) : first;
      const product = f64x2.multiply(source.load(pair), factors);
      return [
        target.store(pair, accumulate ? f64x2.add(target.load(pair), product) : product),
        by.advance(i32.multiply(dStep, pair)),
      ];
    };
    return forEachRowPair(declare, count, columns, [source, target], body, { begin: by.set(d), end: [] });
  });
}

/** (count, columns, mass, massExponent, own, out, row): out ← (m·own + out)/m^massExponent; 0 where the mass m is 0. */
function defineDivide(module: Assembler) {
  return module.define(taking(7), ([count, columns, mass, massExponent, own, out, row], declare) => {
    const power = declare('i32');
    const [weight, divisor, sum, isPositive] = variables(declare, 'v128', 4);
    const setDivisor = [
      isPositive.set(f64x2.less(f64x2.splat(f64.constant(0)), weight)),
      divisor.set(f64x2.splat(f64.constant(1))),
      repeat(power, massExponent, divisor.set(f64x2.multiply(divisor, weight))),
    ];
    const masses = rowFactor(weight, mass, i32.constant(8));
    const rows = (quotient: Code): Code => {
      const [source, target] = [own, out].map((each) => stridedRows(declare, each, row));
      const body = (pair: Pair): Code => [
        sum.set(f64x2.add(f64x2.multiply(weight, source.load(pair)), target.load(pair))),
        target.store(pair, v128.and(quotient, isPositive)),
      ];
      return forEachRowPair(declare, count, columns, [source, target], body, masses, { begin: setDivisor, end: [] });
    };
    // Divisions by 1 would take most of the time.
    return when(massExponent, rows(f64x2.divide(sum, divisor)), rows(sum));
  });
}

/** (count, columns, change, out): out += (change + changeᵀ)/2, for square matrices: count = columns. */
function defineAddSymmetric(module: Assembler) {
  return module.define(taking(4), ([count, columns, change, out], declare) => {
    const [across, column, row] = variables(declare, 'i32', 3);
    const half = declare('v128');
    const [along, target] = [declare('i32'), out].map((pointer) => contiguousRows(pointer, 8));
    const body = (pair: Pair): Code => {
      const first = v128.loadTwo(across);
      const transposed = pair === 2 ? v128.loadUpper(i32.add(across, row), first) : first;
      const mean = f64x2.multiply(half, f64x2.add(along.load(pair), transposed));
      return [target.store(pair, f64x2.add(target.load(pair), mean)), across.advance(i32.multiply(row, pair))];
    };
    return [
      half.set(f64x2.splat(f64.constant(0.5))),
      row.set(i32.shiftLeft(columns, 3)),
      along.pointer.set(change),
      column.set(change),
      forEachRowPair(declare, count, columns, [along, target], body, {
        begin: across.set(column),
        end: column.step(8),
      }),
    ];
  });
}

/** (columns, matrix): whether any entry off the diagonal is not 0. Between two entries on the diagonal are `columns` others. */
function defineHasOffDiagonal(module: Assembler) {
  return module.define({ ...taking(2), result: 'i32' }, ([columns, matrix], declare) => {
    const runs = declare('i32');
    const seen = declare('v128');
    const source = contiguousRows(matrix, 8, matrix.step(8));
    const body = (pair: Pair): Code => seen.set(v128.or(seen, f64x2.absolute(source.load(pair))));
    return [
      runs.set(i32.subtract(columns, 1)),
      forEachRowPair(declare, runs, columns, [source], body),
      v128.anyTrue(seen),
    ];
  });
}
