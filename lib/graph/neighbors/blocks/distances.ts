/** The distances between all rows of two blocks of points, under any norm. */

import { squareOfSum } from '../../../kernels/nearest/powers.ts';
import { kernels } from '../../../kernels/table.ts';
import type { Floats } from '../../../kernels/types.ts';
import { nearestKernels } from '../../../wasm/families.ts';

/**
 * out[m×n] = the squared distances of the rows of a[m×cols] and b[n×cols], in single precision. `sums` has room for as many sums of
 * powers, where the norm is not Euclidean.
 */
export function measureDistances(
  power: number,
  m: number,
  n: number,
  cols: number,
  a: Floats,
  b: Floats,
  sums: Float64Array,
  out: Float32Array,
): void {
  if (power === 2) {
    kernels.squaredDistances(m, n, cols, a, b, out);
    return;
  }
  nearestKernels().powerSums(m, n, cols, power, a, b, sums);
  for (let e = 0; e < m * n; e++) out[e] = squareOfSum(power, sums[e]);
}
