/** The smoothest eigenvectors of a graph by Lanczos on the inverse of its shifted Laplacian, which is applied by a factorization. */

import { subtask, type Task } from '../../core/task.ts';
import type { Seed } from '../../core/random.ts';
import { vectorKernels } from '../../wasm/families.ts';
import { borrow } from '../../wasm/borrow.ts';
import { zeros } from '../../tensor/tensor.ts';
import { symmetricEigen } from '../eigen.ts';
import { columnsOf } from '../lanczos/columns.ts';
import { type LanczosResult, lanczosSteps } from '../lanczos/lanczos.ts';
import type { LanczosProgress } from '../lanczos/search.ts';
import { columnOf, type Matrix } from '../matrix.ts';
import { nullVectors } from '../multilevel/null-space.ts';
import type { Analysis } from './analysis.ts';
import { closerShiftSteps, type ShiftedFactor } from './closer-shift.ts';
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
/** The accuracy of Lanczos on the inverse, relative to the tolerance: in the first search, and in later ones. */
const accuracy = { first: 10, later: 0.1, least: 1e-12, most: 1e-5 };
/** The limit on searches. Each one finds eigenvalues up to about the root of the smallest one that is left. */
const mostSearches = 8;
/** Solves of a search, per pair and at least, after which a closer shift is tried. Few graphs need a quarter of them. */
const patience = { each: 25, least: 200 };

/**
 * Lanczos bounds residuals r of the inverse relative to its norm, 1/λ for the smallest λ. A solve makes of them residuals μ²r of A: too
 * large for eigenvalues μ far above λ, as in a graph with a weak link. So pairs within the tolerance are left out, and the
 * others are searched again, with a smaller norm. Eigenvalues that crowd far above 0 take many solves, unless the shift moves closer.
 */
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
  const shift = relativeShift * scale;
  const factor = yield* subtask(shiftedFactorSteps(pencil, analysis, shift), 0, 0.3);
  if ('pivot' in factor) throw new Error(`shiftInvert: expected positive pivots, got ${factor.pivot}.`);
  let near: ShiftedFactor = { shift, factor };
  let isClosest = false;
  try {
    let accepted: readonly Pair[] = [];
    let products = 0;
    for (let search = 1; ; search++) {
      const vectors = accepted.map(({ vector }) => vector);
      const inverse = new Inverse(pencil, near.factor, [...known, ...vectors]);
      const done = 0.3 + (0.7 * accepted.length) / wanted;
      const missing = wanted - accepted.length;
      const patient = isClosest ? Infinity : products + Math.max(patience.least, patience.each * missing);
      const limits = { ...options, productLimit: Math.min(patient, options.productLimit) };
      const found = yield* subtask(searchSteps(inverse, missing, products, search === 1, limits), done, done);
      const pairs = ritzPairs(pencil, [...vectors, ...inverse.applyTo(found.vectors)]);
      products += found.products + missing + wanted;
      const close = pairs.filter(({ residual }) => residual <= options.tolerance * scale);
      const isComplete = close.length === wanted;
      if (!found.converged && patient < options.productLimit) {
        const closer = isComplete
          ? null
          : yield* closerShiftSteps(pencil, analysis, near.shift, known.length, pairs, close);
        isClosest = closer === null;
        if (!closer) continue;
        near.factor.close();
        near = closer;
      } else {
        const isStuck = !found.converged || search >= mostSearches || (search > 1 && close.length <= accepted.length);
        if (isComplete || isStuck) return resultOf(size, known, pairs, products, isComplete && found.converged);
      }
      accepted = close;
    }
  } finally {
    near.factor.close();
  }
}

/** The `count` largest eigenpairs of the inverse. `spent`: the products before. */
function searchSteps(
  inverse: Inverse,
  count: number,
  spent: number,
  isFirst: boolean,
  { tolerance, productLimit, seed, verify, onRestart }: ShiftInvertOptions,
): Task<LanczosResult> {
  const basis = count + basisBeyond + Math.ceil(count / 2);
  const factor = isFirst ? accuracy.first : accuracy.later;
  return lanczosSteps(inverse, {
    count,
    basis,
    tolerance: Math.min(accuracy.most, Math.max(accuracy.least, factor * tolerance)),
    productLimit: Math.max(productLimit - spent, basis + count + 2),
    seed,
    deflate: columnsOf(inverse.size, inverse.excluded),
    verify,
    trusted: true,
    onRestart: (state) => onRestart?.({ ...state, products: spent + state.products }),
  });
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

/** (A − σI)⁻¹ on the complement of known eigenvectors. */
class Inverse {
  readonly size: number;
  readonly excluded: readonly Float64Array[];
  readonly #factor: Factor;
  readonly #roots: Float64Array;

  constructor({ mass }: LaplacianPencil, factor: Factor, excluded: readonly Float64Array[]) {
    this.size = mass.length;
    this.excluded = excluded;
    this.#factor = factor;
    this.#roots = new Float64Array(mass.length);
    for (let i = 0; i < mass.length; i++) this.#roots[i] = Math.sqrt(mass[i]);
  }

  /**
   * y ← (A − σI)⁻¹x = M^½(L − σM)⁻¹M^½x, with the part in known vectors left out of x and of the result. That of the null
   * vectors would grow by 1/σ, and its rounding with it.
   */
  apply(x: Float64Array, y: Float64Array): void {
    const { size } = this;
    const roots = this.#roots;
    y.set(x);
    this.#project(y);
    for (let i = 0; i < size; i++) y[i] *= roots[i];
    this.#factor.solve(y, y);
    for (let i = 0; i < size; i++) y[i] *= roots[i];
    this.#project(y);
  }

  /** The images of the columns of a matrix. */
  applyTo({ cols, data }: Matrix): Float64Array[] {
    return Array.from({ length: cols }, (_, c) => {
      const image = new Float64Array(this.size);
      this.apply(columnOf(data, cols, c), image);
      return image;
    });
  }

  #project(x: Float64Array): void {
    for (const vector of this.excluded) subtractProjection(vector, x);
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
