/** The dense decomposition of a small operator, whose matrix is formed from n products. */

import type { Task } from '../../core/task.ts';
import { reduceKernels } from '../../wasm/families.ts';
import { zeros } from '../../tensor/tensor.ts';
import { symmetricEigen } from '../eigen.ts';
import type { CountedOperator } from './operator.ts';
import type { EigenPair, FoundPairs } from './pairs.ts';
import { checkSymmetric, columnOf, largestMagnitude, powerOfTwo, symmetrizeInPlace } from '../matrix.ts';

/**
 * The outermost `count` pairs of PAP on the range of P = I − QQᵀ, where Q holds the orthonormal `deflated` vectors. Their
 * eigenvalues are moved beyond the other end of the spectrum, so that none of them is among the outermost.
 */
export function* decomposeDenseSteps(
  operator: CountedOperator,
  deflated: readonly Float64Array[],
  count: number,
  sign: 1 | -1,
): Task<FoundPairs> {
  const n = operator.size;
  const rows = yield* rowsSteps(operator);
  const unit = powerOfTwo(rows.reduce((most, row) => Math.max(most, largestMagnitude(row)), 0));
  for (const row of rows) for (let j = 0; j < n; j++) row[j] /= unit;
  const longest = Math.sqrt(rows.reduce((most, row) => Math.max(most, reduceKernels().dot(n, row, row)), 0));
  project(n, deflated, rows);
  const matrix = zeros([n, n], 'double');
  for (const [i, row] of rows.entries()) matrix.data.set(row, i * n);
  symmetrizeInPlace(n, matrix.data);
  // Of the zero matrix any nonzero shift works.
  const beyond = 2 * n * largestMagnitude(matrix.data) || 1;
  for (let i = 0; i < n * n; i++) matrix.data[i] *= sign;
  for (const q of deflated) {
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) matrix.data[i * n + j] -= beyond * q[i] * q[j];
  }
  const { values, vectors } = symmetricEigen(matrix);
  const pairs = Array.from({ length: count }, (_, k): EigenPair => {
    const vector = columnOf(vectors.data, n, k);
    const value = sign * values[k] + 0;
    const squares = rows.reduce(
      (sum, row, i) => sum + (reduceKernels().dot(n, row, vector) - value * vector[i]) ** 2,
      0,
    );
    return { value: value * unit, residual: Math.sqrt(squares) * unit, vector };
  });
  // The norm includes the deflated part: products with A, and so the residuals, are rounded relative to all of A.
  const left = largestMagnitude(values.subarray(0, n - deflated.length));
  const norm = deflated.length === 0 ? left : Math.max(left, longest);
  return { pairs, complete: true, norm: norm * unit, restarts: 0 };
}

/** The rows of A, which are its products with the unit vectors. They count as half of the work. */
function* rowsSteps(operator: CountedOperator): Task<Float64Array[]> {
  const n = operator.size;
  const rows: Float64Array[] = [];
  for (let i = 0; i < n; i++) {
    const unit = new Float64Array(n);
    unit[i] = 1;
    const product = new Float64Array(n).fill(NaN);
    operator.raw(unit, product);
    rows.push(product);
    yield (0.5 * (i + 1)) / n;
  }
  const matrix = zeros([n, n], 'double');
  for (const [i, row] of rows.entries()) matrix.data.set(row, i * n);
  checkSymmetric('lanczos', 'the operator', matrix);
  return rows;
}

/** rows ← PAP: each q is projected out of every row, then out of every column. */
function project(n: number, deflated: readonly Float64Array[], rows: readonly Float64Array[]): void {
  for (const q of deflated) {
    for (const row of rows) {
      const product = reduceKernels().dot(n, q, row);
      for (let j = 0; j < n; j++) row[j] -= product * q[j];
    }
    const products = new Float64Array(n);
    for (const [i, row] of rows.entries()) for (let j = 0; j < n; j++) products[j] += q[i] * row[j];
    for (const [i, row] of rows.entries()) for (let j = 0; j < n; j++) row[j] -= q[i] * products[j];
  }
}
