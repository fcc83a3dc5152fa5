/** Random and simple matrices for the linear algebra specs. */

import type { Random } from '../../lib/index.ts';
import { matrix, type Matrix, product, transpose } from './plain-algebra.ts';

export function identity(k: number): Matrix {
  return matrix(k, k, (i, j) => (i === j ? 1 : 0));
}

export function diagonal(values: ArrayLike<number>): Matrix {
  return matrix(values.length, values.length, (i, j) => (i === j ? values[i] : 0));
}

export function normalMatrix(random: Random, rows: number, cols: number): Matrix {
  return matrix(rows, cols, () => random.normal());
}

/** Exactly symmetric. */
export function symmetricMatrix(random: Random, k: number): Matrix {
  const a = normalMatrix(random, k, k);
  return matrix(k, k, (i, j) => a.at(Math.max(i, j), Math.min(i, j)));
}

/** XᵀX of 2k random rows: condition about 30. */
export function positiveMatrix(random: Random, k: number): Matrix {
  const x = normalMatrix(random, 2 * k + 1, k);
  return product(transpose(x), x);
}
