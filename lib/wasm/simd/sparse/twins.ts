/** SIMD twins of the sparse products, put together from blocks of columns. */

import * as plain from '../../../kernels/sparse.ts';
import type { Kernels } from '../../../kernels/table.ts';
import { input, input32, type Marshal, output, output32, value } from '../../memory/marshal.ts';
import { layout } from '../../memory/memory.ts';
import { type ChooseExecutor, inChunks } from '../../threads/executor.ts';
import type { LayoutRoutines } from '../dense/layout-code.ts';
import { blockFor, csrWidths, type SparseRoutines } from './code.ts';

type SparseTwins = Pick<Kernels, 'csrMatmul' | 'csrTransposeMatmul' | 'csrRowSums'>;

export function sparseTwins(
  { products, transposed, rowSums }: SparseRoutines,
  { clear }: LayoutRoutines,
  marshal: Marshal,
  chooseExecutor: ChooseExecutor,
): SparseTwins {
  const { memory } = marshal;
  return {
    csrMatmul: marshal.kernel(
      plain.csrMatmul,
      [value, value, input, input, input32, input32, output32, value],
      (rows, width, starts, columns, values, x, out, accumulate) => {
        const executor = chooseExecutor(2 * memory.entries(starts, rows) * width);
        const row = 4 * width;
        for (let c = 0; c < width;) {
          const block = blockFor(width - c);
          inChunks(executor, rows, products[block], (product, i, count) => {
            const to = out + i * row + 4 * c;
            const from = accumulate ? to : layout.zeros;
            const fromRow = accumulate ? row : 0;
            const first = 4 * memory.firstEntry(starts, i);
            product(count, starts + 4 * i, columns + first, values + first, x + 4 * c, row, from, fromRow, to, row);
          });
          c += csrWidths[block];
        }
        executor.finish();
      },
    ),
    csrTransposeMatmul: marshal.kernel(
      plain.csrTransposeMatmul,
      [value, value, value, input, input, input32, input32, output32, value],
      (rows, cols, width, starts, columns, values, x, out, accumulate) => {
        const row = 4 * width;
        const first = 4 * memory.firstEntry(starts, 0);
        if (!accumulate) clear(out, cols * row);
        for (let c = 0; c < width;) {
          const block = blockFor(width - c);
          transposed[block](rows, starts, columns + first, values + first, x + 4 * c, row, out + 4 * c, row);
          c += csrWidths[block];
        }
      },
    ),
    csrRowSums: marshal.kernel(plain.csrRowSums, [value, input, input32, output], (rows, starts, values, out) =>
      rowSums(rows, starts, values + 4 * memory.firstEntry(starts, 0), out),
    ),
  };
}
