/** Eigenvalues and singular values of small matrices. This is the only file that imports ml-matrix. */

import {
  type AbstractMatrix,
  EigenvalueDecomposition,
  Matrix as MlMatrix,
  SingularValueDecomposition,
} from 'ml-matrix';
import { badKind, badValue } from '../core/check.ts';
import { checkOptions, type Rules } from '../core/options.ts';
import { tensor } from '../tensor/convert.ts';
import { type DataOf, type Precision, type Tensor, zeros } from '../tensor/tensor.ts';
import { factorInPlace } from './cholesky.ts';
import {
  checkMatrix,
  largestMagnitude,
  type Matrix,
  matrixOf,
  multiply,
  multiplyTransposed,
  powerOfTwo,
  symmetricOf,
  symmetrizeInPlace,
} from './matrix.ts';
import { solveLeftInPlace, solveRightInPlace } from './triangular.ts';

/** All eigenpairs of a small symmetric matrix. */
export interface SymmetricEigen {
  /** Descending. */
  readonly values: Float64Array;
  /** Column i belongs to value i; its entry of largest magnitude, the first of several, is positive. */
  readonly vectors: Matrix;
}

/** Eigenpairs of a small pencil, A·v = λ·B·v. */
export interface GeneralizedEigen extends SymmetricEigen {
  /** The number of directions of B that were kept, and so of values and vectors: k unless `cut` dropped some. */
  readonly rank: number;
}

/** How a nearly singular B is handled. */
export interface GeneralizedEigenOptions {
  /**
   * Drop the directions of B whose eigenvalue is at most `cut` times the largest, or at most k·ε times, which is rounding.
   * Without it B must be positive definite.
   */
  readonly cut?: number;
}

const generalizedRules = { cut: 'number' } as const satisfies Rules<GeneralizedEigenOptions>;

/** The singular value decomposition A = U·diag(values)·Vᵀ, without the vectors that belong to no singular value. */
export interface ThinSvd {
  /** n×m with UᵀU = I, where m = min(n, k). */
  readonly u: Matrix;
  /** Descending, none negative. */
  readonly values: Float64Array;
  /** k×m with VᵀV = I and A = U·diag(values)·Vᵀ; signs as those of eigenvectors. */
  readonly v: Matrix;
}

/** Magnitudes within this relative distance count as equal, so that rounding does not decide the sign of (1, −1)/√2. */
const tie = 1e-8;

/** A·V = V·Λ and VᵀV = I for symmetric A[k×k]. */
export function symmetricEigen(a: Tensor): SymmetricEigen {
  return decompose(symmetricOf('symmetricEigen', 'a', a));
}

/**
 * A·V = B·V·Λ and VᵀBV = I for symmetric A[k×k] and positive definite B[k×k], to ε times the condition of B.
 * With `cut` B may be semidefinite: V then spans the eigenvectors of B that were kept, and A·V = B·V·Λ holds within that
 * span (it is the Rayleigh-Ritz problem there).
 */
export function generalizedEigen(a: Tensor, b: Tensor, options: GeneralizedEigenOptions = {}): GeneralizedEigen {
  checkOptions('generalizedEigen', options, generalizedRules);
  const left = symmetricOf('generalizedEigen', 'a', a);
  const right = symmetricOf('generalizedEigen', 'b', b);
  const k = left.rows;
  if (right.rows !== k) throw badValue('generalizedEigen', `b to be ${k}×${k}, as a is`, `${right.rows}×${right.rows}`);
  if (options.cut !== undefined) return eigenOnKept(left, right, options.cut);

  factorInPlace('generalizedEigen', right, 'Drop dependent columns, or pass { cut }.');
  solveLeftInPlace(k, k, true, false, right.data, left.data);
  solveRightInPlace(k, k, true, true, right.data, new Float64Array(k), left.data);
  symmetrizeInPlace(k, left.data);
  const { values, vectors } = decompose(left);
  solveLeftInPlace(k, k, true, true, right.data, vectors.data);
  fixSigns(vectors);
  return { values, vectors, rank: k };
}

/** Uses U·Σ^-½ of the eigenpairs of B that are kept instead of the inverse Cholesky factor. */
function eigenOnKept(a: Matrix, b: Matrix, cut: number): GeneralizedEigen {
  if (!(cut >= 0 && cut < 1)) throw badValue('generalizedEigen', 'cut to be at least 0 and below 1', cut);
  const k = b.rows;
  const { values: sizes, vectors: directions } = decompose(b);
  const negligible = Math.max(cut, k * Number.EPSILON) * largestMagnitude(sizes);
  if (sizes[k - 1] < -negligible) {
    const got = `an eigenvalue ${sizes[k - 1]}, the largest being ${sizes[0]}`;
    throw badValue('generalizedEigen', 'b to be positive semidefinite', got);
  }
  const rank = sizes.filter((size) => size > negligible).length;
  const basis = zeros([k, rank], 'double');
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < rank; j++) basis.data[i * rank + j] = directions.data[i * k + j] / Math.sqrt(sizes[j]);
  }
  const reduced = multiplyTransposed(basis, multiply(a, basis));
  symmetrizeInPlace(rank, reduced.data);
  const { values, vectors: rotation } = decompose(reduced);
  const vectors = multiply(basis, rotation);
  fixSigns(vectors);
  return { values, vectors, rank };
}

