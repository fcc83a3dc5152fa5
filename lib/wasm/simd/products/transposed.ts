/** Aᵀ·X for compressed rows: routines. Entries of a row are added to different rows of the result, two at a time. */

import type { Assembler, Code, Declare, Local } from '../../assembler/assembler.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import { doWhile, taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { forEachRow } from '../loops.ts';
import { widthsOf } from './rows.ts';
import { skipEntries, type Vectors } from './vectors.ts';

/** By the places of their widths in `widthsOf`. */
export function defineTransposed(module: Assembler, vectors: Vectors) {
  return widthsOf[vectors.bytes].map((width) => ({
    all: defineAll(module, vectors, width),
    before: defineBefore(module, vectors, width),
    after: defineAfter(module, vectors, width),
  }));
}

/** Adds entries of a row to rows of the result. */
function scatter(vectors: Vectors, width: number, declare: Declare) {
  const { add, multiply, loadSplat, bytes } = vectors;
  const pieces = vectors.pieces(width);
  const row = variables(declare, 'v128', pieces.length);
  // Two entries are read before either is written, as far as registers suffice: their columns differ.
  const most = pieces.length <= 2 ? 2 : 1;
  const factor = declare('v128');
  const sums = Array.from({ length: most }, () => variables(declare, 'v128', pieces.length));
  const targets = variables(declare, 'i32', 2);
  return {
    most,
    /** Reads a row of x. */
    begin: (x: Local): Code => pieces.map(({ load }, k) => row[k].set(load(x))),
    /** Adds `count` entries. */
    entries: (count: number, columns: Local, values: Local, out: Local, outRow: Local): Code => {
      const each = sums.slice(0, count);
      return [
        each.map((sum, e) => [
          factor.set(loadSplat(values, bytes * e)),
          targets[e].set(i32.add(out, i32.multiply(i32.load(columns, 4 * e), outRow))),
          pieces.map(({ load }, k) => sum[k].set(add(load(targets[e]), multiply(factor, row[k])))),
        ]),
        each.map((sum, e) => pieces.map(({ store }, k) => store(targets[e], sum[k]))),
      ];
    },
  };
}

/** (rows, starts, columns, values, x, xRow, out, outRow): out += Sᵀ·x on `width` columns of x. Strides are in bytes. */
function defineAll(module: Assembler, vectors: Vectors, width: number) {
  return module.define(taking(8), ([rows, starts, columns, values, x, xRow, out, outRow], declare) => {
    const entries = declare('i32');
    const { begin, most, entries: add } = scatter(vectors, width, declare);
    const some = (count: number): Code =>
      whileAtLeast(entries, count, [
        add(count, columns, values, out, outRow),
        skipEntries(vectors, columns, values, count),
      ]);
    return forEachRow(rows, starts, entries, [begin(x), most > 1 ? some(most) : [], some(1), x.advance(xRow)]);
  });
}

/** Repeats `body` while `condition` is not 0. */
function loopWhile(condition: Code, body: Code): Code {
  return when(condition, doWhile(body, condition));
}

/** (rows, starts, columns, values, x, xRow, out, outRow, from, to): the same for entries with from ≤ column < to, forward. */
function defineBefore(module: Assembler, vectors: Vectors, width: number) {
  return module.define(taking(10), ([rows, starts, columns, values, x, xRow, out, outRow, from, to], declare) => {
    const entries = declare('i32');
    const { begin, most, entries: add } = scatter(vectors, width, declare);
    /** Whether the row has `count` entries more, and the last of them is before the limit. A read past the row does no harm. */
    const hasBefore = (count: number, limit: Local): Code =>
      i32.and(i32.atLeast(entries, count), i32.lessThan(i32.load(columns, 4 * (count - 1)), limit));
    const skip = (count: number): Code => [skipEntries(vectors, columns, values, count), entries.step(-count)];
    const some = (count: number): Code =>
      loopWhile(hasBefore(count, to), [add(count, columns, values, out, outRow), skip(count)]);
    return forEachRow(rows, starts, entries, [
      begin(x),
      loopWhile(hasBefore(1, from), skip(1)),
      most > 1 ? some(most) : [],
      some(1),
      columns.advance(i32.shiftLeft(entries, 2)),
      values.advance(i32.shiftLeft(entries, vectors.shift)),
      x.advance(xRow),
    ]);
  });
}

/** (rows, starts, columns, values, x, xRow, out, outRow, from): the same for entries with column ≥ from, backward from the end of a row. */
function defineAfter(module: Assembler, vectors: Vectors, width: number) {
  return module.define(taking(9), ([rows, starts, columns, values, x, xRow, out, outRow, from], declare) => {
    const [entries, column, value] = variables(declare, 'i32', 3);
    const { begin, most, entries: add } = scatter(vectors, width, declare);
    /** A read before the row does no harm. */
    const hasAfter = (count: number): Code =>
      i32.and(
        i32.atLeast(entries, count),
        i32.atLeast(i32.load(i32.subtract(column, i32.constant(4 * count))), from),
      );
    const some = (count: number): Code =>
      loopWhile(hasAfter(count), [
        skipEntries(vectors, column, value, -count),
        add(count, column, value, out, outRow),
        entries.step(-count),
      ]);
    return forEachRow(rows, starts, entries, [
      begin(x),
      columns.advance(i32.shiftLeft(entries, 2)),
      values.advance(i32.shiftLeft(entries, vectors.shift)),
      column.set(columns),
      value.set(values),
      most > 1 ? some(most) : [],
      some(1),
      x.advance(xRow),
    ]);
  });
}
