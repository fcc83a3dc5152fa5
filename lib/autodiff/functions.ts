/** The public functions of autodiff. With tensors they only compute; with a variable, its tape also records the operation. */

import { badValue, checkChoice } from '../core/check.ts';
import { checkOptions } from '../core/options.ts';
import type { Activation, Floats } from '../kernels/types.ts';
import {
  type SolveTriangularOptions,
  solveTriangularRules,
  type TriangularOptions,
  triangularRules,
} from '../linalg/triangular.ts';
import { transpose as transposeSparse } from '../sparse/combine.ts';
import { CsrMatrix } from '../sparse/csr.ts';
import type { Precision } from '../tensor/tensor.ts';
import { Workspace } from '../tensor/workspace.ts';
import * as arithmetic from './arithmetic.ts';
import * as factorizations from './factorizations.ts';
import * as products from './products.ts';
import type { Transpositions } from './products.ts';
import { apply, type Operand, type Result, stopGradient, Variable } from './tape.ts';

/** a·b. The options transpose either factor. A sparse `a` is a constant. */
export function matmul<B extends Operand>(a: CsrMatrix, b: B, options?: Pick<Transpositions, 'transposeA'>): Result<B>;
export function matmul<A extends Operand, B extends Operand>(a: A, b: B, options?: Transpositions): Result<A, B>;
export function matmul(a: Operand | CsrMatrix, b: Operand, options: Transpositions = {}): Operand {
  checkOptions('matmul', options, products.transpositionRules);
  if (!(a instanceof CsrMatrix)) return apply(products.matmul, [a, b], options);
  if (options.transposeB) {
    throw badValue('matmul', 'transposeB to be false for a sparse a', options.transposeB, 'Pass transpose(b).');
  }
  return apply(products.csrMatmul, [b], { matrix: a, transposed: options.transposeA ?? false });
}

/** activation(x·weights + bias): one layer of a network. A sparse x is a constant. */
export function dense<W extends Operand, B extends Operand>(
  x: CsrMatrix,
  weights: W,
  bias: B,
  activation?: Activation,
): Result<W, B>;
export function dense<X extends Operand, W extends Operand, B extends Operand>(
  x: X,
  weights: W,
  bias: B,
  activation?: Activation,
): Result<X, W, B>;
export function dense(
  x: Operand | CsrMatrix,
  weights: Operand,
  bias: Operand,
  activation: Activation = 'identity',
): Operand {
  if (x instanceof CsrMatrix) return apply(products.sparseDense, [weights, bias], { x, activation });
  return apply(products.dense, [x, weights, bias], activation);
}

/** a + b, entry by entry. */
export function add<A extends Operand, B extends Operand>(a: A, b: B): Result<A, B> {
  return apply(arithmetic.add, [a, b], null) as Result<A, B>;
}

/** a − b, entry by entry. */
export function subtract<A extends Operand, B extends Operand>(a: A, b: B): Result<A, B> {
  return apply(arithmetic.subtract, [a, b], null) as Result<A, B>;
}

/** a·b, entry by entry. */
export function multiply<A extends Operand, B extends Operand>(a: A, b: B): Result<A, B> {
  return apply(arithmetic.multiply, [a, b], null) as Result<A, B>;
}

/** factor·x, entry by entry. */
export function scale<X extends Operand>(x: X, factor: number): Result<X> {
  return apply(arithmetic.scale, [x], factor) as Result<X>;
}

/** Adds the bias to every row. */
export function addBias<X extends Operand, B extends Operand>(x: X, bias: B): Result<X, B> {
  return apply(arithmetic.addBias, [x, bias], null) as Result<X, B>;
}

/** max(0, x), entry by entry. */
export function relu<X extends Operand>(x: X): Result<X> {
  return apply(arithmetic.activate, [x], 'relu', 'relu') as Result<X>;
}

/** log(1 + eˣ), entry by entry. */
export function softplus<X extends Operand>(x: X): Result<X> {
  return apply(arithmetic.activate, [x], 'softplus', 'softplus') as Result<X>;
}

