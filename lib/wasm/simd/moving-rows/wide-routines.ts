/** Routines on blocks of rows of any number of columns: rows in Float64, what goes into moments, and what comes out of a map. */

import type { Assembler, Code, Local } from '../../assembler/assembler.ts';
import * as f64 from '../../assembler/instructions/f64.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { type Bytes, Cursor, forEachPair } from '../columns.ts';
import { defineTiles } from '../double/tiles.ts';
import { bothModes, defineClear } from '../loops.ts';

export function defineWide(module: Assembler) {
  return {
    tiles: defineTiles(module),
    /** (count, columns, x, out, outRow): rows in Float64. By bytes of x. */
    widen: { 4: defineWiden(module, 4, false), 8: defineWiden(module, 8, false) },
    /** (count, columns, x, out, outRow, list): listed rows of x in Float64. By bytes of x. */
    gather: { 4: defineWiden(module, 4, true), 8: defineWiden(module, 8, true) },
    exchange: { 4: defineExchange(module, 4), 8: defineExchange(module, 8) },
    shift: { 4: defineShift(module, 4), 8: defineShift(module, 8) },
    scale: { 4: defineScale(module, 4), 8: defineScale(module, 8) },
    spread: defineSpread(module),
    scaleColumns: bothModes((accumulate) => defineScaleColumns(module, accumulate)),
    outer: defineOuter(module),
    divide: defineDivide(module),
    clear: defineClear(module),
  };
}

/** The number i of a list as the address of that row of x. */
const listed = (x: Local, list: Local, columns: Local, bytes: Bytes): Code =>
  i32.add(x, i32.multiply(i32.load(list), i32.multiply(columns, i32.constant(bytes))));

function defineWiden(module: Assembler, bytes: Bytes, isListed: boolean) {
  return module.define(taking(6), ([count, columns, x, out, outRow, list], declare) => {
    const [left, from, to] = variables(declare, 'i32', 3);
    const [source, target] = [new Cursor(isListed ? from : x, bytes), new Cursor(to)];
    return whileAtLeast(count, 1, [
      isListed ? from.set(listed(x, list, columns, bytes)) : [],
      to.set(out),
      left.set(columns),
      forEachPair(left, [source, target], (pair) => target.store(pair, source.load(pair))),
      out.advance(outRow),
      list.step(4),
    ]);
  });
}

/** (count, columns, list, x, kept, fresh, old, row): rows of x replace listed rows of `kept`; both in Float64 to `fresh` and `old`. */
function defineExchange(module: Assembler, bytes: Bytes) {
  return module.define(taking(8), ([count, columns, list, x, kept, fresh, old, row], declare) => {
    const [left, place, toFresh, toOld] = variables(declare, 'i32', 4);
    const value = declare('v128');
    const [source, target] = [new Cursor(x, bytes), new Cursor(place, bytes)];
    const [now, before] = [new Cursor(toFresh), new Cursor(toOld)];
    return whileAtLeast(count, 1, [
      place.set(listed(kept, list, columns, bytes)),
      toFresh.set(fresh),
      toOld.set(old),
      left.set(columns),
      forEachPair(left, [source, target, now, before], (pair) => [
        value.set(source.load(pair)),
        before.store(pair, target.load(pair)),
        now.store(pair, value),
        target.store(pair, value),
      ]),
      [fresh, old].map((pointer) => pointer.advance(row)),
      list.step(4),
    ]);
  });
}

/** (count, columns, list, kept, change, old, row, length): listed rows of `kept` ← old + length·change, rounded once; `change` ← that row. */
function defineShift(module: Assembler, bytes: Bytes) {
  return module.define(taking(7, 'f64'), ([count, columns, list, kept, change, old, row, length], declare) => {
    const [left, place, changes, olds] = variables(declare, 'i32', 4);
    const along = declare('v128');
    const [target, moved, before] = [new Cursor(place, bytes), new Cursor(changes), new Cursor(olds)];
    return [
      along.set(f64x2.splat(length)),
      whileAtLeast(count, 1, [
        place.set(listed(kept, list, columns, bytes)),
        changes.set(change),
        olds.set(old),
        left.set(columns),
        forEachPair(left, [target, moved, before], (pair) => [
          target.store(pair, f64x2.add(before.load(pair), f64x2.multiply(along, moved.load(pair)))),
          moved.store(pair, target.load(pair)),
        ]),
        [change, old].map((pointer) => pointer.advance(row)),
        list.step(4),
      ]),
    ];
  });
}

/**
 * (count, columns, factors, step, x, xRow, out): row i of out ← factors[i]·(row i of x), rounded once. x is Float64, and the factors
 * are `step` bytes apart.
 */
