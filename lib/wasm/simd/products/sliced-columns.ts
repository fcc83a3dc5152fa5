/** A·X for slices of eight rows and several columns of X: routines. */

import { sliceHeight } from '../../../kernels/formats/products.ts';
import type { Assembler, Code } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import { doWhile, taking, variables, when } from '../../assembler/statements.ts';
import { forEachRow } from '../loops.ts';
import { addressIn } from './rows.ts';
import type { Vectors } from './vectors.ts';

/** Blocks of columns: any width is a sum of these. */
export const slicedWidths = { 4: [16, 8, 4, 2, 1] as const, 8: [8, 4, 2, 1] as const };

/** By the places of their widths in `slicedWidths`. */
export function defineSlicedColumns(module: Assembler, vectors: Vectors) {
  return slicedWidths[vectors.bytes].map((width) => ({
    product: defineBlock(module, vectors, width, null),
    /** The same for an x of these columns and no others. */
    packed: defineBlock(module, vectors, width, Math.log2(vectors.bytes * width)),
  }));
}

/** Vectors of sums that stay in registers: fewer would wait for each other, and more leave no room for what engines read before they multiply. */
const sumsAtOnce = 4;

/**
 * (slices, starts, columns, values, x, xRow, order, out, outRow): lane after lane goes to the row that `order` names. Strides are in bytes. The sums of a few
 * lanes stay in registers. Entries of a row are added in their order, one at a time.
 */
function defineBlock(module: Assembler, vectors: Vectors, width: number, shift: number | null) {
  const { bytes, add, multiply, loadSplat } = vectors;
  const pieces = vectors.pieces(width);
  const lanes = Math.max(1, sumsAtOnce / pieces.length);
  const depth = lanes === 1 ? 2 : 1;
  return module.define(taking(9), ([slices, starts, columns, values, x, xRow, order, out, outRow], declare) => {
    const [layers, lane, column, value, end, target] = variables(declare, 'i32', 6);
    const sums = Array.from({ length: lanes }, () => variables(declare, 'v128', pieces.length));
    const factors = variables(declare, 'v128', lanes * depth);
    const sources = variables(declare, 'i32', lanes * depth);
    const source = addressIn(x, xRow, shift);
    const addLayers = (count: number): Code => {
      const entries = Array.from({ length: count * lanes }, (_, k) => ({ factor: factors[k], from: sources[k], sum: sums[k % lanes], place: sliceHeight * Math.floor(k / lanes) + (k % lanes) })); // oxfmt-ignore
      return [
        entries.map(({ factor, from, place }) => [
          factor.set(loadSplat(value, bytes * place)),
          from.set(source(i32.load(column, 4 * place))),
        ]),
        entries.map(({ factor, from, sum }) =>
          pieces.map(({ load }, k) => sum[k].set(add(sum[k], multiply(factor, load(from))))),
        ),
        column.step(4 * sliceHeight * count),
        value.step(bytes * sliceHeight * count),
      ];
    };
    const layerBytes = Math.log2(4 * sliceHeight);
    const addLanes: Code = [
      column.set(i32.add(columns, i32.shiftLeft(lane, 2))),
      value.set(i32.add(values, i32.shiftLeft(lane, vectors.shift))),
      end.set(i32.add(column, i32.shiftLeft(i32.and(layers, -depth), layerBytes))),
      sums.flat().map((sum) => sum.set(f32x4.constant(0))),
      when(i32.notEqual(column, end), doWhile(addLayers(depth), i32.notEqual(column, end))),
      depth === 2 ? when(i32.and(layers, 1), addLayers(1)) : [],
      sums.map((sum, k) => [
        target.set(i32.add(out, i32.multiply(i32.load(i32.add(order, i32.shiftLeft(lane, 2)), 4 * k), outRow))),
        pieces.map(({ store }, p) => store(target, sum[p])),
      ]),
      lane.step(lanes),
    ];
    return forEachRow(slices, starts, layers, [
      lane.set(i32.constant(0)),
      doWhile(addLanes, i32.notEqual(lane, sliceHeight)),
      columns.advance(i32.shiftLeft(layers, layerBytes)),
      values.advance(i32.shiftLeft(layers, 3 + vectors.shift)),
      order.step(4 * sliceHeight),
    ]);
  });
}
