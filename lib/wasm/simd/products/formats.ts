/** A·x for slices of eight rows, and A·X for blocks of 4×4: routines. */

import { blockSide, sliceHeight } from '../../../kernels/products.ts';
import type { Assembler, Code } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { forEachRow } from '../loops.ts';
import { addTerm, type Vectors } from './vectors.ts';

/**
 * (slices, starts, columns, values, x, order, out): a slice has a row in each lane of its vectors. With `isOrdered`, `out` is the first
 * row of the slices; otherwise lane after lane goes to the row that `order` names, the first lane last.
 */
export function defineSliced(module: Assembler, vectors: Vectors, isOrdered: boolean) {
  const { bytes, shift, lanes, gather, storeLane } = vectors;
  return module.define(taking(7), ([slices, starts, columns, values, x, order, out], declare) => {
    const layers = declare('i32');
    const sums = Array.from({ length: sliceHeight / lanes }, () => declare('v128'));
    const scattered = Array.from({ length: sliceHeight }, (_, k): Code => {
      const lane = sliceHeight - 1 - k;
      const target = i32.add(out, i32.shiftLeft(i32.load(order, 4 * lane), shift));
      return storeLane(target, sums[Math.floor(lane / lanes)], lane % lanes);
    });
    return forEachRow(slices, starts, layers, [
      sums.map((sum) => sum.set(f32x4.constant(0))),
      whileAtLeast(layers, 1, [
        sums.map((sum, k) => addTerm(vectors, sum, v128.load(values, 16 * k), gather(x, columns, lanes * k))),
        columns.step(4 * sliceHeight),
        values.step(bytes * sliceHeight),
      ]),
      isOrdered
        ? [sums.map((sum, k) => v128.store(out, sum, 16 * k)), out.step(bytes * sliceHeight)]
        : [scattered, order.step(4 * sliceHeight)],
    ]);
  });
}

/** Columns at a time: four rows of sums and a row of x are in registers. */
export const blockedWidths = { 4: [8, 6, 5, 4, 3, 2, 1] as const, 8: [4, 3, 2, 1] as const };

/** (lines, starts, firsts, values, x, row, out): four rows at a time. Rows are `row` bytes apart. */
export function defineBlocked(module: Assembler, vectors: Vectors) {
  return {
    /** x has one column. */
    column: defineBlockedColumn(module, vectors),
    /** By the places of their widths in `blockedWidths`. */
    blocks: blockedWidths[vectors.bytes].map((width) => defineBlockedColumns(module, vectors, width)),
  };
}

/** One column: a column of a block is a vector of singles, or two of doubles. */
function defineBlockedColumn(module: Assembler, vectors: Vectors) {
  const { bytes, lanes, loadSplat } = vectors;
  return module.define(taking(7), ([lines, starts, firsts, values, x, row, out], declare) => {
    const [blocks, source] = variables(declare, 'i32', 2);
    // The columns of a block alternate between two sums, which do not wait for each other.
    const chains = [0, 1].map(() => Array.from({ length: blockSide / lanes }, () => declare('v128')));
    const column = (j: number): Code =>
      chains[j % 2].map((sum, k) =>
        addTerm(vectors, sum, v128.load(values, blockSide * bytes * j + 16 * k), loadSplat(source, bytes * j)),
      );
    return forEachRow(lines, starts, blocks, [
      chains.flat().map((sum) => sum.set(f32x4.constant(0))),
      whileAtLeast(blocks, 1, [
        source.set(i32.add(x, i32.multiply(i32.load(firsts), row))),
        [0, 1, 2, 3].map(column),
        firsts.step(4),
        values.step(blockSide * blockSide * bytes),
      ]),
      chains[0].map((sum, k) => v128.store(out, vectors.add(sum, chains[1][k]), 16 * k)),
      out.step(blockSide * bytes),
    ]);
  });
}

function defineBlockedColumns(module: Assembler, vectors: Vectors, width: number) {
  const { bytes, loadSplat } = vectors;
  const pieces = vectors.pieces(width);
  const side = [0, 1, 2, 3];
  return module.define(taking(7), ([lines, starts, firsts, values, x, row, out], declare) => {
    const [blocks, source] = variables(declare, 'i32', 2);
    const sums = side.map(() => variables(declare, 'v128', pieces.length));
    const from = variables(declare, 'v128', pieces.length);
    const factor = declare('v128');
    const column = (j: number): Code => [
      pieces.map(({ load }, k) => from[k].set(load(source))),
      sums.map((sum, i) => [
        factor.set(loadSplat(values, bytes * (blockSide * j + i))),
        pieces.map((_, k) => addTerm(vectors, sum[k], factor, from[k])),
      ]),
      source.advance(row),
    ];
    return forEachRow(lines, starts, blocks, [
      sums.flat().map((sum) => sum.set(f32x4.constant(0))),
      whileAtLeast(blocks, 1, [
        source.set(i32.add(x, i32.multiply(i32.load(firsts), row))),
        side.map(column),
        firsts.step(4),
        values.step(blockSide * blockSide * bytes),
      ]),
      sums.map((sum) => [pieces.map(({ store }, k) => store(out, sum[k])), out.advance(row)]),
    ]);
  });
}