function defineScale(module: Assembler, bytes: Bytes) {
  return module.define(taking(7), ([count, columns, factors, step, x, xRow, out], declare) => {
    const [left, from] = variables(declare, 'i32', 2);
    const factor = declare('v128');
    const [source, target] = [new Cursor(from), new Cursor(out, bytes)];
    return whileAtLeast(count, 1, [
      factor.set(v128.loadSplat64(factors)),
      from.set(x),
      left.set(columns),
      forEachPair(left, [source, target], (pair) => target.store(pair, f64x2.multiply(factor, source.load(pair)))),
      factors.advance(step),
      x.advance(xRow),
    ]);
  });
}

/** (count, columns, mass, fresh, old, change, weighted, row): change ← fresh − old, weighted ← mass·change, fresh ← fresh + old. */
function defineSpread(module: Assembler) {
  return module.define(taking(8), (locals, declare) => {
    const [count, columns, mass, ...arrays] = locals;
    const row = arrays[4];
    const left = declare('i32');
    const pointers = variables(declare, 'i32', 4);
    const [fresh, old, change, weighted] = pointers.map((pointer) => new Cursor(pointer));
    const [weight, now, before, difference] = variables(declare, 'v128', 4);
    return whileAtLeast(count, 1, [
      weight.set(v128.loadSplat64(mass)),
      pointers.map((pointer, i) => pointer.set(arrays[i])),
      left.set(columns),
      forEachPair(left, [fresh, old, change, weighted], (pair) => [
        now.set(fresh.load(pair)),
        before.set(old.load(pair)),
        difference.set(f64x2.subtract(now, before)),
        change.store(pair, difference),
        weighted.store(pair, f64x2.multiply(weight, difference)),
        fresh.store(pair, f64x2.add(now, before)),
      ]),
      pointers.map((_, i) => arrays[i].advance(row)),
      mass.step(8),
    ]);
  });
}

/** (count, columns, x, d, dStep, out, row): out ← x·diag(d), or out += x·diag(d). The entries of d are dStep bytes apart. */
function defineScaleColumns(module: Assembler, accumulate: boolean) {
  return module.define(taking(7), ([count, columns, x, d, dStep, out, row], declare) => {
    const [left, from, by, to] = variables(declare, 'i32', 4);
    const [source, target] = [new Cursor(from), new Cursor(to)];
    return whileAtLeast(count, 1, [
      from.set(x),
      by.set(d),
      to.set(out),
      left.set(columns),
      forEachPair(left, [source, target], (pair) => {
        const first = v128.loadTwo(by);
        const factors = pair === 2 ? v128.loadUpper(i32.add(by, dStep), first) : first;
        const product = f64x2.multiply(source.load(pair), factors);
        return [
          target.store(pair, accumulate ? f64x2.add(target.load(pair), product) : product),
          by.advance(pair === 2 ? i32.shiftLeft(dStep, 1) : dStep),
        ];
      }),
      [x, out].map((pointer) => pointer.advance(row)),
    ]);
  });
}

/** (count, columns, eta, etaStep, s, out, outRow): row i of out = eta[i]·s. */
function defineOuter(module: Assembler) {
  return module.define(taking(7), ([count, columns, eta, etaStep, s, out, outRow], declare) => {
    const [left, from, to] = variables(declare, 'i32', 3);
    const factor = declare('v128');
    const [source, target] = [new Cursor(from), new Cursor(to)];
    return whileAtLeast(count, 1, [
      factor.set(v128.loadSplat64(eta)),
      from.set(s),
      to.set(out),
      left.set(columns),
      forEachPair(left, [source, target], (pair) => target.store(pair, f64x2.multiply(factor, source.load(pair)))),
      eta.advance(etaStep),
      out.advance(outRow),
    ]);
  });
}

/** (count, columns, mass, massExponent, own, out, row): out ← (m·own + out)/m^massExponent; 0 where the mass m is 0. */
function defineDivide(module: Assembler) {
  return module.define(taking(7), ([count, columns, mass, massExponent, own, out, row], declare) => {
    const [left, from, to, power] = variables(declare, 'i32', 4);
    const [weight, divisor, sum, isPositive] = variables(declare, 'v128', 4);
    const [source, target] = [new Cursor(from), new Cursor(to)];
    return whileAtLeast(count, 1, [
      weight.set(v128.loadSplat64(mass)),
      isPositive.set(f64x2.less(f64x2.splat(f64.constant(0)), weight)),
      divisor.set(f64x2.splat(f64.constant(1))),
      power.set(massExponent),
      whileAtLeast(power, 1, divisor.set(f64x2.multiply(divisor, weight))),
      from.set(own),
      to.set(out),
      left.set(columns),
      forEachPair(left, [source, target], (pair) => [
        sum.set(f64x2.add(f64x2.multiply(weight, source.load(pair)), target.load(pair))),
        target.store(pair, v128.and(f64x2.divide(sum, divisor), isPositive)),
      ]),
      mass.step(8),
      [own, out].map((pointer) => pointer.advance(row)),
    ]);
  });
}
