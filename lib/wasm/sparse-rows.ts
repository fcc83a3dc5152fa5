/** Which kernel multiplies some rows of a sparse matrix? It is compiled when it is first asked for. */

import { csrRowsMatmul, plainSparseRows, type SparseRowKernels } from '../kernels/sparse-rows.ts';
import { layout } from './memory.ts';
import type { Routines } from './module.ts';
import { kernelFamily } from './simd.ts';
import { blockFor, csrWidths, defineListedProducts } from './sparse-code.ts';
import { isSingle, type Stage } from './stage.ts';

/** The SIMD twin where SIMD is on, else the plain one. */
export const sparseRowKernels = kernelFamily(plainSparseRows, defineListedProducts, sparseRowTwins);

/** Falls back on the plain twin for Float64 and for want of room. */
export function sparseRowTwins(wasm: Routines, stage: Stage): SparseRowKernels {
  const products = csrWidths.map((width) => wasm[`csrRows${width}`]);
  return {
    csrRowsMatmul(count, width, rows, starts, columns, values, x, out) {
      if (!isSingle(values) || !isSingle(x) || !isSingle(out) || !stage.admit(rows, starts, columns, values, x, out)) {
        return csrRowsMatmul(count, width, rows, starts, columns, values, x, out);
      }
      for (let c = 0; c < width;) {
        const block = blockFor(width - c);
        products[block](
          count,
          stage.at(rows),
          stage.at(starts),
          stage.at(columns),
          stage.at(values),
          stage.at(x) + 4 * c,
          4 * width,
          layout.zeros,
          stage.at(out) + 4 * c,
          4 * width,
        );
        c += csrWidths[block];
      }
      stage.close(out);
    },
  };
}
