/** Products with few terms in a sum, where a mask is positive: routines and twins. */

import { maskedProduct } from '../../../kernels/batch/gradient.ts';
import type { Assembler, Code, Routines } from '../../assembler/assembler.ts';
import * as f32x4 from '../../assembler/instructions/f32x4.ts';
import * as i32 from '../../assembler/instructions/i32.ts';
import * as v128 from '../../assembler/instructions/v128.ts';
import { taking, variables, whileAtLeast } from '../../assembler/statements.ts';
import { input32, output32 } from '../../memory/marshal.ts';
import { type Host, inChunks } from '../../threads/executor.ts';
import { defineLayout } from '../dense/layout.ts';

/** Inner sizes from 1 to this have code of their own. */
export const mostTerms = 4;

export function defineMasked(module: Assembler) {
  return {
    /** By inner size − 1. */
    products: Array.from({ length: mostTerms }, (_, k) => defineProduct(module, k + 1)),
    layout: defineLayout(module),
  };
}

/** (m, n, a, b, bRow, mask, out): out[m×n] = A·B where the mask is positive. The rows of B stay in registers while those of A are read. */
function defineProduct(module: Assembler, k: number) {
  const wide = k <= 2 ? 4 : 2;
  return module.define(taking(7), ([m, n, a, b, bRow, mask, out], declare) => {
    const fromB = Array.from({ length: k }, () => variables(declare, 'v128', wide));
    const fromA = variables(declare, 'v128', k);
    const [row, left, aPointer, bPointer, maskPointer, outPointer] = variables(declare, 'i32', 6);
    const columns = (vectors: number, single: boolean): Code => {
      const load = single ? v128.loadOne : v128.load;
      const store = single ? v128.storeOne : v128.store;
      const width = single ? 1 : 4 * vectors;
      const value = (v: number): Code => {
        const [first, ...others] = fromA.map((factor, p) => f32x4.multiply(factor, fromB[p][v]));
        const sum = others.reduce((total, term) => f32x4.add(total, term), first);
        return v128.and(sum, f32x4.greater(load(maskPointer, 16 * v), declare.constant(0)));
      };
      return whileAtLeast(n, width, [
        bPointer.set(b),
        fromB.map((line) => [
          line.slice(0, vectors).map((vector, v) => vector.set(load(bPointer, 16 * v))),
          bPointer.advance(bRow),
        ]),
        left.set(m),
        aPointer.set(a),
        maskPointer.set(mask),
        outPointer.set(out),
        whileAtLeast(left, 1, [
          fromA.map((factor, p) => factor.set(v128.loadSplat(aPointer, 4 * p))),
          Array.from({ length: vectors }, (_, v) => store(outPointer, value(v), 16 * v)),
          aPointer.step(4 * k),
          [maskPointer, outPointer].map((pointer) => pointer.advance(row)),
        ]),
        [b, mask, out].map((pointer) => pointer.step(4 * width)),
      ]);
    };
    return [row.set(i32.shiftLeft(n, 2)), columns(wide, false), columns(1, false), columns(1, true)];
  });
}

export function maskedTwins({ products, layout }: Routines<typeof defineMasked>, host: Host) {
  return {
    maskedProduct: host.kernel(
      maskedProduct,
      [input32, input32, input32, output32],
      (rows, cols, inner, mask, a, b, out) => {
        const transposed = inner > 0 && inner <= mostTerms ? host.memory.scratch(4 * inner * cols) : -1;
        if (transposed < 0) return null;
        const product = products[inner - 1];
        layout.transpose(cols, inner, b, 4 * inner, transposed, 4 * cols);
        const executor = host.chooseExecutor(2 * rows * cols * inner);
        inChunks(executor, rows, product, (some, i, count) => {
          const at = 4 * i * cols;
          some(count, cols, a + 4 * i * inner, transposed, 4 * cols, mask + at, out + at);
        });
        return executor.finish();
      },
    ),
  };
}
