/** Rows of matrices of either precision, multiplied by Float64 factors: routines. */

import type { Assembler, Code } from '../../assembler/assembler.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import { taking } from '../../assembler/statements.ts';
import { type Bytes, forEachRowPair, type Pair, rowFactor, stridedRows } from '../columns.ts';

/**
 * (count, columns, factors, step, x, xRow, out, outRow): row i of out ← factors[i]·(row i of x), rounded once. Factors are `step` bytes
 * apart, rows xRow and outRow bytes. By the bytes of a number of x, and of out.
 */
export function defineScaleRows(module: Assembler) {
  const ofTypes = (from: Bytes, to: Bytes) =>
    module.define(taking(8), ([count, columns, factors, step, x, xRow, out, outRow], declare) => {
      const factor = declare('v128');
      const [source, target] = [stridedRows(declare, x, xRow, from), stridedRows(declare, out, outRow, to)];
      const scale = (pair: Pair): Code => target.store(pair, f64x2.multiply(factor, source.load(pair)));
      return forEachRowPair(declare, count, columns, [source, target], scale, rowFactor(factor, factors, step));
    });
  const doubles = ofTypes(8, 8);
  return {
    /** To Float64, by the bytes of a number of x. */
    fromRows: { 4: ofTypes(4, 8), 8: doubles },
    /** From Float64, by the bytes of a number of out. */
    toRows: { 4: ofTypes(8, 4), 8: doubles },
  };
}
