/**
 * Aligns learned coordinates with the exact eigenvectors. Signs are free, and so are rotations within a repeated
 * eigenvalue.
 */

import type { Graph } from '../../../lib/graph/graph.ts';
import { thinSvd } from '../../../lib/linalg/eigen.ts';
import { alignRotation } from '../../../lib/linalg/subspace.ts';
import type { Spectrum } from '../../../lib/spectral/spectrum/spectrum.ts';
import { type Tensor, zeros } from '../../../lib/tensor/tensor.ts';

/** Eigenvalues that differ by less than this count as repeated. */
const sameValue = 1e-6;

/**
 * The nontrivial eigenvectors. In a graph of several components, the constant vector is projected out of the eigenspace
 * of 1.
 */
export function nontrivial({ degrees, volume, components }: Graph, { vectors }: Spectrum): Tensor<Float64Array> {
  const count = vectors.cols - 1;
  const repeated = Math.min(components.count, vectors.cols);
  const result = part(vectors, 1, count);
  if (repeated < 2) return result;
  const weighted = part(vectors, 0, repeated);
  const means = new Float64Array(repeated);
  for (let p = 0; p < weighted.size; p++) {
    means[p % repeated] += (degrees[Math.floor(p / repeated)] * weighted.data[p]) / volume;
  }
  for (let p = 0; p < weighted.size; p++) {
    weighted.data[p] = Math.sqrt(degrees[Math.floor(p / repeated)]) * (weighted.data[p] - means[p % repeated]);
  }
  const { u } = thinSvd(weighted); // the last singular value is zero: the constant was removed
  for (let i = 0; i < result.rows; i++) {
    const scale = Math.sqrt(volume / degrees[i]);
    for (let k = 0; k + 1 < repeated; k++) result.data[i * count + k] = scale * u.data[i * u.cols + k];
  }
  return result;
}

/** The K×K rotation that best aligns the coordinates with the exact ones, separately for each repeated eigenvalue. */
export function rotationTo(truth: Tensor, eigenvalues: ArrayLike<number>, coordinates: Tensor): Tensor<Float64Array> {
  const k = truth.cols;
  const result = zeros([k, k], 'double');
  for (let first = 0; first < k;) {
    let end = first + 1;
    while (end < k && eigenvalues[first] - eigenvalues[end] < sameValue) end++;
    const [ours, exact] = [part(coordinates, first, end - first), part(truth, first, end - first)];
    if (end - first === 1) result.data[first * k + first] = signOf(ours.data, exact.data);
    else {
      const { rotation } = alignRotation(ours, exact);
      for (let i = 0; i < rotation.rows; i++) {
        for (let j = 0; j < rotation.cols; j++) {
          result.data[(first + i) * k + first + j] = rotation.data[i * rotation.cols + j];
        }
      }
    }
    first = end;
  }
  return result;
}

function signOf(ours: Float64Array, exact: Float64Array): number {
  let product = 0;
  for (let i = 0; i < ours.length; i++) product += ours[i] * exact[i];
  return product < 0 ? -1 : 1;
}

function part({ rows, cols, data }: Tensor, first: number, count: number): Tensor<Float64Array> {
  const result = zeros([rows, count], 'double');
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < count; j++) result.data[i * count + j] = data[i * cols + first + j];
  }
  return result;
}
