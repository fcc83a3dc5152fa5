/** Products with few terms in a sum, where a mask is positive: routines and twins. */

import { maskedProduct } from '../../../kernels/batch/gradient.ts';
import type { Assembler, Routines } from '../../assembler/assembler.ts';
import { input32, output32 } from '../../memory/marshal.ts';
import { type Host, inChunks } from '../../threads/executor.ts';
import { defineLayout } from '../dense/layout.ts';
import { defineOuter } from '../dense/tiles.ts';

/** Inner sizes from 1 to this have code of their own. */
export const mostTerms = 4;

export function defineMasked(module: Assembler) {
  return {
    /** By inner size − 1. */
    products: Array.from({ length: mostTerms }, (_, k) => defineOuter(module, k + 1, 'mask')),
    layout: defineLayout(module),
  };
}

export function maskedTwins({ products, layout }: Routines<typeof defineMasked>, host: Host) {
  return {
    maskedProduct: host.kernel(
      maskedProduct,
      [input32, input32, input32, output32],
      (rows, cols, inner, mask, a, b, out) => {
        const transposed = inner > 0 && inner <= mostTerms ? host.memory.scratch(4 * inner * cols) : -1;
        if (transposed < 0) return null;
        const [aRow, row] = [4 * inner, 4 * cols];
        layout.transpose(cols, inner, b, aRow, transposed, row);
        const executor = host.chooseExecutor(2 * rows * cols * inner);
        inChunks(executor, rows, products[inner - 1], (product, i, count) => {
          product(count, cols, a + i * aRow, aRow, transposed, row, mask + i * row, row, 4, out + i * row, row, 0);
        });
        return executor.finish();
      },
    ),
  };
}
