/** How are operations called? With tensors they compute at once; with a variable among them, its tape takes note. */

import { badValue, checkChoice, checkOptions } from '../core/check.ts';
import type { Activation, Floats } from '../kernels/types.ts';
import type { SolveTriangularOptions, TriangularOptions } from '../linalg/triangular.ts';
import { transpose as transposeSparse } from '../sparse/combine.ts';
import { CsrMatrix } from '../sparse/csr.ts';
import type { Precision } from '../tensor/tensor.ts';
import { Workspace } from '../tensor/workspace.ts';
import * as arithmetic from './arithmetic.ts';
import * as factorisations from './factorisations.ts';
import * as products from './products.ts';
import type { Transpositions } from './products.ts';
import { apply, type Operand, type Result, stopGradient, Variable } from './tape.ts';

/** a·b, either read transposed where asked. A sparse `a` is a constant. */
export function matmul<B extends Operand>(a: CsrMatrix, b: B, options?: Pick<Transpositions, 'transposeA'>): Result<B>;
export function matmul<A extends Operand, B extends Operand>(a: A, b: B, options?: Transpositions): Result<A, B>;
export function matmul(a: Operand | CsrMatrix, b: Operand, options: Transpositions = {}): Operand {
  if (!(a instanceof CsrMatrix)) return apply(products.matmul, [a, b], options);
  if (options.transposeB) {
    throw badValue('matmul', 'no transposed b beside a sparse a', 'transposeB', 'Pass transpose(b).');
  }
  return apply(products.csrMatmul, [b], { matrix: a, transposed: options.transposeA ?? false });
}

/** activation(x·weights + bias), one layer of a network. A sparse x is a constant. */
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

/** Entry by entry. */
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

/** xᵀ, of a matrix that is dense or sparse; gradients flow through dense ones. */
export function transpose(x: CsrMatrix): CsrMatrix;
export function transpose<X extends Operand>(x: X): Result<X>;
export function transpose(x: Operand | CsrMatrix): Operand | CsrMatrix {
  return x instanceof CsrMatrix ? transposeSparse(x) : apply(products.transpose, [x], null);
}

/** Row rows[i] of x as row i; rows may repeat. */
export function gatherRows<X extends Operand>(x: X, rows: Int32Array): Result<X> {
  // The way back reads the list again, and writes where it says: it must be what was checked.
  const kept = x instanceof Variable && rows instanceof Int32Array ? x.tape.workspace.keep(rows) : rows;
  return apply(arithmetic.gatherRows, [x], kept) as Result<X>;
}

/** diag(factors)·x, the factors being constants of either precision. */
export function scaleRows<X extends Operand>(x: X, factors: Floats): Result<X> {
  return apply(arithmetic.scaleRows, [x], factors) as Result<X>;
}

/** A single number in double precision, as `mean` and `traceOfProduct`. */
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

/** Lower L with L·Lᵀ = the symmetric part of a, in double precision. */
export function cholesky<A extends Operand>(a: A): Result<A> {
  return apply(factorisations.cholesky, [a], null) as Result<A>;
}

/** x = q·r with qᵀq = I in x's precision, r upper triangular with positive diagonal in double precision. */
export function thinQr<X extends Operand>(x: X): { q: Result<X>; r: Result<X> } {
  const factors = factorisations.factorQr(stopGradient(x), x instanceof Variable ? x.tape.workspace : new Workspace());
  return {
    q: apply(factorisations.qrOrthogonal, [x], factors) as Result<X>,
    r: apply(factorisations.qrTriangular, [x], factors) as Result<X>,
  };
}

/** X of T·X = B; the options put T on the right, transpose it, or say that it is upper triangular. */
export function solveTriangular<T extends Operand, B extends Operand>(
  t: T,
  b: B,
  { side = 'left', triangle = 'lower', transposed = false }: SolveTriangularOptions = {},
): Result<T, B> {
  checkChoice('solveTriangular', 'side', side, ['left', 'right']);
  checkChoice('solveTriangular', 'triangle', triangle, ['lower', 'upper']);
  return apply(factorisations.solveTriangular, [t, b], { side, triangle, transposed }) as Result<T, B>;
}

/** T⁻¹ in double precision. */
export function invertTriangular<T extends Operand>(t: T, options: TriangularOptions = {}): Result<T> {
  checkOptions('invertTriangular', options);
  const { triangle = 'lower' } = options;
  checkChoice('invertTriangular', 'triangle', triangle, ['lower', 'upper']);
  return apply(factorisations.invertTriangular, [t], triangle) as Result<T>;
}
