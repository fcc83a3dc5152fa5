/** A·x for slices of eight rows, and A·X for blocks of 4×4: routines. */

import { blockSide, sliceHeight } from '../../../kernels/formats/products.ts';
import type { Assembler, Code } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as i32x4 from '../../assembler/instructions/i32x4.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { doWhile, repeat, taking, variables, when, whileAtLeast } from '../../assembler/statements.ts';
import { forEachRow } from '../loops.ts';
import { addressOf, addTerm, type Vectors } from './vectors.ts';

/**
 * (slices, starts, columns, values, x, order, out): a slice has a row in each lane of its vectors. With `isOrdered`, `out` is the first
 * row of the slices; otherwise lane after lane goes to the row that `order` names, the first lane last. With `hasRuns`, layers whose columns follow
 * each other, as in bands and stencils, read x as vectors; the sums are the same.
 */
export function defineSliced(module: Assembler, vectors: Vectors, isOrdered: boolean, hasRuns: boolean) {
  const { bytes, shift, lanes, gather, storeLane } = vectors;
  return module.define(taking(7), ([slices, starts, columns, values, x, order, out], declare) => {
    const [layers, source] = variables(declare, 'i32', 2);
    const first = declare('v128');
    const sums = Array.from({ length: sliceHeight / lanes }, () => declare('v128'));
    const scattered = Array.from({ length: sliceHeight }, (_, k): Code => {
      const lane = sliceHeight - 1 - k;
      const target = i32.add(out, i32.shiftLeft(i32.load(order, 4 * lane), shift));
      return storeLane(target, sums[Math.floor(lane / lanes)], lane % lanes);
    });
    const add = (numbers: (k: number) => Code): Code =>
      sums.map((sum, k) => addTerm(vectors, sum, v128.load(values, 16 * k), numbers(k)));
    const gathered = add((k) => gather(x, columns, lanes * k));
    const run = [source.set(addressOf(x, columns, 0, shift)), add((k) => v128.load(source, 16 * k))];
    const otherThanRun = (from: number): Code =>
      v128.xor(v128.load(columns, 4 * from), i32x4.add(first, i32x4.lanes(from, from + 1, from + 2, from + 3)));
    const addLayer = hasRuns
      ? [
          first.set(v128.loadSplat(columns)),
          when(v128.anyTrue(v128.or(otherThanRun(0), otherThanRun(4))), gathered, run),
        ]
      : gathered;
    return forEachRow(slices, starts, layers, [
      sums.map((sum) => sum.set(f32x4.constant(0))),
      whileAtLeast(layers, 1, [addLayer, columns.step(4 * sliceHeight), values.step(bytes * sliceHeight)]),
      isOrdered
        ? [sums.map((sum, k) => v128.store(out, sum, 16 * k)), out.step(bytes * sliceHeight)]
        : [scattered, order.step(4 * sliceHeight)],
    ]);
  });
}

/** Columns at a time: four rows of sums and a row of x are in registers. */
export const blockedWidths = { 4: [8, 6, 5, 4, 3, 2, 1] as const, 8: [4, 3, 2, 1] as const };

/**
 * (lines, starts, firsts, values, x, row, out, panels): four rows at a time. Rows are `row` bytes apart. x has as many columns as `panels` times the width of the routine;
 * one column has one panel.
 */
export function defineBlocked(module: Assembler, vectors: Vectors) {
  return {
    /** x has one column. */
    column: defineBlockedColumn(module, vectors),
    /** By the places of their widths in `blockedWidths`. */
    blocks: blockedWidths[vectors.bytes].map((width) => defineBlockedColumns(module, vectors, width)),
  };
}

/** One column: a column of a block is a vector of singles, or two of doubles. `row` is the size of a number, which the code knows. */
function defineBlockedColumn(module: Assembler, vectors: Vectors) {
  const { bytes, shift, lanes, add, multiply, loadSplat } = vectors;
  return module.define(taking(8), ([lines, starts, firsts, values, x, _row, out], declare) => {
    const [blocks, source] = variables(declare, 'i32', 2);
    const sums = Array.from({ length: blockSide / lanes }, () => declare('v128'));
    // The columns of a block are added up before they are added to the sum, which would wait for itself.
    const column = (j: number, k: number): Code =>
      multiply(v128.load(values, blockSide * bytes * j + 16 * k), loadSplat(source, bytes * j));
    const block = (k: number): Code => add(add(column(0, k), column(1, k)), add(column(2, k), column(3, k)));
    return forEachRow(lines, starts, blocks, [
      sums.map((sum) => sum.set(f32x4.constant(0))),
      whileAtLeast(blocks, 1, [
        source.set(addressOf(x, firsts, 0, shift)),
        sums.map((sum, k) => sum.set(add(sum, block(k)))),
        firsts.step(4),
        values.step(blockSide * blockSide * bytes),
      ]),
      sums.map((sum, k) => v128.store(out, sum, 16 * k)),
      out.step(blockSide * bytes),
    ]);
  });
}

/**
 * Several columns: for each column of a block, four numbers times a row of x. A loop over the columns of a block keeps numbers in registers: engines read everything
 * between two branches before they multiply, and there is no room for a whole block. Wider X are several panels of columns, one after another for each line of blocks, which
 * stays in the cache meanwhile.
 */
function defineBlockedColumns(module: Assembler, vectors: Vectors, width: number) {
  const { bytes, multiplyAdd, loadSplat } = vectors;
  const pieces = vectors.pieces(width);
  return module.define(taking(8), ([lines, starts, firsts, values, x, row, out, panels], declare) => {
    const [blocks, source, end, four, first, value, left, panel, to, count] = variables(declare, 'i32', 10);
    const sums = Array.from({ length: blockSide }, () => variables(declare, 'v128', pieces.length));
    const from = variables(declare, 'v128', pieces.length);
    const factor = declare('v128');
    const column: Code = [
      pieces.map(({ load }, k) => from[k].set(load(source))),
      sums.map((sum, i) => [
        factor.set(loadSplat(value, bytes * i)),
        pieces.map((_, k) => sum[k].set(multiplyAdd(factor, from[k], sum[k]))),
      ]),
      source.advance(row),
      value.step(blockSide * bytes),
    ];
    return [
      four.set(i32.multiply(row, blockSide)),
      forEachRow(lines, starts, blocks, [
        panel.set(i32.constant(0)),
        repeat(left, panels, [
          first.set(firsts),
          value.set(values),
          to.set(i32.add(out, panel)),
          sums.flat().map((sum) => sum.set(f32x4.constant(0))),
          repeat(count, blocks, [
            source.set(i32.add(i32.add(x, panel), i32.multiply(i32.load(first), row))),
            end.set(i32.add(source, four)),
            doWhile(column, i32.notEqual(source, end)),
            first.step(4),
          ]),
          sums.map((sum) => [pieces.map(({ store }, k) => store(to, sum[k])), to.advance(row)]),
          panel.step(bytes * width),
        ]),
        out.advance(four),
        firsts.set(first),
        values.set(value),
      ]),
    ];
  });
}
