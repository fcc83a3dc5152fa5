/** The coarsest level, where the dense pencil is decomposed. */

import { zeros } from '../../../tensor/tensor.ts';
import { generalizedEigen } from '../../eigen.ts';
import { type Matrix, symmetrizeInPlace } from '../../matrix.ts';
import type { Level } from './level.ts';

/** All eigenpairs of the coarsest pencil, those of the null space last. */
export interface Coarsest {
  readonly size: number;
  /** Ascending. */
  readonly values: Float64Array;
  /** size×size, B-orthonormal columns. */
  readonly vectors: Matrix;
}

/** The eigenvalue of null vectors is moved from 0 to this many times the largest ratio of diagonals, beyond all others. */
const beyond = 4;

/** Adds σ·B1·(B1)ᵀ/volume of every component to A, which moves the null vectors to the other end of the spectrum. */
export function decomposeCoarsest(level: Level): Coarsest {
  const { size, starts, columns, weights, pivots, mass, massMatrix, components, volumes } = level;
  const [a, b] = [zeros([size, size], 'double'), zeros([size, size], 'double')];
  const diagonal = massMatrix?.diagonal ?? mass;
  let shift = 0;
  for (let i = 0; i < size; i++) {
    a.data[i * size + i] = pivots[i];
    b.data[i * size + i] = diagonal[i];
    shift = Math.max(shift, (beyond * pivots[i]) / diagonal[i]);
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      a.data[i * size + columns[e]] = -weights[e];
      if (massMatrix) b.data[i * size + columns[e]] = massMatrix.weights[e];
    }
  }
  const { labels } = components;
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      if (labels[i] === labels[j]) a.data[i * size + j] += (shift * mass[i] * mass[j]) / volumes[labels[i]];
    }
  }
  symmetrizeInPlace(size, a.data);
  symmetrizeInPlace(size, b.data);
  const found = generalizedEigen(a, b);
  const vectors = zeros([size, size], 'double');
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < size; k++) vectors.data[i * size + k] = found.vectors.data[(i + 1) * size - 1 - k];
  }
  return { size, values: found.values.toReversed(), vectors };
}

/** x ← the solution of A·x = b for a block of `width` vectors that are orthogonal to the null space. */
export function solveCoarsest(
  { size, values, vectors }: Coarsest,
  width: number,
  b: Float64Array,
  x: Float64Array,
): void {
  const coordinates = new Float64Array(size * width);
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < size; k++) {
      const entry = vectors.data[i * size + k];
      for (let c = 0; c < width; c++) coordinates[k * width + c] += entry * b[i * width + c];
    }
  }
  for (let k = 0; k < size; k++) for (let c = 0; c < width; c++) coordinates[k * width + c] /= values[k];
  for (let i = 0; i < size; i++) {
    x.fill(0, i * width, (i + 1) * width);
    for (let k = 0; k < size; k++) {
      const entry = vectors.data[i * size + k];
      for (let c = 0; c < width; c++) x[i * width + c] += entry * coordinates[k * width + c];
    }
  }
}
