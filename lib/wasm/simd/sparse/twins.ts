/** How is a sparse product of any width put together from blocks of columns? Each falls back on its plain twin for Float64 and for want of room. */

import { type Share, strip } from '../../threads/crew.ts';
import * as plain from '../../../kernels/sparse.ts';
import type { Kernels } from '../../../kernels/table.ts';
import { layout } from '../../memory/memory.ts';
import type { Routines } from '../module.ts';
import { blockFor, csrWidths } from './code.ts';
import { isSingle, type Stage } from '../../memory/stage.ts';

type SparseTwins = Pick<Kernels, 'csrMatmul' | 'csrTransposeMatmul' | 'csrRowSums'>;

export function sparseTwins(wasm: Routines, stage: Stage, share: Share): SparseTwins {
  const products = csrWidths.map((width) => wasm[`csr${width}`]);
  const transposed = csrWidths.map((width) => wasm[`csrT${width}`]);
  return {
    csrMatmul(rows, width, starts, columns, values, x, out, accumulate) {
      if (!stage.open(starts, columns, values, x, out)) {
        return plain.csrMatmul(rows, width, starts, columns, values, x, out, accumulate);
      }
      const crew = share(2 * (starts[rows] - starts[0]) * width);
      const step = strip(rows, crew);
      for (let c = 0; c < width;) {
        const block = blockFor(width - c);
        const product = crew.later(products[block]);
        for (let i = 0; i < rows; i += step) {
          const to = stage.at(out) + 4 * (i * width + c);
          product(
            Math.min(step, rows - i),
            stage.at(starts) + 4 * i,
            stage.at(columns) + 4 * starts[i],
            stage.at(values) + 4 * starts[i],
            stage.at(x) + 4 * c,
            4 * width,
            accumulate ? to : layout.zeros,
            accumulate ? 4 * width : 0,
            to,
            4 * width,
          );
        }
        c += csrWidths[block];
      }
      crew.finish();
      stage.close(out);
    },
    csrTransposeMatmul(rows, cols, width, starts, columns, values, x, out, accumulate) {
      if (!stage.open(starts, columns, values, x, out)) {
        return plain.csrTransposeMatmul(rows, cols, width, starts, columns, values, x, out, accumulate);
      }
      if (!accumulate) wasm.clear(stage.at(out), 4 * cols * width);
      const first = 4 * starts[0];
      for (let c = 0; c < width;) {
        const block = blockFor(width - c);
        transposed[block](
          rows,
          stage.at(starts),
          stage.at(columns) + first,
          stage.at(values) + first,
          stage.at(x) + 4 * c,
          4 * width,
          stage.at(out) + 4 * c,
          4 * width,
        );
        c += csrWidths[block];
      }
      stage.close(out);
    },
    csrRowSums(rows, starts, values, out) {
      if (!isSingle(values) || !stage.admit(starts, values, out)) return plain.csrRowSums(rows, starts, values, out);
      wasm.csrRowSums(rows, stage.at(starts), stage.at(values) + 4 * starts[0], stage.at(out));
      stage.close(out);
    },
  };
}
