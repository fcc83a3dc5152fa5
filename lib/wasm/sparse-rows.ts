/** Which kernel multiplies some rows of a sparse matrix? It is compiled when it is first asked for. */

import { csrRowsMatmul, plainSparseRows, type SparseRowKernels } from '../kernels/sparse-rows.ts';
import { layout } from './memory.ts';
import type { Routines } from './module.ts';
import { kernelFamily } from './simd.ts';
import { blockFor, csrWidths, defineProducts } from './sparse-code.ts';
import type { Stage } from './stage.ts';

/** The SIMD twin where SIMD is on, else the plain one. */
export const sparseRowKernels = kernelFamily(plainSparseRows, defineProducts, sparseRowTwins);

/** Falls back on the plain twin for Float64 and for want of room. */
export function sparseRowTwins(wasm: Routines, stage: Stage): SparseRowKernels {
  const products = csrWidths.map((width) => wasm[`csr${width}`]);
  return {
    csrRowsMatmul(count, width, rows, starts, columns, values, x, out) {
      if (!stage.open(starts, columns, values, x, out)) {
        return csrRowsMatmul(count, width, rows, starts, columns, values, x, out);
      }
      const [firstStart, firstColumn, firstValue] = [stage.at(starts), stage.at(columns), stage.at(values)];
      for (let c = 0; c < width;) {
        const block = blockFor(width - c);
        const from = stage.at(x) + 4 * c;
        let to = stage.at(out) + 4 * c;
        for (let i = 0; i < count; i++, to += 4 * width) {
          const skip = 4 * starts[rows[i]];
          const start = firstStart + 4 * rows[i];
          products[block](1, start, firstColumn + skip, firstValue + skip, from, 4 * width, layout.zeros, 0, to, 0);
        }
        c += csrWidths[block];
      }
      stage.close(out);
    },
  };
}
