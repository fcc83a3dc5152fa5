/** Distances between two sets of columns: principal angles of their spans, or column errors after alignment. */

import { badValue, checkFinite, showShape } from '../core/check.ts';
import { kernels } from '../kernels/table.ts';
import type { Floats } from '../kernels/types.ts';
import { type Tensor, zeros } from '../tensor/tensor.ts';
import { numericalRank, singularValues, thinSvd, negateColumn } from './eigen.ts';
import {
  columnOf,
  largestMagnitude,
  type Matrix,
  matrixOf,
  multiply,
  multiplyTransposed,
  powerOfTwo,
} from './matrix.ts';
import { thinQr } from './qr.ts';

/** Columns rotated to lie as near to others as possible, and the rotation. */
export interface Alignment<D extends Floats = Floats> {
  /** y·rotation, in y's precision. */
  readonly aligned: Tensor<D>;
  /** k×k, orthogonal. */
  readonly rotation: Matrix;
}

/**
 * The min(k, l) angles between the spans of a[n×k] and b[n×l], ascending, in radians; with weights, those of the inner
 * product xᵀ·diag(weights)·y. Each set of columns must be independent. Angles below 45° are taken from their sines and the
 * others from their cosines (Björck & Golub 1973), so that tiny ones keep their digits: to about ε in absolute terms.
 */
export function principalAngles(a: Tensor, b: Tensor, weights?: Floats): Float64Array {
  const left = matrixOf('principalAngles', 'a', a);
  const right = matrixOf('principalAngles', 'b', b);
  if (left.rows !== right.rows) {
    throw badValue('principalAngles', `b to have ${left.rows} rows, as a has`, right.rows);
  }
  checkWeights('principalAngles', weights, left.rows);
  const p = basisOf('a', left, weights);
  const q = basisOf('b', right, weights);
  const overlap = multiplyTransposed(p, q);
  const cosines = singularValues(overlap);
  const outside = q.copy();
  removeSpan(p, overlap, outside);
  removeSpan(p, multiplyTransposed(p, outside), outside); // the second pass removes what rounding left
  const sines = singularValues(thinQr(outside).r);
  const last = sines.length - 1;
  return cosines.map((cosine, i) => (cosine * cosine >= 0.5 ? Math.asin(sines[last - i]) : Math.acos(cosine)));
}

/** y with columns negated where their inner product with the reference's column is negative. New, in y's precision. */
export function alignSigns<D extends Floats>(y: Tensor<D>, reference: Tensor): Tensor<D> {
  const [values, targets] = sameColumns('alignSigns', y, reference);
  const result = y.copy();
  for (let j = 0; j < y.cols; j++) {
    const target = unitColumn(targets, j);
    const product = unitColumn(values, j).reduce((sum, value, i) => sum + value * target[i], 0);
    if (product < 0) negateColumn(result, j);
  }
  return result;
}

/**
 * The orthogonal Q that brings y·Q nearest to the reference in the Frobenius norm (Procrustes: Q = U·Vᵀ of the singular
 * vectors of yᵀ·reference). Where a singular value of that is zero, Q is one of several that are equally near.
 */
export function alignRotation<D extends Floats>(y: Tensor<D>, reference: Tensor): Alignment<D> {
  const [values, targets] = sameColumns('alignRotation', y, reference);
  const { u, v } = thinSvd(multiplyTransposed(values, targets));
  const rotation = zeros(u.shape, 'double');
  kernels.matmulTransposeB(u.rows, v.rows, u.cols, u.data, v.data, rotation.data, false);
  const aligned = y.copy();
  aligned.data.set(multiply(values, rotation).data);
  return { aligned, rotation };
}

/**
 * The relative error τ (eq:relativeerror) of each column ψ̃ of y against the column ψ of the reference: the norm of ψ − β·ψ̃ over
 * the norm of ψ, where β = ψᵀψ̃ / ‖ψ̃‖² minimizes it, so that sign and scale do not matter. It is the sine of the angle between
 * them, and 1 for a column of zeros. With weights, in the norm √(xᵀ·diag(weights)·x).
 */
