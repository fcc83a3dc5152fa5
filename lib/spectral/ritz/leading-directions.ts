/** The linear combinations of features that are smoothest on the graph, except constant ones. */

import { badValue } from '../../core/check.ts';
import { subtask, type Task } from '../../core/task.ts';
import type { Seed } from '../../core/random.ts';
import { factorRowsInPlace } from '../../linalg/cholesky.ts';
import { generalizedEigen, symmetricEigen } from '../../linalg/eigen.ts';
import { lanczosSteps } from '../../linalg/lanczos/lanczos.ts';
import { type Matrix, multiply, multiplyTransposed } from '../../linalg/matrix.ts';
import { solveLeftInPlace } from '../../linalg/triangular.ts';
import { zeros } from '../../tensor/tensor.ts';
import { vectorKernels } from '../../wasm/families.ts';
import type { FeaturePencil } from './feature-pencil.ts';
import { columns } from '../spectrum/spectrum.ts';

export interface Directions {
  /** features×components at most, each of variance 1. */
  readonly directions: Matrix;
  readonly converged: boolean;
}

/** Up to this many features, in total or per direction, a dense eigensolver is used; with more, Lanczos. */
const dense = { upTo: 128, perDirection: 4 };
/** The relative tolerance of the small eigenproblem, far below the error of the features. The error of eigenvalues is its square. */
const tolerance = 1e-7;
/** The basis size of Lanczos. A graph of 100 parts has 99 eigenvalues within 1e-6 of each other. */
const basisOf = (h: number): number => Math.min(96, Math.floor(h / 4));
/** Rounding to single precision makes at most this variance, relative to the mean square of a feature: about 30·(2⁻²⁴)². */
const noise = 1e-13;
/** The number of rows factored between two yields. For 2,048 features the last eight take 16 million products. */
const panelRows = 8;

/** The leading eigenvectors of (affinity, covariance + ridge), as columns. Fewer than `count` if fewer combinations vary. */
export function* leadingDirectionsSteps(
  caller: string,
  pencil: FeaturePencil,
  count: number,
  ridge: number,
  seed: Seed,
): Task<Directions> {
  const { energy, covariance } = pencil;
  const h = energy.rows;
  const factor = covariance.copy();
  let trace = 0;
  for (let s = 0; s < h; s++) trace += covariance.data[s * h + s];
  const least = (noise * (trace + pencil.meanSquare)) / h;
  if (!(trace > h * least)) {
    const remedy = 'A point counts by its degree: leave out nodes that hardly have edges.';
    throw badValue(caller, 'features that vary over the points', 'constants', remedy);
  }
  for (let s = 0; s < h; s++) factor.data[s * h + s] += (ridge * trace) / h;
  const affinity = covariance.copy();
  for (let i = 0; i < affinity.size; i++) affinity.data[i] -= energy.data[i];
  if (h <= Math.max(dense.upTo, dense.perDirection * count)) {
    const basis = varyingBasis(covariance, least);
    const within = (matrix: Matrix): Matrix => multiplyTransposed(basis, multiply(matrix, basis));
    const { vectors } = generalizedEigen(within(affinity), within(factor));
    return { directions: varyingColumns(covariance, multiply(basis, vectors), count, least), converged: true };
  }
  for (let from = 0; from < h; from += panelRows) {
    const to = Math.min(h, from + panelRows);
    const pivot = factorRowsInPlace(h, from, to, factor.data);
    if (pivot >= 0) {
      const got = `feature ${pivot} that depends on those before it`;
      throw badValue(caller, 'independent features', got, `Raise ridge above ${ridge}.`);
    }
    yield 0.4 * (to / h) ** 3;
  }
  const middle = new Float64Array(h);
  const product = new Float64Array(h);
  // L⁻¹·A·L⁻ᵀ
  const operator = {
    size: h,
    apply(x: Float64Array, y: Float64Array): void {
      middle.set(x);
      solveLeftInPlace(h, 1, true, true, factor.data, middle);
      vectorKernels().rowDots(h, h, affinity.data, middle, product);
      y.set(product);
      solveLeftInPlace(h, 1, true, false, factor.data, y);
    },
  };
  const settings = { count, which: 'largest', tolerance, seed, basis: Math.max(basisOf(h), 2 * count + 20) } as const;
  const { vectors, converged } = yield* subtask(lanczosSteps(operator, settings), 0.4, 1);
  solveLeftInPlace(h, count, true, true, factor.data, vectors.data);
  return { directions: varyingColumns(covariance, vectors, count, least), converged };
}

/** The eigenvectors of the covariance whose variance is above `least`. */
function varyingBasis(covariance: Matrix, least: number): Matrix {
  const { values, vectors } = symmetricEigen(covariance);
  return columns(vectors, 0, values.filter((value) => value > least).length);
}

/** The first `count` columns v with vᵀCv above `least`·vᵀv, scaled so that vᵀCv = 1. */
function varyingColumns(covariance: Matrix, vectors: Matrix, count: number, least: number): Matrix {
  const { rows, cols, data } = vectors;
  const images = multiply(covariance, vectors).data;
  const variances = new Float64Array(cols);
  const squares = new Float64Array(cols);
  for (let i = 0; i < data.length; i++) {
    variances[i % cols] += data[i] * images[i];
    squares[i % cols] += data[i] ** 2;
  }
  const kept = Array.from(variances.keys())
    .filter((j) => variances[j] > least * squares[j])
    .slice(0, count);
  const result = zeros([rows, kept.length], 'double');
  for (let i = 0; i < rows; i++) {
    for (const [place, j] of kept.entries()) {
      result.data[i * kept.length + place] = data[i * cols + j] / Math.sqrt(variances[j]);
    }
  }
  return result;
}
