/** Operators with known spectra. */

import type { LinearOperator } from '../../lib/doors/linalg.ts';
import type { Matrix } from './plain-algebra.ts';

export type Edge = readonly [number, number];

/** diagonal[i]·x[i] + Σ weight·x[j] over the edges {i, j}. */
export function ofEdges(
  size: number,
  edges: readonly Edge[],
  weight = 1,
  diagonal?: ArrayLike<number>,
): LinearOperator {
  return {
    size,
    apply(x, y) {
      for (let i = 0; i < size; i++) y[i] = diagonal ? diagonal[i] * x[i] : 0;
      for (const [i, j] of edges) {
        y[i] += weight * x[j];
        y[j] += weight * x[i];
      }
    },
  };
}

export function ofDiagonal(values: ArrayLike<number>): LinearOperator {
  return ofEdges(values.length, [], 1, values);
}

export function ofMatrix(a: Matrix, factor = 1): LinearOperator {
  const n = a.rows;
  return {
    size: n,
    apply(x, y) {
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let j = 0; j < n; j++) sum += factor * a.data[i * n + j] * x[j];
        y[i] = sum;
      }
    },
  };
}

export function pathEdges(n: number, first = 0): Edge[] {
  return Array.from({ length: n - 1 }, (_, i) => [first + i, first + i + 1] as const);
}

export function degrees(size: number, edges: readonly Edge[]): Float64Array {
  const result = new Float64Array(size);
  for (const [i, j] of edges) {
    result[i]++;
    result[j]++;
  }
  return result;
}

/** D^-½WD^-½ of a graph given by its edges. */
export function normalized(size: number, edges: readonly Edge[]): LinearOperator {
  const roots = degrees(size, edges).map(Math.sqrt);
  return {
    size,
    apply(x, y) {
      y.fill(0);
      for (const [i, j] of edges) {
        y[i] += x[j] / (roots[i] * roots[j]);
        y[j] += x[i] / (roots[i] * roots[j]);
      }
    },
  };
}
