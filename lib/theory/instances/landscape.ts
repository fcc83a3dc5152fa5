/** The function F(Z) = tr(−2ZᵀWZ + (ZᵀDZ)²), its derivatives and its stationary points. f2(Y) is F(Y/n). */

import { reduceKernels } from '../../wasm/families.ts';
import { symmetricEigen } from '../../linalg/eigen.ts';
import { RowUpdate } from '../../spectral/descent/row-update.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { Formulas } from './formulas.ts';
import { allRows, type Eigenpairs, gramOf, type SmallPencil, timesWeights, viewOf } from './small-pencil.ts';

/** F(z). */
export function valueOf(pencil: SmallPencil, width: number, z: Float64Array): number {
  const gram = gramOf(pencil, width, z);
  const product = timesWeights(pencil, width, z);
  let value = 0;
  for (let p = 0; p < z.length; p++) value -= 2 * z[p] * product[p];
  for (let p = 0; p < gram.length; p++) value += gram[p] ** 2;
  return value;
}

/** The gradient by the formula under test. For population 1 it is ∇F(Z) = 4(DZ·ZᵀDZ − WZ), for population n it is n·∇f2(Y), eq:gradY. */
export function gradientOf(
  pencil: SmallPencil,
  width: number,
  z: Float64Array,
  { objective }: Formulas,
  population = 1,
): Float64Array {
  const gradient = new Float64Array(z.length);
  const moments = { gram: gramOf(pencil, width, z), mean: new Float64Array(width) };
  const view = viewOf(pencil, allRows(pencil.size), population);
  const update = new RowUpdate(width);
  objective.gradient(view, moments, update);
  update.apply(view, { rows: z, product: timesWeights(pencil, width, z), direction: gradient }, moments.mean);
  return gradient;
}

/** ∇²F(Z)[nK×nK]: −4δ_kl·W_ij + 4δ_ij·D_i·G_kl + 4D_iZ_il·D_jZ_jk + 4δ_kl·D_iD_j·(ZZᵀ)_ij at rows i, j and columns k, l. */
export function hessianOf(pencil: SmallPencil, width: number, z: Float64Array): Tensor<Float64Array> {
  const { size, weights, mass } = pencil;
  const gram = gramOf(pencil, width, z);
  const side = size * width;
  const hessian = new Float64Array(side * side);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      let overlap = 0;
      for (let k = 0; k < width; k++) overlap += z[i * width + k] * z[j * width + k];
      const shared = 4 * (mass[i] * mass[j] * overlap - weights[i * size + j]);
      for (let k = 0; k < width; k++) {
        for (let l = 0; l < width; l++) {
          let entry = 4 * mass[i] * z[i * width + l] * mass[j] * z[j * width + k];
          if (k === l) entry += shared;
          if (i === j) entry += 4 * mass[i] * gram[k * width + l];
          hessian[(i * width + k) * side + j * width + l] = entry;
        }
      }
    }
  }
  return new Tensor(hessian, [side, side]);
}

/** sᵀ·∇²F(z)·s. */
export function curvature(hessian: Tensor<Float64Array>, s: Float64Array): number {
  const { data, cols } = hessian;
  let sum = 0;
  for (let p = 0; p < cols; p++) for (let q = 0; q < cols; q++) sum += s[p] * data[p * cols + q] * s[q];
  return sum;
}

/** The eigenvalues of a Hessian, descending. */
export function curvatures(hessian: Tensor<Float64Array>): Float64Array {
  return symmetricEigen(hessian).values;
}

/**
 * The first and second derivative at 0 of a polynomial of degree up to four, from its values at −2h, −h, 0, h and 2h. They
 * have no discretization error, only rounding, so h need not be small.
 */
export function exactDerivatives(at: (t: number) => number, h: number): { first: number; second: number } {
  const [a, b, c, d, e] = [at(-2 * h), at(-h), at(0), at(h), at(2 * h)];
  return { first: (a - 8 * b + 8 * d - e) / (12 * h), second: (-a + 16 * b - 30 * c + 16 * d - e) / (12 * h * h) };
}

/** sᵀ·∇²F(z)·s as the slope, along s, of the gradient by the formula under test. */
export function slopeAlong(
  pencil: SmallPencil,
  width: number,
  z: Float64Array,
  s: Float64Array,
  formulas: Formulas,
): number {
  const at = (t: number): number => {
    const moved = z.map((entry, p) => entry + t * s[p]);
    return reduceKernels().dot(s.length, gradientOf(pencil, width, moved, formulas), s);
  };
  return exactDerivatives(at, 0.5).first;
}

