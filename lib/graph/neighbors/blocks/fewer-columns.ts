/** Projection of points that lie near a plane of few dimensions onto that plane. */

import type { Random } from '../../../core/random.ts';
import { kernels } from '../../../kernels/table.ts';
import { reduceKernels } from '../../../wasm/families.ts';
import { thinQr } from '../../../linalg/qr.ts';
import { type Tensor, zeros } from '../../../tensor/tensor.ts';

/** Columns after the projection. */
const fewer = 128;
/** The smallest number of columns for which a projection pays. */
const worthwhile = 192;
/** The largest number of points to which the plane is fitted. */
const sampleSize = 2000;
/** The plane has to contain this fraction of the sample's variance. */
const enough = 0.85;

/** Points for a rough search. */
export interface RoughPoints {
  readonly points: Tensor;
  /** Added to the squared distances of each point to all others. */
  readonly surplus: Float32Array;
}

/**
 * What the plane leaves out of the squared distance of two neighbors, as a fraction of their squared distances from the plane: 0 if
 * they leave it in the same direction, 1 if in independent ones. With 1/2, the 24 nearest of a point contain 960 in 1,000 of the true
 * 15 nearest, the point itself counted, in Fashion-MNIST, compared with 938 for 0 and 946 for 1; in MNIST 991, compared with 986 and 985.
 * On 200 sampled points.
 */
const leftOut = 0.5;

/** The points themselves. */
export function asGiven(points: Tensor): RoughPoints {
  return { points, surplus: new Float32Array(points.rows) };
}

/**
 * The points' coordinates in approximately the plane of largest variance, found by subspace iteration on a sample (Halko,
 * Martinsson & Tropp 2011), and an estimate of what the plane leaves out of their distances. Returns the points themselves if
 * that would lose too much or gain too little. n·d·128·2 flops.
 */
export function withFewerColumns(points: Tensor, random: Random): RoughPoints {
  const { rows, cols } = points;
  if (cols < worthwhile || rows < worthwhile) return asGiven(points);
  const { sample, shift } = centeredSample(points, random);
  const start = zeros([cols, fewer]);
  random.fillNormal(start.data);
  const plane = improve(sample, improve(sample, start));
  const [inPlane, overall] = [product(sample, plane), sample].map(({ size, data }) =>
    reduceKernels().dot(size, data, data),
  );
  if (inPlane < enough * overall) return asGiven(points);
  const projected = product(points, plane);
  return { points: projected, surplus: surplusOf(points, shift, projected, product(shift, plane)) };
}

/** leftOut·(‖x + shift‖² − ‖projection of x + shift‖²) for each row x. */
function surplusOf(points: Tensor, shift: Tensor, projected: Tensor, projectedShift: Tensor): Float32Array {
  const surplus = new Float32Array(points.rows);
  for (let i = 0; i < points.rows; i++) {
    const outside = shiftedSquare(points, i, shift) - shiftedSquare(projected, i, projectedShift);
    surplus[i] = leftOut * Math.max(0, outside);
  }
  return surplus;
}

function shiftedSquare({ cols, data }: Tensor, row: number, shift: Tensor): number {
  let sum = 0;
  for (let p = 0, at = row * cols; p < cols; p++, at++) {
    const value = data[at] + shift.data[p];
    sum += value * value;
  }
  return sum;
}

/** A sample of the points, and the row that was added to each point to center it: −mean. */
function centeredSample({ rows, cols, data }: Tensor, random: Random): { sample: Tensor; shift: Tensor } {
  const chosen = random.permutation(rows).subarray(0, sampleSize);
  const sample = zeros([chosen.length, cols]);
  kernels.gatherRows(chosen.length, cols, chosen, data, sample.data);
  const shift = zeros([1, cols]);
  kernels.columnSums(chosen.length, cols, sample.data, shift.data, false);
  kernels.scale(cols, -1 / chosen.length, shift.data, shift.data, false);
  kernels.addBias(chosen.length, cols, sample.data, shift.data, sample.data);
  return { sample, shift };
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
