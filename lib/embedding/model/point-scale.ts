/** Rescaling of points to order one, which the initial weights and learning rates of a network assume. */

import { largestMagnitude } from '../../linalg/matrix.ts';
import type { Points } from '../../network/layers/inputs.ts';
import type { Network } from '../../network/bodies/network.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import { Tensor } from '../../tensor/tensor.ts';

/** Points whose largest magnitude is in this range are not rescaled. */
const orderOne = { least: 1 / 8, most: 8 };

/** 1 for points of order one, else the power of two nearest to their largest magnitude. Division by it does not round. */
export function scaleOf(points: Points): number {
  return scaleFor(largestMagnitude(points instanceof CsrMatrix ? points.values : points.data));
}

/** `scaleOf` points of this largest magnitude. */
export function scaleFor(largest: number): number {
  if (largest === 0 || (largest >= orderOne.least && largest <= orderOne.most)) return 1;
  return 2 ** Math.round(Math.log2(largest));
}

/** The points divided by the scale; the points themselves if it is 1. */
export function dividePoints(points: Points, scale: number): Points {
  if (scale === 1) return points;
  if (!(points instanceof CsrMatrix))
    return new Tensor(
      points.data.map((value) => value / scale),
      points.shape,
    );
  const { rows, cols, starts, columns, values } = points;
  return new CsrMatrix(
    rows,
    cols,
    starts,
    columns,
    values.map((value) => value / scale),
  );
}

/** Divides the weights of the first layer by the scale, in place. The network then takes the original points. */
export function absorbScale(network: Network, scale: number): void {
  const { data } = network.layers[0].weights;
  for (let i = 0; i < data.length; i++) data[i] /= scale;
}
