/** The smoothest eigenvectors of a graph by Lanczos on the inverse of its shifted Laplacian, which is applied by a factorization. */

import { subtask, type Task } from '../../core/task.ts';
import type { Seed } from '../../core/random.ts';
import { vectorKernels } from '../../wasm/families.ts';
import { borrow } from '../../wasm/borrow.ts';
import { zeros } from '../../tensor/tensor.ts';
import { symmetricEigen } from '../eigen.ts';
import { columnsOf } from '../lanczos/columns.ts';
import { lanczosSteps } from '../lanczos/lanczos.ts';
import type { LanczosProgress } from '../lanczos/search.ts';
import type { Matrix } from '../matrix.ts';
import { nullVectors } from '../multilevel/null-space.ts';
import type { Analysis } from './analysis.ts';
import type { Factor } from './factor.ts';
import { type LaplacianPencil, shiftedFactorSteps } from './laplacian-pencil.ts';

/** The eigenpairs to find, and their accuracy. */
export interface ShiftInvertOptions {
  readonly count: number;
  /** A pair has converged when ‖Ax − λx‖ is at most this times the largest entry of the diagonal of A. */
  readonly tolerance: number;
  /** The limit on solves. */
  readonly productLimit: number;
  readonly seed: Seed;
  /** Search the complement of the pairs found for others, as Lanczos does. False where eigenvalues are counted afterwards. */
  readonly verify: boolean;
  readonly onRestart?: ((state: LanczosProgress) => void) | undefined;
}

/** Eigenpairs of A = M^-½LM^-½. */
export interface ShiftInvertResult {
  /** Ascending from 0, which occurs once for every component. */
  readonly values: Float64Array;
  /** n×count, orthonormal. */
  readonly vectors: Matrix;
  /** ‖Ax − λx‖ of each pair. */
  readonly residuals: Float64Array;
  readonly converged: boolean;
  /** Solves with the factor and products with the matrix. */
  readonly products: number;
}

/**
 * The shift relative to the norm, negative, so that the matrix is positive definite. It is far below the eigenvalues of most
 * graphs: these are then as far apart, relative to each other, as they can be. The null vectors are known and left out.
 */
const relativeShift = -1e-9;
/**
 * Lanczos finds eigenvectors of the inverse to this accuracy, relative to the tolerance. A step of inverse iteration then makes the
 * residuals smaller by about the eigenvalue; there are more steps where one is not enough.
 */
const rough = { factor: 10, least: 1e-12, most: 1e-5 };
const mostImprovements = 4;

export function* shiftInvertSteps(
  pencil: LaplacianPencil,
  analysis: Analysis,
  options: ShiftInvertOptions,
): Task<ShiftInvertResult> {
  const { graph, mass, scale } = pencil;
  const { size, components } = graph;
  const known = nullVectors(graph, mass, Math.min(options.count, components.count));
  const wanted = options.count - known.length;
  if (wanted === 0) return resultOf(size, known, [], 0, true);
  const factor = yield* subtask(shiftedFactorSteps(pencil, analysis, relativeShift * scale), 0, 0.3);
  if ('pivot' in factor) throw new Error(`shiftInvert: pivot ${factor.pivot} of a positive definite matrix.`);
  try {
    const inverse = new Inverse(pencil, factor, known);
    const deflate = zeros([size, known.length], 'double');
    for (const [c, vector] of known.entries())
      for (let i = 0; i < size; i++) deflate.data[i * known.length + c] = vector[i];
    const { productLimit, seed, verify, onRestart } = options;
    const basis = wanted + basisBeyond + Math.ceil(wanted / 2);
    const search = lanczosSteps(inverse, {
      count: wanted,
      basis,
      tolerance: Math.min(rough.most, Math.max(rough.least, rough.factor * options.tolerance)),
      productLimit: Math.max(productLimit, basis + wanted + 2),
      seed,
      deflate,
      verify,
      onRestart,
    });
    const found = yield* subtask(search, 0.3, 0.9);
    let rows = rowsOf(found.vectors);
    let { products } = found;
    for (let round = 0; ; round++) {
      const pairs = ritzPairs(pencil, inverse.applyTo(rows));
      yield 0.9 + 0.02 * round;
      products += 2 * wanted;
      const converged = pairs.every(({ residual }) => residual <= options.tolerance * scale);
      if (converged || round === mostImprovements)
        return resultOf(size, known, pairs, products, converged && found.converged);
      rows = pairs.map(({ vector }) => vector);
    }
  } finally {
    factor.close();
  }
}

/** The basis of Lanczos has this many vectors more than pairs are wanted, and half as many again. */
const basisBeyond = 8;

interface Pair {
  readonly value: number;
  readonly residual: number;
  readonly vector: Float64Array;
}

function resultOf(
  size: number,
  known: readonly Float64Array[],
  pairs: readonly Pair[],
  products: number,
  converged: boolean,
): ShiftInvertResult {
  const zero = known.map(() => 0);
  return {
    values: Float64Array.from([...zero, ...pairs.map(({ value }) => value)]),
    vectors: columnsOf(size, [...known, ...pairs.map(({ vector }) => vector)]),
    residuals: Float64Array.from([...zero, ...pairs.map(({ residual }) => residual)]),
    converged,
    products,
  };
}

