/** Plain products and distances for the linear algebra specs, so that no kernel checks itself. */

import { Tensor } from '../../lib/index.ts';

export type Matrix = Tensor<Float64Array>;

export const epsilon = Number.EPSILON;

export function matrix(rows: number, cols: number, entry: (i: number, j: number) => number): Matrix {
  const data = Float64Array.from({ length: rows * cols }, (_, at) => entry(Math.floor(at / cols), at % cols));
  return new Tensor(data, [rows, cols]);
}

export function product(first: Tensor, ...factors: Tensor[]): Matrix {
  return factors.reduce<Matrix>(
    (a, b) =>
      matrix(a.rows, b.cols, (i, j) => {
        let sum = 0;
        for (let p = 0; p < a.cols; p++) sum += a.data[i * a.cols + p] * b.data[p * b.cols + j];
        return sum;
      }),
    first.copy('double'),
  );
}

export function transpose(a: Tensor): Matrix {
  return matrix(a.cols, a.rows, (i, j) => a.data[j * a.cols + i]);
}

/** max |a − b|. NaN if any entry is NaN, so that every comparison with a tolerance fails. */
export function distance(a: Tensor, b: Tensor): number {
  if (a.shape.join() !== b.shape.join()) throw new Error(`shapes ${a.shape.join('×')} and ${b.shape.join('×')}`);
  let largest = 0;
  for (let i = 0; i < a.size; i++) largest = Math.max(largest, Math.abs(a.data[i] - b.data[i]));
  return largest;
}

export function magnitude(a: Tensor): number {
  let largest = 0;
  for (const x of a.data) largest = Math.max(largest, Math.abs(x));
  return largest;
}