export function relativeErrors(y: Tensor, reference: Tensor, weights?: Floats): Float64Array {
  const [values, targets] = sameColumns('relativeErrors', y, reference);
  checkWeights('relativeErrors', weights, values.rows);
  const { cols } = values;
  const factors = weights && nearOne(Float64Array.from(weights));
  const inner = (a: Float64Array, b: Float64Array): number =>
    a.reduce((sum, value, i) => sum + (factors ? factors[i] : 1) * value * b[i], 0);
  return Float64Array.from({ length: cols }, (_, j) => {
    const [found, target] = [unitColumn(values, j), unitColumn(targets, j)];
    const [squares, size] = [inner(found, found), inner(target, target)];
    if (size === 0) throw badValue('relativeErrors', 'a reference without zero columns', `norm 0 in column ${j}`);
    const beta = squares === 0 ? 0 : inner(found, target) / squares;
    const rest = target.map((value, i) => value - beta * found[i]);
    return Math.sqrt(inner(rest, rest) / size);
  });
}

/** Column j, scaled to size one. */
function unitColumn({ cols, data }: Matrix, j: number): Float64Array {
  return nearOne(columnOf(data, cols, j));
}

/** Divides by a power of two near the vector's size, so that no product overflows or underflows. Signs and ratios stay. */
function nearOne(values: Float64Array): Float64Array {
  const unit = powerOfTwo(largestMagnitude(values));
  return values.map((value) => value / unit);
}

/** x ← x − q·coordinates. */
function removeSpan(q: Matrix, coordinates: Matrix, x: Matrix): void {
  const inside = multiply(q, coordinates);
  kernels.subtract(x.size, x.data, inside.data, x.data);
}

/** An orthonormal basis of the columns of diag(√weights)·a. Each is first scaled to largest entry 1, which keeps the span. */
function basisOf(name: string, a: Matrix, weights: Floats | undefined): Matrix {
  const { rows, cols, data } = a;
  if (rows < cols) {
    throw badValue('principalAngles', `independent columns in ${name}`, `${cols} columns of only ${rows} rows`);
  }
  if (weights) kernels.scaleRows(rows, cols, Float64Array.from(weights, Math.sqrt), data, data, false);
  for (let j = 0; j < cols; j++) {
    const largest = largestMagnitude(data, j, cols);
    if (largest === 0) throw badValue('principalAngles', `independent columns in ${name}`, `zeros in column ${j}`);
    for (let at = j; at < data.length; at += cols) data[at] /= largest;
  }
  const { q, r } = thinQr(a);
  const found = numericalRank(r, Math.max(rows, cols) * Number.EPSILON);
  if (found < cols) {
    const got = `${cols} columns of rank ${found}`;
    throw badValue('principalAngles', `independent columns in ${name}`, got, 'Drop dependent columns.');
  }
  return q;
}

function sameColumns(caller: string, y: Tensor, reference: Tensor): [Matrix, Matrix] {
  const values = matrixOf(caller, 'y', y);
  const targets = matrixOf(caller, 'reference', reference);
  if (values.rows !== targets.rows || values.cols !== targets.cols) {
    throw badValue(caller, `reference to be ${showShape(y.shape)}, as y is`, showShape(reference.shape));
  }
  return [values, targets];
}

function checkWeights(caller: string, weights: Floats | undefined, rows: number): void {
  if (!weights) return;
  if (weights.length !== rows) throw badValue(caller, `${rows} weights, one for each row`, weights.length);
  checkFinite(caller, 'weights', weights);
  const negative = weights.findIndex((weight) => weight < 0);
  if (negative >= 0) throw badValue(caller, 'weights of at least 0', `${weights[negative]} at index ${negative}`);
}
