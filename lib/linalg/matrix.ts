/** Float64 copies of matrix arguments, with checks of shape, finiteness and symmetry; small helpers on matrices. */

import { badKind, badValue, checkFinite, placeOf, showShape } from '../core/check.ts';
import { kernels } from '../kernels/table.ts';
import type { Floats } from '../kernels/types.ts';
import { type Precision, Tensor, zeros } from '../tensor/tensor.ts';

/** Two axes, row-major, Float64. */
export type Matrix = Tensor<Float64Array>;

/**
 * How far a[i,j] and a[j,i] may differ, relative to the largest entry, and still be one number that was summed in two
 * orders: about a hundred roundings of Float32, half a million of Float64.
 */
export const asymmetryLimit: Readonly<Record<Precision, number>> = { single: 1e-5, double: 1e-10 };

/** Refuses anything but a tensor of two axes. */
export function checkMatrix(caller: string, name: string, a: Tensor): void {
  if (!(a instanceof Tensor)) {
    throw badKind(caller, `${name} to be a Tensor of two axes`, a, 'tensor() makes one.');
  }
  if (a.shape.length !== 2) throw badValue(caller, `${name} to have two axes`, `shape ${showShape(a.shape)}`);
}

/** A copy in Float64 of a finite matrix. */
export function matrixOf(caller: string, name: string, a: Tensor): Matrix {
  checkMatrix(caller, name, a);
  checkFinite(caller, name, a.data, a.cols);
  return a.copy('double');
}

/** A copy in Float64 of a finite square matrix. */
function squareOf(caller: string, name: string, a: Tensor): Matrix {
  checkSquare(caller, name, a);
  return matrixOf(caller, name, a);
}

/** (A + Aᵀ)/2 in Float64, symmetric to the bit. Refuses more asymmetry than rounding explains. */
export function symmetricOf(caller: string, name: string, a: Tensor): Matrix {
  const copy = squareOf(caller, name, a);
  checkSymmetric(caller, name, a);
  symmetrizeInPlace(copy.rows, copy.data);
  return copy;
}

export function checkSquare(caller: string, name: string, a: Tensor): void {
  checkMatrix(caller, name, a);
  if (a.rows !== a.cols) throw badValue(caller, `${name} to be square`, showShape(a.shape));
}

/** Refuses a square matrix with more asymmetry than rounding explains in its precision. */
export function checkSymmetric(caller: string, name: string, a: Tensor): void {
  const k = a.rows;
  const { data } = a;
  let worst = 0;
  let place = 0;
  let mirror = 0;
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < i; j++) {
      const difference = Math.abs(data[i * k + j] - data[j * k + i]);
      if (difference > worst) {
        worst = difference;
        place = i * k + j;
        mirror = j * k + i;
      }
    }
  }
  if (worst > asymmetryLimit[a.precision] * largestMagnitude(data)) {
    const got = `${data[place]} at ${placeOf(place, k)} but ${data[mirror]} at ${placeOf(mirror, k)}`;
    throw badValue(caller, `${name} to be symmetric`, got, 'Pass (A + Aᵀ)/2.');
  }
}

/** a[k×k] ← (a + aᵀ)/2. */
export function symmetrizeInPlace(k: number, a: Float64Array): void {
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < i; j++) {
      const mean = 0.5 * a[i * k + j] + 0.5 * a[j * k + i];
      a[i * k + j] = mean;
      a[j * k + i] = mean;
    }
  }
}

/** The largest |a[i]| of i = from, from + step, … below `to`; 0 if there is none. */
export function largestMagnitude(a: Floats, from = 0, step = 1, to = a.length): number {
  let largest = 0;
  for (let i = from; i < to; i += step) largest = Math.max(largest, Math.abs(a[i]));
  return largest;
}

/**
 * The power of two at or below a size, except at either end of Float64; 1 for 0. Division by it is exact, and scales numbers
 * of that size so that their squares neither overflow nor underflow.
 */
export function powerOfTwo(size: number): number {
  return size === 0 ? 1 : 2 ** Math.max(-1000, Math.min(1000, Math.floor(Math.log2(size))));
}

/** Column j of a row-major matrix with `cols` columns, new. */
export function columnOf(data: Floats, cols: number, j: number): Float64Array {
  const column = new Float64Array(cols === 0 ? 0 : data.length / cols);
  for (let i = 0, at = j; i < column.length; i++, at += cols) column[i] = data[at];
  return column;
}

/** A·B, new. */
export function multiply(a: Matrix, b: Matrix): Matrix {
  const out = zeros([a.rows, b.cols], 'double');
  kernels.matmul(a.rows, b.cols, a.cols, a.data, b.data, out.data, false);
  return out;
}

/** Aᵀ·B, new. */
export function multiplyTransposed(a: Matrix, b: Matrix): Matrix {
  const out = zeros([a.cols, b.cols], 'double');
  kernels.matmulTransposeA(a.cols, b.cols, a.rows, a.data, b.data, out.data, false);
  return out;
}