/** A = U·diag(values)·Vᵀ of a small A[n×k]. */
export function thinSvd(a: Tensor): ThinSvd {
  return svdOf('thinSvd', a);
}

/** The min(n, k) singular values, descending. */
export function singularValues(a: Tensor): Float64Array {
  return svdOf('singularValues', a).values;
}

/** The number of singular values above `cut` times the largest. Default: max(n, k)·ε, which is rounding. */
export function numericalRank(a: Tensor, cut?: number): number {
  const { values } = svdOf('numericalRank', a);
  const relative = cut ?? Math.max(a.rows, a.cols) * Number.EPSILON;
  if (!(relative >= 0)) throw badValue('numericalRank', 'cut to be at least 0', relative);
  return values.filter((value) => value > relative * values[0]).length;
}

/** A copy of an ml-matrix. Default precision: 'double'. */
export function fromMlMatrix<P extends Precision = 'double'>(matrix: AbstractMatrix, precision?: P): Tensor<DataOf<P>> {
  if (typeof matrix?.to1DArray !== 'function') throw badKind('fromMlMatrix', 'an ml-matrix', matrix);
  const source = { data: matrix.to1DArray(), shape: [matrix.rows, matrix.columns] };
  return tensor(source, (precision ?? 'double') as P);
}

/** A copy as an ml-matrix, which is Float64. */
export function toMlMatrix(matrix: Tensor): MlMatrix {
  checkMatrix('toMlMatrix', 'matrix', matrix);
  return MlMatrix.from1DArray(matrix.rows, matrix.cols, matrix.data);
}

/** Eigenpairs of a matrix that is symmetric to the bit. */
function decompose(a: Matrix): SymmetricEigen {
  const k = a.rows;
  const values = new Float64Array(k);
  const vectors = zeros([k, k], 'double');
  if (k === 0) return { values, vectors };
  const unit = unitOf(a);
  const found = new EigenvalueDecomposition(scaled(a, 1 / unit), { assumeSymmetric: true });
  const ascending = found.realEigenvalues;
  const columns = found.eigenvectorMatrix.to1DArray();
  for (let j = 0; j < k; j++) {
    const from = k - 1 - j;
    values[j] = ascending[from] * unit;
    for (let i = 0; i < k; i++) vectors.data[i * k + j] = columns[i * k + from];
  }
  fixSigns(vectors);
  return { values, vectors };
}

function svdOf(caller: string, a: Tensor): ThinSvd {
  const matrix = matrixOf(caller, 'a', a);
  const { rows, cols } = matrix;
  if (matrix.size === 0) {
    return { u: zeros([rows, 0], 'double'), values: new Float64Array(0), v: zeros([cols, 0], 'double') };
  }
  const unit = unitOf(matrix);
  const found = new SingularValueDecomposition(scaled(matrix, 1 / unit), { autoTranspose: true });
  const u = fromMlMatrix(found.leftSingularVectors);
  const v = fromMlMatrix(found.rightSingularVectors);
  fixSigns(v, u);
  return { u, values: Float64Array.from(found.diagonal, (value) => value * unit), v };
}

/**
 * The divisor that scales the matrix. ml-matrix needs it because its iterations multiply two off-diagonal entries: it
 * returns wrong eigenvalues for a matrix of size 1e-300 and throws for one of size 1e300.
 */
function unitOf(a: Matrix): number {
  return powerOfTwo(largestMagnitude(a.data));
}

function scaled(a: Matrix, factor: number): MlMatrix {
  return toMlMatrix(a).mul(factor);
}

/** Negates columns so that their entry of largest magnitude, the first of several, is positive; also those of `partner`. */
function fixSigns(vectors: Matrix, partner?: Matrix): void {
  for (let j = 0; j < vectors.cols; j++) {
    const largest = largestMagnitude(vectors.data, j, vectors.cols);
    let lead = j;
    while (Math.abs(vectors.data[lead]) < (1 - tie) * largest) lead += vectors.cols;
    if (vectors.data[lead] >= 0) continue;
    negateColumn(vectors, j);
    if (partner) negateColumn(partner, j);
  }
}

/** Column j ← its negative. */
export function negateColumn(a: Tensor, j: number): void {
  for (let at = j; at < a.size; at += a.cols) a.data[at] = -a.data[at];
}
