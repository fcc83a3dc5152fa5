/** Slices of a CSR matrix and unions of neighbors: routines and twins. */

import { plainSlice, type SliceKernels } from '../../../kernels/batch/slice.ts';
import type { Assembler, Code, Local, Routines } from '../../assembler/assembler.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { byPrecision, held, input, output, output32 } from '../../memory/marshal.ts';
import type { Host } from '../../threads/executor.ts';
import type { Bytes } from '../columns.ts';
import { element, entriesOf } from '../loops.ts';

export function defineSlices(module: Assembler) {
  return { single: defineSlice(module, 4), double: defineSlice(module, 8), union: defineUnion(module) };
}

/** (count, rows, starts, columns, values, outStarts, outColumns, outValues), for values of so many bytes. */
function defineSlice(module: Assembler, valueBytes: Bytes) {
  /** The bytes of as many values as there are columns in these bytes. */
  const ofValues = (bytes: Local): Code => (valueBytes === 8 ? i32.shiftLeft(bytes, 1) : bytes);
  return module.define(taking(8), (locals, declare) => {
    const [count, rows, starts, columns, values, outStarts, outColumns, outValues] = locals;
    const [row, bytes, at] = variables(declare, 'i32', 3);
    return [
      i32.store(outStarts, 0),
      whileAtLeast(count, 1, [
        row.set(element(starts, i32.load(rows))),
        bytes.set(i32.shiftLeft(entriesOf(row), 2)),
        row.set(i32.shiftLeft(i32.load(row), 2)),
        i32.copy(i32.add(outColumns, at), i32.add(columns, row), bytes),
        i32.copy(i32.add(outValues, ofValues(at)), i32.add(values, ofValues(row)), ofValues(bytes)),
        at.advance(bytes),
        outStarts.step(4),
        i32.store(outStarts, i32.shiftRight(at, 2)),
        rows.step(4),
      ]),
    ];
  });
}

/** (count, batch, starts, columns, stamp, stamps, out): returns how many rows were visited. */
function defineUnion(module: Assembler) {
  return module.define({ ...taking(7), result: 'i32' }, (locals, declare) => {
    const [count, batch, starts, columns, stamp, stamps, out] = locals;
    const [left, row, entries, column, mark, end] = variables(declare, 'i32', 6);
    const visit = (list: Local): Code => [
      i32.store(end, i32.load(list)),
      mark.set(element(stamps, i32.load(list))),
      end.advance(i32.shiftLeft(i32.notEqual(i32.load(mark), stamp), 2)),
      i32.store(mark, stamp),
      list.step(4),
    ];
    return [
      end.set(out),
      row.set(batch),
      left.set(count),
      whileAtLeast(left, 1, visit(row)),
      whileAtLeast(count, 1, [
        row.set(element(starts, i32.load(batch))),
        entries.set(entriesOf(row)),
        column.set(element(columns, i32.load(row))),
        whileAtLeast(entries, 1, visit(column)),
        batch.step(4),
      ]),
      i32.shiftRight(i32.subtract(end, out), 2),
    ];
  });
}

export function sliceTwins({ single, double, union }: Routines<typeof defineSlices>, { kernel }: Host): SliceKernels {
  const { csrSlice } = plainSlice;
  return {
    csrSlice: byPrecision(
      4,
      kernel(csrSlice, [input, held, held, held, output, output, output32], single),
      kernel(csrSlice, [input, held, held, held, output, output, output], double),
    ),
    neighborUnion: kernel(plainSlice.neighborUnion, [input, held, held, held, output], union),
  };
}
