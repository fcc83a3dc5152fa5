/** Sparse matrices computed from others entry by entry: transposes, linear combinations, symmetric parts, mapped values. */

import { badKind, badValue, checkChoice } from '../core/check.ts';
import { allocate } from '../tensor/tensor.ts';
import { canonical, checkCsr, checkValues, copyIndices, copyValues, type CsrMatrix } from './csr.ts';
import { allocateIndices } from './indices.ts';
import { transposeRows } from '../kernels/batch/counting-sort.ts';
import type { Floats } from '../kernels/types.ts';

/** The result of two entries at the same position. An entry that is not stored counts as 0. */
type Rule = (a: number, b: number) => number;

const symmetricParts = {
  mean: (a: number, b: number) => (a + b) / 2,
  sum: (a: number, b: number) => a + b,
  max: (a: number, b: number) => Math.max(a, b),
  min: (a: number, b: number) => Math.min(a, b),
} satisfies Record<string, Rule>;

/** How entries (i, j) and (j, i) are combined: their mean, their sum, their maximum or their minimum. */
export type SymmetricPart = keyof typeof symmetricParts;

/** Aᵀ, new. O(rows + cols + nonzeros). */
export function transpose(matrix: CsrMatrix): CsrMatrix {
  const { cols, nonzeros, precision } = matrix;
  return transposeTo(matrix, allocateIndices(cols + 1), allocateIndices(nonzeros), allocate(nonzeros, precision));
}

/** The transpose in these arrays. */
function transposeTo(matrix: CsrMatrix, ...arrays: [Int32Array, Int32Array, Floats]): CsrMatrix {
  const { rows, cols } = matrix;
  transposeRows(rows, cols, matrix.starts, matrix.columns, matrix.values, ...arrays);
  return canonical(cols, rows, ...arrays);
}

/** alpha·a + beta·b, new, computed in Float64. Stores every position that a or b stores. */
export function combine(alpha: number, a: CsrMatrix, beta: number, b: CsrMatrix): CsrMatrix {
  checkCsr('combine', a);
  checkCsr('combine', b);
  return merge('combine', a, b, (x, y) => alpha * x + beta * y);
}

/** (A + Aᵀ)/2, A + Aᵀ, or the entrywise maximum or minimum of A and Aᵀ. Entries that are not stored count as 0. */
export function symmetrize(matrix: CsrMatrix, part: SymmetricPart = 'mean'): CsrMatrix {
  checkCsr('symmetrize', matrix);
  checkChoice('symmetrize', 'part', part, Object.keys(symmetricParts));
  // On the heap of the engine, which frees it sooner than the kernels' memory.
  const transposed = [new Int32Array(matrix.cols + 1), matrix.columns.slice(), matrix.values.slice()] as const;
  return mergeParts(matrix, transposeTo(matrix, ...transposed), part);
}

/** `symmetrize` with a given matrix b of the same shape in place of Aᵀ. Internal. */
export function mergeParts(a: CsrMatrix, b: CsrMatrix, part: SymmetricPart): CsrMatrix {
  return merge('symmetrize', a, b, symmetricParts[part]);
}

/** A new matrix with the same positions and the values change(value, row, column). */
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

/** The matrix itself if it stores no zeros, else a new one without them. */
export function dropZeros(matrix: CsrMatrix): CsrMatrix {
  if (!matrix.values.includes(0)) return matrix;
  const starts = new Int32Array(matrix.rows + 1);
  const columns = matrix.columns.slice();
  const values = matrix.values.slice();
  let kept = 0;
  for (let i = 0; i < matrix.rows; i++) {
    for (let e = matrix.starts[i]; e < matrix.starts[i + 1]; e++) {
      if (values[e] === 0) continue;
      columns[kept] = columns[e];
      values[kept++] = values[e];
    }
    starts[i + 1] = kept;
  }
  return canonical(
    matrix.rows,
    matrix.cols,
    copyIndices(starts),
    copyIndices(columns.subarray(0, kept)),
    copyValues(values.subarray(0, kept), matrix.precision),
  );
}

/** The matrix without some entries (from, to) and their mirror images (to, from), new. */
export function dropEdges(
  matrix: CsrMatrix,
  edges: readonly { readonly from: number; readonly to: number }[],
): CsrMatrix {
  const { rows, starts, columns } = matrix;
  const positions = new Set(edges.flatMap(({ from, to }) => [from * rows + to, to * rows + from]));
  const values = copyValues(matrix.values, matrix.precision);
  for (const { from, to } of edges) {
    for (const i of [from, to]) {
      for (let e = starts[i]; e < starts[i + 1]; e++) if (positions.has(i * rows + columns[e])) values[e] = 0;
    }
  }
  return dropZeros(canonical(rows, matrix.cols, starts, columns, values));
}

/** Merges the sorted rows of both matrices; a first pass counts the entries. The wider precision of the two is kept. */
function merge(caller: string, a: CsrMatrix, b: CsrMatrix, rule: Rule): CsrMatrix {
  if (a.rows !== b.rows || a.cols !== b.cols) {
    throw badValue(caller, `two matrices of the same shape, ${a.rows}×${a.cols}`, `${b.rows}×${b.cols}`);
  }
  const starts = allocateIndices(a.rows + 1);
  for (let i = 0; i < a.rows; i++) starts[i + 1] = starts[i] + mergedEntries(a, b, i);
  const count = starts[a.rows];
  const columns = allocateIndices(count);
  const values = allocate(count, a.precision === 'double' ? 'double' : b.precision);
  const [aColumns, bColumns, aValues, bValues] = [a.columns, b.columns, a.values, b.values];
  for (let i = 0, e = 0; i < a.rows; i++) {
    let [p, q] = [a.starts[i], b.starts[i]];
    const [pEnd, qEnd] = [a.starts[i + 1], b.starts[i + 1]];
    for (; p < pEnd && q < qEnd; e++) {
      const [left, right] = [aColumns[p], bColumns[q]];
      columns[e] = left <= right ? left : right;
      values[e] = rule(left <= right ? aValues[p++] : 0, right <= left ? bValues[q++] : 0);
    }
    for (; p < pEnd; e++) {
      columns[e] = aColumns[p];
      values[e] = rule(aValues[p++], 0);
    }
    for (; q < qEnd; e++) {
      columns[e] = bColumns[q];
      values[e] = rule(0, bValues[q++]);
    }
  }
  checkValues(caller, starts, columns, values);
  return canonical(a.rows, a.cols, starts, columns, values);
}

/** The number of columns that are stored in row i of a or of b. */
function mergedEntries(a: CsrMatrix, b: CsrMatrix, i: number): number {
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
