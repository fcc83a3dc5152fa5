/** A tile of a Gram matrix in Float64, whose sums stay in registers: routine. */

import type { Assembler } from '../../assembler/assembler.ts';
import * as f64x2 from '../../assembler/instructions/f64x2.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { type Bytes, loadTwice, pairsOf } from '../columns.ts';
import { addProduct64, clearSums } from '../loops.ts';

/**
 * (rows, a, aRow, b, bRow, weights, weightStep, out, outRow): out[p×q] = Σᵢ weights[i]·a[i,·]ᵀ·b[i,·], or, with `accumulate`, out plus
 * that sum. The numbers of a and b have `bytes` bytes, weights and out are Float64. All strides are in bytes.
 */
export function defineGramTile(module: Assembler, p: number, q: number, bytes: Bytes, accumulate: boolean) {
  return module.define(taking(9), (locals, declare) => {
    const [rows, a, aRow, b, bRow, weights, weightStep, out, outRow] = locals;
    const [pairs, outPairs] = [pairsOf(q, bytes), pairsOf(q)];
    const sums = Array.from({ length: p }, () => variables(declare, 'v128', pairs.length));
    const fromB = variables(declare, 'v128', pairs.length);
    const factor = declare('v128');
    return [
      clearSums(sums.flat()),
      whileAtLeast(rows, 1, [
        factor.set(v128.loadSplat64(weights)),
        pairs.map(({ load }, h) => fromB[h].set(f64x2.multiply(factor, load(b)))),
        sums.map((line, r) => [
          factor.set(loadTwice(bytes, a, r)),
          line.map((sum, h) => addProduct64(sum, factor, fromB[h])),
        ]),
        a.advance(aRow),
        b.advance(bRow),
        weights.advance(weightStep),
      ]),
      sums.map((line) => [
        outPairs.map(({ load, store }, h) => store(out, accumulate ? f64x2.add(load(out), line[h]) : line[h])),
        out.advance(outRow),
      ]),
    ];
  });
}
