/** SIMD twins of the dense kernels. */

import * as plain from '../../../kernels/dense.ts';
import * as rowwise from '../../../kernels/rows.ts';
import type { TableKernels } from '../../../kernels/table.ts';
import { input32, output32 } from '../../memory/marshal.ts';
import { layout } from '../../memory/memory.ts';
import type { Host } from '../../threads/executor.ts';
import type { ElementwiseRoutines } from '../elementwise/elementwise.ts';
import type { DenseRoutines } from './tiles.ts';
import type { LayoutRoutines } from './layout.ts';
import { denseProduct, noFloor } from './product.ts';

export function denseTwins(
  routines: DenseRoutines,
  layouts: LayoutRoutines,
  elementwise: ElementwiseRoutines,
  host: Host,
) {
  const { products, distances, outers } = routines;
  const multiply = denseProduct(routines, layouts, elementwise, host);

  const multiplication = (
    twin: TableKernels['matmul'],
    transposesA: boolean,
    transposesB: boolean,
  ): TableKernels['matmul'] =>
    host.kernel(twin, [input32, input32, output32], (m, n, k, a, b, out, accumulate) => {
      const aRow = transposesA ? 4 : 4 * k;
      const aCol = transposesA ? 4 * m : 4;
      const bRow = transposesB ? 4 : 4 * n;
      const bCol = transposesB ? 4 * k : 4;
      const c = accumulate ? out : layout.zeros;
      const cCol = accumulate ? 4 : 0;
      return multiply(products, m, n, k, a, aRow, aCol, b, bRow, bCol, c, n * cCol, cCol, out, noFloor);
    });

  return {
    matmul: multiplication(plain.matmul, false, false),
    matmulTransposeA: multiplication(plain.matmulTransposeA, true, false),
    matmulTransposeB: multiplication(plain.matmulTransposeB, false, true),
    dense: host.kernel(
      plain.dense,
      [input32, input32, input32, output32],
      (activation, m, n, k, x, weights, bias, out) => {
        const floor = activation === 'relu' ? 0 : noFloor;
        const biasCol = bias ? 4 : 0;
        const done = multiply(products, m, n, k, x, 4 * k, 4, weights, 4 * n, 4, bias, 0, biasCol, out, floor);
        if (done === null || activation === 'identity' || activation === 'relu') return done;
        return elementwise.activations[activation](m * n, out, out);
      },
    ),
    squaredDistances: host.kernel(plain.squaredDistances, [input32, input32, output32], (m, n, d, a, b, out) =>
      multiply(distances, m, n, d, a, 4 * d, 4, b, 4, 4 * d, layout.zeros, 0, 0, out, noFloor),
    ),
    /** x plus the product of a column of ones with the bias. */
    addBias: host.kernel(rowwise.addBias, [input32, input32, output32], (rows, cols, x, bias, out) => {
      const row = 4 * cols;
      return outers[0](rows, cols, layout.one, 0, bias, row, x, row, 4, out, row, noFloor);
    }),
    /** A row of ones times x. */
    columnSums: host.kernel(rowwise.columnSums, [input32, output32], (rows, cols, x, out, accumulate) => {
      const c = accumulate ? out : layout.zeros;
      const cCol = accumulate ? 4 : 0;
      const row = 4 * cols;
      return multiply(products, 1, cols, rows, layout.one, 0, 0, x, row, 4, c, cols * cCol, cCol, out, noFloor);
    }),
  };
}