/** (A − σI)⁻¹ on the complement of the null vectors. */
class Inverse {
  readonly size: number;
  readonly #factor: Factor;
  readonly #known: readonly Float64Array[];
  readonly #roots: Float64Array;

  constructor({ mass }: LaplacianPencil, factor: Factor, known: readonly Float64Array[]) {
    this.size = mass.length;
    this.#factor = factor;
    this.#known = known;
    this.#roots = new Float64Array(mass.length);
    for (let i = 0; i < mass.length; i++) this.#roots[i] = Math.sqrt(mass[i]);
  }

  /** y ← (A − σI)⁻¹x = M^½(L − σM)⁻¹M^½x without its part in the null vectors, which is large and pure rounding. */
  apply(x: Float64Array, y: Float64Array): void {
    const { size } = this;
    const roots = this.#roots;
    for (let i = 0; i < size; i++) y[i] = roots[i] * x[i];
    this.#factor.solve(y, y);
    for (let i = 0; i < size; i++) y[i] *= roots[i];
    for (const vector of this.#known) subtractProjection(vector, y);
  }

  /** The images of several vectors. */
  applyTo(rows: readonly Float64Array[]): Float64Array[] {
    const { size } = this;
    const roots = this.#roots;
    const block = new Float64Array(size * rows.length);
    for (const [c, row] of rows.entries()) for (let i = 0; i < size; i++) block[c * size + i] = roots[i] * row[i];
    this.#factor.solve(block, block, rows.length);
    return rows.map((_, c) => {
      const image = block.subarray(c * size, (c + 1) * size);
      for (let i = 0; i < size; i++) image[i] *= roots[i];
      for (const vector of this.#known) subtractProjection(vector, image);
      return image;
    });
  }
}

function dot(x: Float64Array, y: Float64Array): number {
  const { length } = x;
  // Two sums, so that none waits for the last addition.
  let [even, odd] = [0, length % 2 === 1 ? x[length - 1] * y[length - 1] : 0];
  for (let i = 0; i + 1 < length; i += 2) {
    even += x[i] * y[i];
    odd += x[i + 1] * y[i + 1];
  }
  return even + odd;
}

/** The columns of a matrix, as rows. */
function rowsOf({ rows: size, cols, data }: Matrix): Float64Array[] {
  return Array.from({ length: cols }, (_, c) => {
    const row = new Float64Array(size);
    for (let i = 0; i < size; i++) row[i] = data[i * cols + c];
    return row;
  });
}

function subtractProjection(unit: Float64Array, x: Float64Array): void {
  const product = dot(unit, x);
  const { length } = x;
  for (let i = 0; i < length; i++) x[i] -= product * unit[i];
}

/** The Ritz pairs of A = M^-½LM^-½ in the span of independent vectors, which are made orthonormal in place. */
function ritzPairs({ graph, mass }: LaplacianPencil, rows: readonly Float64Array[]): Pair[] {
  const { size, weights } = graph;
  const count = rows.length;
  for (const [c, row] of rows.entries()) {
    for (let pass = 0; pass < 2; pass++) for (let b = 0; b < c; b++) subtractProjection(rows[b], row);
    const length = Math.sqrt(dot(row, row));
    for (let i = 0; i < size; i++) row[i] /= length;
  }
  const loan = borrow(2 * size);
  const [scaled, product] = [loan.array.subarray(0, size), loan.array.subarray(size)];
  const images = rows.map((row) => {
    const image = new Float64Array(size);
    for (let i = 0; i < size; i++) scaled[i] = row[i] / Math.sqrt(mass[i]);
    vectorKernels().csrTimesVector(size, weights.starts, weights.columns, weights.values, null, scaled, product);
    for (let i = 0; i < size; i++) image[i] = (graph.degrees[i] * scaled[i] - product[i]) / Math.sqrt(mass[i]);
    return image;
  });
  loan.giveBack();
  const projected = zeros([count, count], 'double');
  for (let b = 0; b < count; b++) {
    for (let c = 0; c < count; c++) projected.data[b * count + c] = dot(rows[Math.min(b, c)], images[Math.max(b, c)]);
  }
  const { values, vectors } = symmetricEigen(projected);
  const combine = (list: readonly Float64Array[], k: number): Float64Array => {
    const result = new Float64Array(size);
    for (const [c, each] of list.entries()) {
      const factor = vectors.data[c * count + k];
      for (let i = 0; i < size; i++) result[i] += factor * each[i];
    }
    return result;
  };
  return Array.from({ length: count }, (_, c): Pair => {
    const k = count - 1 - c;
    const [vector, image] = [combine(rows, k), combine(images, k)];
    let square = 0;
    for (let i = 0; i < size; i++) square += (image[i] - values[k] * vector[i]) ** 2;
    return { value: values[k], residual: Math.sqrt(square), vector };
  });
}
