/** Routines for a batch of listed rows of a CSR matrix. */

import type { Assembler, Bound, Code, Local } from '../../assembler/assembler.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { defineScale } from '../elementwise/code.ts';
import { element, entriesOf } from '../loops.ts';
import { defineAdamOthers, defineAdamProduct } from './adam-code.ts';
import { defineSampledProduct, defineTranspose } from './gradient-code.ts';
import { defineListedProducts } from './listed-code.ts';
import { defineMove, defineReplacement } from './move-code.ts';

export type BatchRoutines = Bound<ReturnType<typeof defineBatch>>;

/** Rows of up to so many columns are replaced and moved by code of their own, without loops over so few. */
const widest = 8;

export function defineBatch(module: Assembler) {
  const byWidth = <T>(define: (width: number) => T): T[] => Array.from({ length: widest }, (_, i) => define(i + 1));
  return {
    listed: defineListedProducts(module),
    slice: defineSlice(module),
    union: defineUnion(module),
    fetchKept: defineFetchKept(module),
    /** By width − 1. */
    replacements: byWidth((width) => defineReplacement(module, width)),
    moves: byWidth((width) => defineMove(module, width)),
    transpose: defineTranspose(module),
    sampledProduct: defineSampledProduct(module),
    adamProduct: defineAdamProduct(module),
    adamOthers: defineAdamOthers(module),
    /** (n, a, out, factor): out += factor·a. */
    scaleAdd: defineScale(module, true),
  };
}

/** (count, rows, starts, columns, values, outStarts, outColumns, outValues) */
function defineSlice(module: Assembler) {
  return module.define(taking(8), (locals, declare) => {
    const [count, rows, starts, columns, values, outStarts, outColumns, outValues] = locals;
    const [row, bytes, at] = variables(declare, 'i32', 3);
    return [
      i32.store(outStarts, i32.constant(0)),
      whileAtLeast(count, 1, [
        row.set(element(starts, i32.load(rows))),
        bytes.set(i32.shiftLeft(entriesOf(row), 2)),
        row.set(i32.shiftLeft(i32.load(row), 2)),
        i32.copy(i32.add(outColumns, at), i32.add(columns, row), bytes),
        i32.copy(i32.add(outValues, at), i32.add(values, row), bytes),
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

/**
 * (count, rows, mass, eta, etaStep, kept, keptStep): reads what is kept of the listed rows, which lie anywhere. Waiting for many
 * at once takes less time than waiting for one after the other. The result has no meaning.
 */
function defineFetchKept(module: Assembler) {
  return module.define({ ...taking(7), result: 'i32' }, (locals, declare) => {
    const [count, rows, mass, eta, etaStep, kept, keptStep] = locals;
    const [row, seen] = variables(declare, 'i32', 2);
    const touch = (array: Local, step: Code): Code =>
      seen.set(i32.xor(seen, i32.load(i32.add(array, i32.multiply(row, step)))));
    return [
      whileAtLeast(count, 1, [
        row.set(i32.load(rows)),
        touch(mass, i32.constant(8)),
        touch(eta, etaStep),
        touch(kept, keptStep),
        rows.step(4),
      ]),
      seen,
    ];
  });
}
