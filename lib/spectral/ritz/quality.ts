/** The quality of rows: their objectives f1 and f2, the norm of the gradient, and errors against known eigenvectors. */

import { badValue, showShape } from '../../core/check.ts';
import { kernels } from '../../kernels/table.ts';
import { reduceKernels } from '../../wasm/families.ts';
import { everyIndex } from '../../sparse/indices.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';
import { type Method, type Objective } from '../descent/objective.ts';
import { RowUpdate } from '../descent/row-update.ts';
import { applyPencil, type Pencil } from '../pencil/pencil.ts';
import type { RitzPairs } from './ritz.ts';
import type { Spectrum } from '../spectrum/spectrum.ts';

/** Eigenvalues that differ by less count as one eigenvalue. Any vector in the span of their eigenvectors is then exact. */
const sameValue = 1e-9;

/** The quality of rows, compared with exact eigenpairs if they are given. */
export interface Quality {
  /** K − Σ eigenvalues of the Ritz pairs: f1 of the rows made orthonormal. */
  readonly f1: number;
  /** f2 of the rows themselves. */
  readonly f2: number;
  /** How far f1 and f2 are above their minima K − Σλ and −Σ max(λ, 0)². Null without a reference. */
  readonly gap: { readonly f1: number; readonly f2: number } | null;
  /** The relative distance of each vector from the exact eigenspace, in the norm √(xᵀDx). Null without a reference. */
  readonly errors: Float64Array | null;
}

/** The quality of rows with these Ritz pairs and this f2. */
export function qualityOf(pencil: Pencil, pairs: RitzPairs, f2: number, reference: Spectrum | undefined): Quality {
  const { f1 } = optimum(pairs.values);
  if (!reference) return { f1, f2, gap: null, errors: null };
  const first = pencil.eta ? 1 : 0;
  const best = optimum(reference.values.subarray(first, first + pairs.values.length));
  const errors = errorsOf(pencil.graph.degrees, vectorsOf(pencil, pairs), reference, first);
  return { f1, f2, gap: { f1: f1 - best.f1, f2: f2 - best.f2 }, errors };
}

/** The vectors of the pairs as eigenvectors of D⁻¹W with UᵀDU = n²I, copied. */
export function vectorsOf({ kind, size, graph }: Pencil, { rows }: RitzPairs): Tensor<Float64Array> {
  const vectors = zeros(rows.shape, 'double');
  const factors = graph.degrees.map((degree) => (kind === 'symmetric' ? size / Math.sqrt(degree) : size));
  kernels.scaleRows(size, rows.cols, factors, rows.data, vectors.data, false);
  return vectors;
}

/** Values at the optimum (eq:minimizerY), for the leading eigenvalues of the pencil: f1* = K − Σλ, f2* = −Σ max(λ, 0)². */
export function optimum(eigenvalues: ArrayLike<number>): { f1: number; f2: number } {
  let [f1, f2] = [0, 0];
  for (const value of Array.from(eigenvalues)) {
    f1 += 1 - value;
    f2 -= Math.max(value, 0) ** 2;
  }
  return { f1, f2 };
}

/** Rows as Y = X·within + D⁻¹η·trivial, where X are the vectors of some pairs, orthogonal to the trivial one, D⁻¹η. */
export interface Coordinates {
  /** K×K. */
  readonly within: Float64Array;
  /** ηᵀY. Null if the trivial pair is kept, or if Y is orthogonal to it. */
  readonly trivial: Float64Array | null;
}

/** f2 and the norm of the gradient for rows of these coordinates in the pairs' vectors. */
export function measure(
  pencil: Pencil,
  method: Method,
  { values, residuals, rows, product }: RitzPairs,
  { within: m, trivial }: Coordinates,
): { f2: number; gradientNorm: number } {
  const { size, mass, eta } = pencil;
  const width = values.length;
  const gram = new Float64Array(width * width);
  reduceKernels().gram(width, width, width, null, m, m, gram);
  if (trivial) for (let p = 0; p < gram.length; p++) gram[p] += trivial[Math.floor(p / width)] * trivial[p % width];
  const scale = 1 / size / size;
  let f2 = 0;
  for (let p = 0; p < gram.length; p++) {
    f2 += scale * (scale * gram[p] ** 2 - 2 * values[Math.floor(p / width)] * m[p] ** 2);
  }
  if (method === 'specnet1') return { f2, gradientNorm: 2 * Math.hypot(...residuals) };
  // eq:gradY2, 4/n·(DY·YᵀDY/n² − WY), where Y = X·within: two K×K matrices are applied to the rows of DX and WX.
  const own = new Float64Array(width * width);
  kernels.matmul(width, width, width, m, gram, own, false);
  const ownTrivial = new Float64Array(width);
  if (trivial) kernels.matmul(1, width, width, trivial, gram, ownTrivial, false);
  let square = 0;
  for (let i = 0, at = 0; i < size; i++, at += width) {
    for (let j = 0; j < width; j++) {
      let entry = eta ? scale * eta[i] * ownTrivial[j] : 0;
      for (let p = 0; p < width; p++) {
        const q = p * width + j;
        entry += scale * mass[i] * rows.data[at + p] * own[q] - product.data[at + p] * m[q];
      }
      square += entry * entry;
    }
  }
  return { f2, gradientNorm: (4 / size) * Math.sqrt(square) };
}

