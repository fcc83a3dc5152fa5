/** In which unit are points of size one, as the first layer and the rates of a network take them to be? */

import { largestMagnitude } from '../../linalg/matrix.ts';
import type { Points } from '../../network/layers/inputs.ts';
import type { Mlp } from '../../network/bodies/mlp.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import { Tensor } from '../../tensor/tensor.ts';

/** Points whose largest number is within these are left as they are. */
const usual = { least: 1 / 8, most: 8 };

/** A power of two, so that nothing is rounded: 1, or where the points are much larger or smaller, near their largest number. */
export function unitOf(points: Points): number {
  const largest = largestMagnitude(points instanceof CsrMatrix ? points.values : points.data);
  if (largest === 0 || (largest >= usual.least && largest <= usual.most)) return 1;
  return 2 ** Math.round(Math.log2(largest));
}

/** The points themselves where the unit is 1. */
export function inUnits(points: Points, unit: number): Points {
  if (unit === 1) return points;
  if (!(points instanceof CsrMatrix))
    return new Tensor(
      points.data.map((value) => value / unit),
      points.shape,
    );
  const { rows, cols, starts, columns, values } = points;
  return new CsrMatrix(
    rows,
    cols,
    starts,
    columns,
    values.map((value) => value / unit),
  );
}

/** A network of points in units becomes one of the points, in place: the first layer divides. */
export function takeUnit(network: Mlp, unit: number): void {
  const { data } = network.layers[0].weights;
  for (let i = 0; i < data.length; i++) data[i] /= unit;
}
