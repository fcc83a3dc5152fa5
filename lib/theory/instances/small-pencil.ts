/** Small dense pencils (W, D) in Float64, their eigenpairs, and the view of a batch on them. */

import { symmetricEigen } from '../../linalg/eigen.ts';
import { largestMagnitude } from '../../linalg/matrix.ts';
import type { BatchView } from '../../spectral/descent/view.ts';
import { Tensor } from '../../tensor/tensor.ts';

/** A dense pencil (W, D) in double precision. */
export interface SmallPencil {
  readonly size: number;
  /** W[n×n], symmetric. */
  readonly weights: Float64Array;
  /** The diagonal of D, positive. */
  readonly mass: Float64Array;
}

/** W·U = D·U·Λ. */
export interface Eigenpairs {
  /** All n eigenvalues, descending. */
  readonly values: Float64Array;
  /** V[n×n] in columns, VᵀV = I: the eigenvectors of D^-½WD^-½. */
  readonly orthonormal: Float64Array;
}

/** (D^-½WD^-½, I). It has the same eigenvalues, and X = D^½Z replaces Z. */
export function normalized({ size, weights, mass }: SmallPencil): SmallPencil {
  const roots = mass.map(Math.sqrt);
  const scaled = weights.map((weight, p) => weight / (roots[Math.floor(p / size)] * roots[p % size]));
  return { size, weights: scaled, mass: new Float64Array(size).fill(1) };
}

/** (cW, cD). */
export function rescaled({ size, weights, mass }: SmallPencil, factor: number): SmallPencil {
  return { size, weights: weights.map((weight) => factor * weight), mass: mass.map((entry) => factor * entry) };
}

/** (W − ηηᵀ, D) with η = d/‖√d‖, where d is the diagonal of D. */
export function deflated({ size, weights, mass }: SmallPencil): SmallPencil {
  const volume = mass.reduce((sum, entry) => sum + entry, 0);
  const without = weights.map((weight, p) => weight - (mass[Math.floor(p / size)] * mass[p % size]) / volume);
  return { size, weights: without, mass };
}

/** The pencil (W, diag(W·1)). */
export function withDegrees(size: number, weights: Float64Array): SmallPencil {
  const mass = new Float64Array(size);
  for (let p = 0; p < weights.length; p++) mass[Math.floor(p / size)] += weights[p];
  return { size, weights, mass };
}

/** The complete graph with weights 1, without loops. */
export function completeGraph(size: number): SmallPencil {
  return withDegrees(
    size,
    Float64Array.from({ length: size * size }, (_, p) => Number(Math.floor(p / size) !== p % size)),
  );
}

export function eigenpairs(pencil: SmallPencil): Eigenpairs {
  const { size, weights } = normalized(pencil);
  const { values, vectors } = symmetricEigen(new Tensor(weights, [size, size]));
  return { values, orthonormal: vectors.data };
}

/** The largest |eigenvalue| of the block W[rows, rows]. */
export function blockNorm({ size, weights }: SmallPencil, rows: ArrayLike<number>): number {
  const count = rows.length;
  const block = Float64Array.from(
    { length: count * count },
    (_, p) => weights[rows[Math.floor(p / count)] * size + rows[p % count]],
  );
  const { values } = symmetricEigen(new Tensor(block, [count, count]));
  return Math.max(Math.abs(values[0]), Math.abs(values[count - 1]));
}

export function largestEntry({ weights }: SmallPencil): number {
  return largestMagnitude(weights);
}

export function largestMass({ mass }: SmallPencil): number {
  return mass.reduce((most, entry) => Math.max(most, entry), 0);
}

/** W·z for z[n×width], in a new array. */
export function timesWeights({ size, weights }: SmallPencil, width: number, z: Float64Array): Float64Array {
  const product = new Float64Array(z.length);
  for (let i = 0; i < size; i++) multiplyRow(size, weights, i, width, z, product, i * width);
  return product;
}

/** zᵀDz, K×K, in a new array. */
export function gramOf({ size, mass }: SmallPencil, width: number, z: Float64Array): Float64Array {
  const gram = new Float64Array(width * width);
  for (let i = 0, at = 0; i < size; i++, at += width) {
    for (let s = 0; s < width; s++) {
      for (let t = 0; t < width; t++) gram[s * width + t] += mass[i] * z[at + s] * z[at + t];
    }
  }
  return gram;
}

/**
 * The view of a batch that the solver's steps read. `population` is used as n; 1 removes the factors of n from all
 * formulas.
 */
export function viewOf(pencil: SmallPencil, batch: Int32Array, population: number): BatchView {
  const { size, weights, mass } = pencil;
  return {
    batch,
    support: null,
    place: batch,
    mass: Float64Array.from(batch, (i) => mass[i]),
    eta: null,
    supportMass: mass,
    supportEta: null,
    population,
    listed: null,
    neighborhood: () => ({ support: null, supportMass: mass, supportEta: null }),
    entries: batch.length * size,
    multiply(width, y, out) {
      for (let i = 0; i < batch.length; i++) multiplyRow(size, weights, batch[i], width, y, out, i * width);
    },
  };
}

export function allRows(size: number): Int32Array {
  return Int32Array.from({ length: size }, (_, i) => i);
}

function multiplyRow(
  size: number,
  weights: Float64Array,
  row: number,
  width: number,
  y: ArrayLike<number>,
  out: { [index: number]: number },
  to: number,
): void {
  for (let k = 0; k < width; k++) {
    let sum = 0;
    for (let j = 0, at = row * size; j < size; j++) sum += weights[at + j] * y[j * width + k];
    out[to + k] = sum;
  }
}
