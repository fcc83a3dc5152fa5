/** SIMD twins of the kernels on rows. */

import * as plain from '../../../kernels/rows.ts';
import type { Kernels } from '../../../kernels/table.ts';
import { input, input32, isSingle, type Marshal, output32, value } from '../../memory/marshal.ts';
import type { LayoutRoutines } from '../dense/layout-code.ts';
import type { RowRoutines } from './code.ts';

type RowTwins = Pick<Kernels, 'gatherRows' | 'scatterAddRows' | 'scaleRows' | 'transpose'>;

export function rowTwins(routines: RowRoutines, { transpose }: LayoutRoutines, marshal: Marshal): RowTwins {
  const { gather, scatterAdd } = routines;
  const [scale, scale64] = [routines.scale, routines.scale64].map(({ set, add }) =>
    marshal.kernel(
      plain.scaleRows,
      [value, value, input, input32, output32, value],
      (rows, cols, factors, x, out, accumulate) => (accumulate ? add : set)(rows, cols, factors, x, out),
    ),
  );
  return {
    gatherRows: marshal.kernel(plain.gatherRows, [value, value, input, input32, output32], gather),
    scatterAddRows: marshal.kernel(plain.scatterAddRows, [value, value, input, input32, output32], scatterAdd),
    scaleRows: (rows, cols, factors, x, out, accumulate) =>
      (isSingle(factors) ? scale : scale64)(rows, cols, factors, x, out, accumulate),
    transpose: marshal.kernel(
      plain.transpose,
      [value, value, input32, output32, value],
      (rows, cols, x, out, accumulate) => (accumulate ? null : transpose(rows, cols, x, 4 * cols, out, 4 * rows)),
    ),
  };
}