/** tanh x, entry by entry. */
export function tanh<X extends Operand>(x: X): Result<X> {
  return apply(arithmetic.activate, [x], 'tanh', 'tanh') as Result<X>;
}

/** 1/(1 + e⁻ˣ), entry by entry. */
export function sigmoid<X extends Operand>(x: X): Result<X> {
  return apply(arithmetic.activate, [x], 'sigmoid', 'sigmoid') as Result<X>;
}

/** The same numbers in another precision. */
export function convert<X extends Operand>(x: X, precision: Precision): Result<X> {
  checkChoice('convert', 'precision', precision, ['single', 'double']);
  return apply(arithmetic.convert, [x], precision) as Result<X>;
}

/** xᵀ of a dense or sparse matrix. Gradients pass through dense matrices only. */
export function transpose(x: CsrMatrix): CsrMatrix;
export function transpose<X extends Operand>(x: X): Result<X>;
export function transpose(x: Operand | CsrMatrix): Operand | CsrMatrix {
  return x instanceof CsrMatrix ? transposeSparse(x) : apply(products.transpose, [x], null);
}

/** A matrix whose row i is row rows[i] of x. Rows may repeat. */
export function gatherRows<X extends Operand>(x: X, rows: Int32Array): Result<X> {
  // The backward pass writes to the rows of this list, so the tape keeps the copy that was checked.
  const kept = x instanceof Variable && rows instanceof Int32Array ? x.tape.workspace.keep(rows) : rows;
  return apply(arithmetic.gatherRows, [x], kept) as Result<X>;
}

/** diag(factors)·x. The factors are constants of either precision. */
export function scaleRows<X extends Operand>(x: X, factors: Floats): Result<X> {
  return apply(arithmetic.scaleRows, [x], factors) as Result<X>;
}

/** The sum of all entries, a single number in double precision. */
export function sum<X extends Operand>(x: X): Result<X> {
  return apply(arithmetic.sum, [x], null) as Result<X>;
}

/** The mean of all entries, a single number in double precision. */
export function mean<X extends Operand>(x: X): Result<X> {
  return apply(arithmetic.mean, [x], null) as Result<X>;
}

/** tr(aᵀ·b), a single number in double precision. */
export function traceOfProduct<A extends Operand, B extends Operand>(a: A, b: B): Result<A, B> {
  return apply(arithmetic.traceOfProduct, [a, b], null) as Result<A, B>;
}

/** The lower triangular L with L·Lᵀ = the symmetric part of a, in double precision. */
export function cholesky<A extends Operand>(a: A): Result<A> {
  return apply(factorizations.cholesky, [a], null) as Result<A>;
}

/** x = q·r: q with qᵀq = I in the precision of x, r upper triangular with positive diagonal in double precision. */
export function thinQr<X extends Operand>(x: X): { q: Result<X>; r: Result<X> } {
  const factors = factorizations.factorQr(stopGradient(x), x instanceof Variable ? x.tape.workspace : new Workspace());
  return {
    q: apply(factorizations.qrOrthogonal, [x], factors) as Result<X>,
    r: apply(factorizations.qrTriangular, [x], factors) as Result<X>,
  };
}

/** The solution X of T·X = B. The options put T on the right, transpose it, or declare it upper triangular. */
export function solveTriangular<T extends Operand, B extends Operand>(
  t: T,
  b: B,
  options: SolveTriangularOptions = {},
): Result<T, B> {
  checkOptions('solveTriangular', options, solveTriangularRules);
  const { side = 'left', triangle = 'lower', transposed = false } = options;
  return apply(factorizations.solveTriangular, [t, b], { side, triangle, transposed }) as Result<T, B>;
}

/** T⁻¹ in double precision. */
export function invertTriangular<T extends Operand>(t: T, options: TriangularOptions = {}): Result<T> {
  checkOptions('invertTriangular', options, triangularRules);
  const { triangle = 'lower' } = options;
  return apply(factorizations.invertTriangular, [t], triangle) as Result<T>;
}
