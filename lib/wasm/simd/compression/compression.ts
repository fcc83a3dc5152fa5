/** Compression of rows, four entries at a time, and of columns, one at a time: those that are not 0 move to the front. Routines and twins. */

import {
  compressColumns,
  type CompressionKernels,
  compressRows,
  sectionRows,
  startOf,
} from '../../../kernels/batch/compression.ts';
import type { Assembler, Code, Routines } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as i32x4 from '../../assembler/instructions/i32x4.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { repeat, taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { input32, output, output32 } from '../../memory/marshal.ts';
import type { Host } from '../../threads/executor.ts';

export function defineCompression(module: Assembler) {
  return { compress: defineCompress(module), columns: defineCompressColumns(module) };
}

/** For each of 16 sets of lanes, the bytes that move its lanes to the front. The order of the others does not matter. */
function laneOrders(): number[] {
  return Array.from({ length: 16 }, (_, set) => {
    const lanes = [0, 1, 2, 3].filter((lane) => (set >> lane) & 1);
    return [0, 1, 2, 3].flatMap((place) => [0, 1, 2, 3].map((byte) => 4 * (lanes[place] ?? 0) + byte));
  }).flat();
}

/** (rows, cols, from, x, starts, columns, values, table): `from` entries come before the first; the table is `laneOrders`. */
function defineCompress(module: Assembler) {
  return module.define(taking(8), ([rows, cols, from, x, starts, columns, values, table], declare) => {
    const [left, column, at, kept] = variables(declare, 'i32', 4);
    const [four, places, order] = variables(declare, 'v128', 3);
    // −0 is left out as well, a NaN is not.
    const takeFour: Code = [
      four.set(v128.load(x)),
      kept.set(i32x4.signs(f32x4.notEqual(four, declare.constant(0)))),
      order.set(v128.load(i32.add(table, i32.shiftLeft(kept, 4)))),
      v128.store(i32.add(columns, at), v128.swizzle(places, order)),
      v128.store(i32.add(values, at), v128.swizzle(four, order)),
      at.advance(i32.shiftLeft(i32.ones(kept), 2)),
      places.set(i32x4.add(places, i32x4.constant(4))),
    ];
    const takeOne: Code = [
      i32.store(i32.add(columns, at), column),
      i32.store(i32.add(values, at), i32.load(x)),
      at.advance(i32.shiftLeft(i32.notEqual(i32.shiftLeft(i32.load(x), 1), 0), 2)),
      column.step(1),
    ];
    return [
      i32.store(starts, from),
      at.set(i32.shiftLeft(from, 2)),
      whileAtLeast(rows, 1, [
        places.set(i32x4.lanes(0, 1, 2, 3)),
        left.set(cols),
        whileAtLeast(left, 4, [takeFour, x.step(16)]),
        column.set(i32.subtract(cols, left)),
        whileAtLeast(left, 1, [takeOne, x.step(4)]),
        starts.step(4),
        i32.store(starts, i32.shiftRight(at, 2)),
      ]),
    ];
  });
}

/** (rows, cols, x, starts, columns, values): the nonzeros of xᵀ. */
function defineCompressColumns(module: Assembler) {
  return module.define(taking(6), ([rows, cols, x, starts, columns, values], declare) => {
    const [left, row, from, bits, at, stride] = variables(declare, 'i32', 6);
    return [
      stride.set(i32.shiftLeft(cols, 2)),
      i32.store(starts, 0),
      whileAtLeast(cols, 1, [
        from.set(x),
        row.set(i32.constant(0)),
        repeat(left, rows, [
          bits.set(i32.load(from)),
          i32.store(i32.add(columns, at), row),
          i32.store(i32.add(values, at), bits),
          // −0 is left out as well, a NaN is not.
          at.advance(i32.shiftLeft(i32.notEqual(i32.shiftLeft(bits, 1), 0), 2)),
          row.step(1),
          from.advance(stride),
        ]),
        x.step(4),
        starts.step(4),
        i32.store(starts, i32.shiftRight(at, 2)),
      ]),
    ];
  });
}

/** The cost of an entry of x. */
const flops = 20;

export function compressionTwins(
  { compress, columns }: Routines<typeof defineCompression>,
  host: Host,
): CompressionKernels {
  const { memory } = host;
  const orders = laneOrders();
  const table = memory.take(orders.length);
  if (table >= 0) new Uint8Array(memory.buffer, table, orders.length).set(orders);
  return {
    compressRows: host.kernel(
      compressRows,
      [input32, output, output, output32],
      (rows, cols, x, outStarts, outColumns, outValues) => {
        if (table < 0) return null;
        const executor = host.chooseExecutor(flops * rows * cols);
        const section = executor.defer(compress);
        for (let i = 0; i < rows; i += sectionRows) {
          const [count, from, starts] = [Math.min(sectionRows, rows - i), i * cols, outStarts + 4 * startOf(i)];
          section(count, cols, from, x + 4 * from, starts, outColumns, outValues, table);
        }
        executor.finish();
        let entries = 0;
        for (let i = 0; i < rows; i += sectionRows) {
          entries += memory.entries(outStarts + 4 * startOf(i), Math.min(sectionRows, rows - i));
        }
        return entries;
      },
    ),
    compressColumns: host.kernel(
      compressColumns,
      [input32, output, output, output32],
      (rows, cols, x, outStarts, outColumns, outValues) => {
        columns(rows, cols, x, outStarts, outColumns, outValues);
        return memory.firstEntry(outStarts, cols);
      },
    ),
  };
}
