/** Projection of points that lie near a plane of few dimensions onto that plane. */

import type { Random } from '../../../core/random.ts';
import { kernels } from '../../../kernels/table.ts';
import { reduceKernels } from '../../../wasm/families.ts';
import { thinQr } from '../../../linalg/qr.ts';
import { type Tensor, zeros } from '../../../tensor/tensor.ts';

/** Columns after the projection. */
const fewer = 96;
/** The smallest number of columns for which a projection pays. */
const worthwhile = 2 * fewer;
/** The largest number of points to which the plane is fitted. */
const sampleSize = 2000;
/** The plane has to contain this fraction of the sample's variance. */
const enough = 0.85;

/**
 * The points' coordinates in approximately the plane of largest variance, found by subspace iteration on a sample (Halko,
 * Martinsson & Tropp 2011). Returns the points themselves if that would lose too much or gain too little. Distances can only
 * shrink. n·d·96·2 flops.
 */
export function withFewerColumns(points: Tensor, random: Random): Tensor {
  const { rows, cols } = points;
  if (cols < worthwhile || rows < worthwhile) return points;
  const sample = centeredSample(points, random);
  const start = zeros([cols, fewer]);
  random.fillNormal(start.data);
  const plane = improve(sample, improve(sample, start));
  const [inPlane, overall] = [product(sample, plane), sample].map(({ size, data }) =>
    reduceKernels().dot(size, data, data),
  );
  return inPlane < enough * overall ? points : product(points, plane);
}

function centeredSample({ rows, cols, data }: Tensor, random: Random): Tensor {
  const chosen = random.permutation(rows).subarray(0, sampleSize);
  const sample = zeros([chosen.length, cols]);
  kernels.gatherRows(chosen.length, cols, chosen, data, sample.data);
  const mean = zeros([cols]);
  kernels.columnSums(chosen.length, cols, sample.data, mean.data, false);
  kernels.scale(cols, -1 / chosen.length, mean.data, mean.data, false);
  kernels.addBias(chosen.length, cols, sample.data, mean.data, sample.data);
  return sample;
}

/** An orthonormal basis of XᵀX·basis. */
function improve(x: Tensor, basis: Tensor): Tensor {
  const next = zeros(basis.shape);
  kernels.matmulTransposeA(x.cols, basis.cols, x.rows, x.data, product(x, basis).data, next.data, false);
  return thinQr(next).q.copy('single');
}

function product(x: Tensor, basis: Tensor): Tensor {
  const out = zeros([x.rows, basis.cols]);
  kernels.matmul(x.rows, basis.cols, x.cols, x.data, basis.data, out.data, false);
  return out;
}
