import { type Random, Tensor } from '../../lib/index.ts';
/** Random matrices and plain products for the linear algebra specs, so that no kernel checks itself. */

export type Matrix = Tensor<Float64Array>;

export const epsilon = Number.EPSILON;

export function matrix(rows: number, cols: number, entry: (i: number, j: number) => number): Matrix {
  const data = Float64Array.from({ length: rows * cols }, (_, at) => entry(Math.floor(at / cols), at % cols));
  return new Tensor(data, [rows, cols]);
}

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