/** f2 and the norm of what an objective takes for its gradient, which is 0 at stationary points (eq:stationarycond). One product with W. */
export function measureRows(pencil: Pencil, objective: Objective, y: Tensor): { f2: number; gradientNorm: number } {
  const { size, mass } = pencil;
  const { cols, data: rows } = y.copy('double');
  const [product, direction] = [new Float64Array(rows.length), new Float64Array(rows.length)];
  applyPencil(pencil, cols, rows, product);
  const moments = { gram: new Float64Array(cols * cols), mean: new Float64Array(cols) };
  reduceKernels().gram(size, cols, cols, mass, rows, rows, moments.gram);
  const update = new RowUpdate(cols);
  objective.gradient({ population: size }, moments, update);
  update.apply({ batch: everyIndex(size), mass, eta: null }, { rows, product, direction }, moments.mean);
  const gradientNorm = Math.sqrt(reduceKernels().dot(direction.length, direction, direction));
  return { f2: f2From(pencil, moments.gram, rows, product), gradientNorm };
}

/** f2 of any rows, eq:uopt2. One product with W. */
export function f2Of(pencil: Pencil, y: Tensor): number {
  const { size, mass } = pencil;
  const { cols, data } = y.copy('double');
  const product = new Float64Array(data.length);
  applyPencil(pencil, cols, data, product);
  const gram = new Float64Array(cols * cols);
  reduceKernels().gram(size, cols, cols, mass, data, data, gram);
  return f2From(pencil, gram, data, product);
}

/** f2 from YᵀDY, Y and (W − ηηᵀ)Y. */
function f2From({ size }: Pencil, gram: Float64Array, rows: Float64Array, product: Float64Array): number {
  const square = reduceKernels().dot(gram.length, gram, gram);
  return (square / size / size - 2 * reduceKernels().dot(rows.length, rows, product)) / size / size;
}

/** The coordinates XᵀDY and ηᵀY of rows in the span of the vectors of the pairs and the trivial one. */
export function coordinates({ size, mass, eta }: Pencil, { rows }: RitzPairs, y: Tensor): Coordinates {
  const { data } = y.copy('double');
  const within = new Float64Array(y.cols * y.cols);
  reduceKernels().gram(size, y.cols, y.cols, mass, rows.data, data, within);
  if (!eta) return { within, trivial: null };
  const trivial = new Float64Array(y.cols);
  reduceKernels().weightedColumnSums(size, y.cols, eta, data, trivial);
  return { within, trivial };
}

/** The errors of the columns of vectors[n×K] against those of the reference from `first` on. */
function errorsOf(degrees: Float64Array, vectors: Tensor, reference: Spectrum, first: number): Float64Array {
  const { rows: size, cols: width } = vectors;
  const { values, vectors: truth } = reference;
  return Float64Array.from({ length: width }, (_, j) => {
    const rest = new Float64Array(size);
    for (let i = 0; i < size; i++) rest[i] = vectors.data[i * width + j];
    const square = weightedSquare(degrees, rest);
    for (let t = first; t < values.length; t++) {
      if (Math.abs(values[t] - values[first + j]) > sameValue) continue;
      let [product, norm] = [0, 0];
      for (let i = 0; i < size; i++) {
        const entry = truth.data[i * truth.cols + t];
        product += degrees[i] * entry * rest[i];
        norm += degrees[i] * entry * entry;
      }
      for (let i = 0; i < size; i++) rest[i] -= (product / norm) * truth.data[i * truth.cols + t];
    }
    return Math.sqrt(weightedSquare(degrees, rest) / square);
  });
}

/** Vectors of D⁻¹W for as many components, and for the trivial one where it is deflated. */
export function checkReference(caller: string, { size, eta }: Pencil, components: number, reference: Spectrum): void {
  const { laplacian, vectors, values } = reference;
  if (laplacian !== 'random-walk') throw badValue(caller, "a reference of the 'random-walk' kind", laplacian);
  const least = components + (eta ? 1 : 0);
  if (vectors.rows === size && values.length >= least) return;
  const remedy = `spectrum(graph, { count: ${least} }) gives one.`;
  throw badValue(caller, `a reference of ${least} vectors of ${size} nodes`, showShape(vectors.shape), remedy);
}

function weightedSquare(weights: Float64Array, x: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += weights[i] * x[i] * x[i];
  return sum;
}