/** Z = D^-½·V_Ω·diag(factors), the selected eigenvectors in the first columns and zeros in the others. */
export function selection(
  { size, mass }: SmallPencil,
  { orthonormal }: Eigenpairs,
  chosen: readonly number[],
  factors: readonly number[],
  width: number,
): Float64Array {
  const z = new Float64Array(size * width);
  for (let i = 0; i < size; i++) {
    for (const [k, index] of chosen.entries()) {
      z[i * width + k] = (orthonormal[i * size + index] * factors[k]) / Math.sqrt(mass[i]);
    }
  }
  return z;
}

/** The stationary point that belongs to a set of positive eigenvalues: eq:stationarypoints with Q = I. */
export function stationaryPoint(pencil: SmallPencil, pairs: Eigenpairs, chosen: readonly number[], width: number) {
  return selection(
    pencil,
    pairs,
    chosen,
    chosen.map((index) => Math.sqrt(pairs.values[index])),
    width,
  );
}

/** The indices of the leading K eigenvalues that are positive. */
export function leading({ values }: Eigenpairs, width: number): number[] {
  return Array.from({ length: width }, (_, i) => i).filter((i) => values[i] > 0);
}

/** The minimizer of F whose columns are the leading eigenvectors, scaled. Its rotations are the others: eq:globalminimizers. */
export function minimizerOf(pencil: SmallPencil, pairs: Eigenpairs, width: number): Float64Array {
  return stationaryPoint(pencil, pairs, leading(pairs, width), width);
}

/** The sets of at most K positive eigenvalues: each has a stationary point. */
export function stationarySets({ values }: Eigenpairs, width: number): number[][] {
  return subsets(values.filter((value) => value > 0).length, width);
}

/** Those that lack one of the leading K: their points are saddles. */
export function saddleSets(pairs: Eigenpairs, width: number): number[][] {
  return stationarySets(pairs, width).filter((set) => leading(pairs, width).some((i) => !set.includes(i)));
}

/** The minimum of F: −Σ max(λ, 0)² over the leading K eigenvalues. */
export function leastValue({ values }: Eigenpairs, width: number): number {
  let sum = 0;
  for (let i = 0; i < width; i++) sum -= Math.max(values[i], 0) ** 2;
  return sum;
}

/** All sets of at most `most` of the numbers below `count`, including the empty set. */
export function subsets(count: number, most: number): number[][] {
  const found: number[][] = [[]];
  for (let i = 0; i < count; i++) {
    for (const set of found.slice()) if (set.length < most) found.push([...set, i]);
  }
  return found;
}

export function norm(x: Float64Array): number {
  return Math.sqrt(reduceKernels().dot(x.length, x, x));
}

/** The norm of the gradient with respect to X = D^½Z. It does not depend on the scale of D. */
export function gradientNorm(pencil: SmallPencil, width: number, z: Float64Array, formulas: Formulas): number {
  return norm(fromX(pencil, width, gradientOf(pencil, width, z, formulas)));
}

/** D^-½x for x[n×width], in a new array. */
export function fromX({ mass }: SmallPencil, width: number, x: Float64Array): Float64Array {
  return x.map((entry, p) => entry / Math.sqrt(mass[Math.floor(p / width)]));
}

/** A random Z: the entries of X = D^½Z are normal with this standard deviation. */
export function normalRows(
  random: { normal(): number },
  pencil: SmallPencil,
  width: number,
  deviation: number,
): Float64Array {
  const x = Float64Array.from({ length: pencil.size * width }, () => deviation * random.normal());
  return fromX(pencil, width, x);
}

/** z·q for a random orthogonal q[K×K], a product of reflections. */
export function rotated(random: { normal(): number }, width: number, z: Float64Array): Float64Array {
  const result = z.slice();
  for (let reflection = 0; reflection < width; reflection++) {
    const axis = Float64Array.from({ length: width }, () => random.normal());
    const square = norm(axis) ** 2;
    for (let at = 0; at < z.length; at += width) {
      let along = 0;
      for (let k = 0; k < width; k++) along += result[at + k] * axis[k];
      for (let k = 0; k < width; k++) result[at + k] -= (2 * along * axis[k]) / square;
    }
  }
  return result;
}
