/** Which sparse matrices are made out of others entry by entry? Transpose, sums, symmetric parts, values mapped. */

import { badKind, badValue, checkChoice } from '../core/check.ts';
import { allocate } from '../tensor/tensor.ts';
import { canonical, checkCsr, checkValues, type CsrMatrix } from './csr.ts';
import { allocateIndices } from './indices.ts';
import { transposeRows } from '../kernels/batch/counting-sort.ts';

/** What becomes of two entries of one place, 0 standing for one that is not stored. */
type Rule = (a: number, b: number) => number;

const symmetricParts = {
  mean: (a: number, b: number) => (a + b) / 2,
  sum: (a: number, b: number) => a + b,
  max: (a: number, b: number) => Math.max(a, b),
} satisfies Record<string, Rule>;

/** What is made of entries (i, j) and (j, i): their mean, their sum, or the larger. */
export type SymmetricPart = keyof typeof symmetricParts;

/** Aᵀ, new. O(rows + cols + nonzeros). */
export function transpose(matrix: CsrMatrix): CsrMatrix {
  const starts = allocateIndices(matrix.cols + 1);
  const columns = allocateIndices(matrix.nonzeros);
  const values = allocate(matrix.nonzeros, matrix.precision);
  transposeRows(matrix.rows, matrix.cols, matrix.starts, matrix.columns, matrix.values, starts, columns, values);
  return canonical(matrix.cols, matrix.rows, starts, columns, values);
}

/** alpha·a + beta·b, new, computed in Float64; holds every place that a or b holds. */
export function combine(alpha: number, a: CsrMatrix, beta: number, b: CsrMatrix): CsrMatrix {
  checkCsr('combine', a);
  checkCsr('combine', b);
  return merge('combine', a, b, (x, y) => alpha * x + beta * y);
}

/** (A + Aᵀ)/2, or A + Aᵀ, or the larger of A and Aᵀ, where 0 stands for what is not stored. */
export function symmetrize(matrix: CsrMatrix, part: SymmetricPart = 'mean'): CsrMatrix {
  checkCsr('symmetrize', matrix);
  checkChoice('symmetrize', 'part', part, Object.keys(symmetricParts));
  return mergeParts(matrix, transpose(matrix), part);
}

/** For the library: the same of any two matrices of one shape, B in place of Aᵀ. */
export function mergeParts(a: CsrMatrix, b: CsrMatrix, part: SymmetricPart): CsrMatrix {
  return merge('symmetrize', a, b, symmetricParts[part]);
}

/** The same places with other values: change(value, row, column). */
export function mapValues(
  matrix: CsrMatrix,
  change: (value: number, row: number, column: number) => number,
): CsrMatrix {
  checkCsr('mapValues', matrix);
  if (typeof change !== 'function') throw badKind('mapValues', 'a function of value, row and column', change);
  const result = matrix.copy();
  const { starts, columns, values } = result;
  for (let i = 0; i < result.rows; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) values[e] = change(values[e], i, columns[e]);
  }
  checkValues('mapValues', starts, columns, values);
  return result;
}

/** One row at a time, both sorted; counted first, so that storage fits. The wider precision of the two. */
function merge(caller: string, a: CsrMatrix, b: CsrMatrix, rule: Rule): CsrMatrix {
  if (a.rows !== b.rows || a.cols !== b.cols) {
    throw badValue(caller, `two matrices of one shape, ${a.rows}×${a.cols}`, `${b.rows}×${b.cols}`);
  }
  const starts = allocateIndices(a.rows + 1);
  for (let i = 0; i < a.rows; i++) starts[i + 1] = starts[i] + placesInRow(a, b, i);
  const count = starts[a.rows];
  const columns = allocateIndices(count);
  const values = allocate(count, a.precision === 'double' ? 'double' : b.precision);
  for (let i = 0, e = 0; i < a.rows; i++) {
    let p = a.starts[i];
    let q = b.starts[i];
    for (; e < starts[i + 1]; e++) {
      const left = p < a.starts[i + 1] ? a.columns[p] : Infinity;
      const right = q < b.starts[i + 1] ? b.columns[q] : Infinity;
      columns[e] = Math.min(left, right);
      values[e] = rule(left <= right ? a.values[p++] : 0, right <= left ? b.values[q++] : 0);
    }
  }
  checkValues(caller, starts, columns, values);
  return canonical(a.rows, a.cols, starts, columns, values);
}

/** How many columns row i of a or of b holds. */
function placesInRow(a: CsrMatrix, b: CsrMatrix, i: number): number {
  let p = a.starts[i];
  let q = b.starts[i];
  let count = 0;
  while (p < a.starts[i + 1] && q < b.starts[i + 1]) {
    const left = a.columns[p];
    const right = b.columns[q];
    if (left <= right) p++;
    if (right <= left) q++;
    count++;
  }
  return count + (a.starts[i + 1] - p) + (b.starts[i + 1] - q);
}
