/** How is a sparse matrix multiplied by a dense one? Shapes and precisions are checked here, the kernels do the rest. */

import { badValue, showShape } from '../core/check.ts';
import { kernels } from '../kernels/table.ts';
import { type Tensor, zeros } from '../tensor/tensor.ts';
import type { CsrMatrix } from './csr.ts';

/** matrix·x, new; x has as many rows as the matrix has columns, any number of columns or none, and its precision. */
export function multiply(matrix: CsrMatrix, x: Tensor): Tensor {
  checkInput('multiply', matrix, x, matrix.cols, 'columns');
  const out = zeros([matrix.rows, ...x.shape.slice(1)], matrix.precision);
  product(matrix, x, out, false);
  return out;
}

/** matrixᵀ·x, new, without building the transpose. */
export function multiplyTransposed(matrix: CsrMatrix, x: Tensor): Tensor {
  checkInput('multiplyTransposed', matrix, x, matrix.rows, 'rows');
  const out = zeros([matrix.cols, ...x.shape.slice(1)], matrix.precision);
  transposedProduct(matrix, x, out, false);
  return out;
}

/** out = matrix·x, or out += matrix·x if `accumulate`. `out` shares no storage with x. */
export function multiplyInto(matrix: CsrMatrix, x: Tensor, out: Tensor, accumulate = false): void {
  checkInput('multiplyInto', matrix, x, matrix.cols, 'columns');
  checkOutput('multiplyInto', matrix, x, out, matrix.rows);
  product(matrix, x, out, accumulate);
}

/** out = matrixᵀ·x, or out += matrixᵀ·x if `accumulate`. `out` shares no storage with x. */
export function multiplyTransposedInto(matrix: CsrMatrix, x: Tensor, out: Tensor, accumulate = false): void {
  checkInput('multiplyTransposedInto', matrix, x, matrix.rows, 'rows');
  checkOutput('multiplyTransposedInto', matrix, x, out, matrix.cols);
  transposedProduct(matrix, x, out, accumulate);
}

function product(matrix: CsrMatrix, x: Tensor, out: Tensor, accumulate: boolean): void {
  const { rows, starts, columns, values } = matrix;
  kernels.csrMatmul(rows, x.cols, starts, columns, values, x.data, out.data, accumulate);
}

function transposedProduct(matrix: CsrMatrix, x: Tensor, out: Tensor, accumulate: boolean): void {
  const { rows, cols, starts, columns, values } = matrix;
  kernels.csrTransposeMatmul(rows, cols, x.cols, starts, columns, values, x.data, out.data, accumulate);
}

function checkInput(caller: string, matrix: CsrMatrix, x: Tensor, needed: number, side: string): void {
  if (x.shape.length === 0 || x.rows !== needed) {
    throw badValue(caller, `x with ${needed} rows, one for each of the matrix's ${side}`, showShape(x.shape));
  }
  if (x.precision !== matrix.precision) throw badPrecision(caller, 'x', matrix, x);
}

function checkOutput(caller: string, matrix: CsrMatrix, x: Tensor, out: Tensor, rows: number): void {
  if (out.shape.length === 0 || out.rows !== rows || out.cols !== x.cols) {
    throw badValue(caller, `out of shape ${showShape([rows, ...x.shape.slice(1)])}`, showShape(out.shape));
  }
  if (out.precision !== matrix.precision) throw badPrecision(caller, 'out', matrix, out);
  const apart =
    x.data.buffer !== out.data.buffer ||
    x.data.byteOffset + x.data.byteLength <= out.data.byteOffset ||
    out.data.byteOffset + out.data.byteLength <= x.data.byteOffset;
  if (!apart) throw badValue(caller, 'out apart from x', 'the same storage');
}

function badPrecision(caller: string, name: string, matrix: CsrMatrix, x: Tensor): RangeError {
  const remedy = 'Either has copy(precision).';
  return badValue(caller, `${name} in ${matrix.precision} precision, as the matrix`, x.precision, remedy);
}
