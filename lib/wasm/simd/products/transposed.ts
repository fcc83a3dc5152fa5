/** Aᵀ·X for compressed rows: routines. Entries of a row are added to different rows of the result, two at a time. */

import type { Assembler, Code, Declare, Local } from '../../assembler/assembler.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { forEachRow, stepAll } from '../loops.ts';
import { widthsOf } from './rows.ts';
import { skipEntries, type Vectors } from './vectors.ts';

/** By the places of their widths in `widthsOf`. */
export function defineTransposed(module: Assembler, vectors: Vectors) {
  return widthsOf[vectors.bytes].map((width) => defineProduct(module, vectors, width));
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
function defineProduct(module: Assembler, vectors: Vectors, width: number) {
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

/** (n, a, out): out += a, for n numbers. */
export function defineAdd(module: Assembler, { bytes, lanes, add, loadOne, storeOne }: Vectors) {
  return module.define(taking(3), ([n, a, out]) => [
    whileAtLeast(n, lanes, [v128.store(out, add(v128.load(out), v128.load(a))), stepAll([a, out], 16)]),
    whileAtLeast(n, 1, [storeOne(out, add(loadOne(out), loadOne(a))), stepAll([a, out], bytes)]),
  ]);
}
