/** The outermost eigenpairs of a large symmetric operator, by thick-restart Lanczos. */

import { badKind, badValue, checkCount, checkFinite, showShape } from '../../core/check.ts';
import { checkOptions, type Rules } from '../../core/options.ts';
import { type ProgressOptions, progressRules, runAsync, type Task } from '../../core/task.ts';
import { Random, type Seed } from '../../core/random.ts';
import type { Floats } from '../../kernels/types.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { columnsOf } from './columns.ts';
import { decomposeDenseSteps } from './dense.ts';
import { KrylovBasis } from './krylov.ts';
import { CountedOperator, checkOperator, checkProducts, type LinearOperator } from './operator.ts';
import { searchPairsSteps } from './pairs.ts';
import type { LanczosProgress, SearchSettings } from './search.ts';
import { columnOf, type Matrix } from '../matrix.ts';

/** The eigenpairs to find, their accuracy, and limits of memory and work. */
export interface LanczosOptions extends ProgressOptions {
  /** The number of eigenpairs. */
  readonly count: number;
  /** Which end of the spectrum, by sign and not by magnitude. Default: 'largest'. */
  readonly which?: 'largest' | 'smallest';
  /** A pair has converged when ‖Ax − λx‖ is at most this times the norm of A, as far as that is known. Default: 1e-10. */
  readonly tolerance?: number;
  /**
   * The number of basis vectors, in addition to `count` + 1, of 8·n bytes each: 32 vectors of a million numbers take 256 MB. A
   * larger basis needs fewer products, and more time for each. Default: 2·count + 20, at least 32.
   */
  readonly basis?: number;
  /** The limit on products. Once it is reached, the pairs found so far are returned with `converged: false`. Default: 10,000. */
  readonly productLimit?: number;
  /** Seeds the random vectors. The same seed gives the same bits. Default: 0. */
  readonly seed?: Seed;
  /**
   * Independent columns to deflate: the operator becomes PAP, where P projects onto the complement of their span, and
   * eigenvectors are searched for there. If the columns are eigenvectors of A then so are the vectors that are found.
   */
  readonly deflate?: Tensor;
  /** The starting vector, n numbers. One near the wanted eigenvectors saves products. Default: random. */
  readonly start?: Floats;
  /**
   * Search the complement of the pairs found for eigenvalues beyond the last, until there is none. False saves a sixth of
   * the products or more, but copies of multiple eigenvalues can be missing. Default: true.
   */
  readonly verify?: boolean;
  /** Called each time the basis is full. */
  readonly onRestart?: ((state: LanczosProgress) => void) | undefined;
}

const lanczosRules = {
  ...progressRules,
  count: 'number',
  which: ['largest', 'smallest'],
  tolerance: 'number',
  basis: 'number',
  productLimit: 'number',
  seed: 'seed',
  deflate: 'any',
  start: 'any',
  verify: 'boolean',
  onRestart: 'function',
} as const satisfies Rules<LanczosOptions>;

/** The eigenpairs found, their residuals, and the cost of the search. */
export interface LanczosResult {
  /** Descending for 'largest', ascending for 'smallest'. */
  readonly values: Float64Array;
  /** n×count, orthonormal. Column i belongs to value i; its entry of largest magnitude, the first of several, is positive. */
  readonly vectors: Matrix;
  /** ‖Ax − λx‖ of each pair (of PAP, with deflation), computed from a product at the end. */
  readonly residuals: Float64Array;
  /** Whether all residuals are within the tolerance and, with `verify`, the last search found nothing beyond. */
  readonly converged: boolean;
  /** The largest ‖Ax‖ and |xᵀAx| found for unit vectors x: a lower bound of the norm of A, the measure of the tolerance. */
  readonly norm: number;
  /** Products with the operator, including those for checks and residuals. */
  readonly products: number;
  readonly restarts: number;
  /** 'dense' if the operator was so small that its matrix was formed from n products and decomposed. */
  readonly method: 'lanczos' | 'dense';
}

/** The default size of the basis: 2·count + `beyond`, and at least `least`. */
const basisDefaults = { beyond: 20, least: 32 };

/** The default size of the basis for `count` pairs. */
export function defaultBasis(count: number): number {
  return Math.max(2 * count + basisDefaults.beyond, basisDefaults.least);
}

/** An operator up to this many times as large as the basis is decomposed as a dense matrix, which is faster then. */
const denseUpTo = 3;

/**
 * The `count` largest or smallest eigenvalues of a symmetric operator with their eigenvectors, repeated eigenvalues as
 * often as they occur. Memory: the basis, `count` + 1 vectors of n Float64, rarely a few more for pairs that were missed at
 * first, and the result.
 */
export async function lanczos(operator: LinearOperator, options: LanczosOptions): Promise<LanczosResult> {
  checkOptions('lanczos', options, lanczosRules);
  return runAsync(lanczosSteps(operator, options), options);
}

/** Internal options. */
interface TrustedOptions extends LanczosOptions {
  /**
   * The operator is known to be symmetric and of moderate size, and estimates of the residuals are enough. Saves two products, and one
   * for each pair. Default: false.
   */
  readonly trusted?: boolean;
}

/** `lanczos` as a task that yields after every product with the operator. */
export function* lanczosSteps(operator: LinearOperator, options: TrustedOptions): Task<LanczosResult> {
  checkOperator(operator);
  const settings = resolveOptions(operator.size, options);
  const { count, tolerance, dense } = settings;
  const counted = new CountedOperator(operator);
  const fixed = count + (options.deflate?.cols ?? 0);
  const krylov = new KrylovBasis(counted, settings.basis, fixed, settings.random.fork('vectors'));
  try {
    fixColumns(krylov, options.deflate);
    const { pairs, complete, norm, restarts } = dense
      ? yield* decomposeDenseSteps(counted, fixedRows(krylov), count, settings.sign)
      : yield* searchPairsSteps(counted, krylov, settings);
    return {
      values: Float64Array.from(pairs, ({ value }) => value),
      vectors: columnsOf(
        operator.size,
        pairs.map(({ vector }) => vector),
      ),
      residuals: Float64Array.from(pairs, ({ residual }) => residual),
      converged: complete && pairs.every(({ residual }) => residual <= tolerance * norm),
      norm,
      products: counted.products,
      restarts,
      method: dense ? 'dense' : 'lanczos',
    };
  } finally {
    krylov.close();
  }
}

/** Checks the options and fills in the defaults. */
function resolveOptions(size: number, options: TrustedOptions): SearchSettings & { dense: boolean } {
  const { count, which = 'largest', tolerance = 1e-10, productLimit = 10_000, deflate, start } = options;
  checkCount('lanczos', 'count', count, 1);
  const deflated = deflate === undefined ? 0 : checkColumns(size, deflate);
  const room = size - deflated;
  if (count > room) {
    const rule = deflated === 0 ? `the operator's size` : `size ${size} less ${deflated} deflated columns`;
    throw badValue('lanczos', `count to be at most ${room}, ${rule}`, count);
  }
  checkTolerance('lanczos', tolerance);
  const { basis = defaultBasis(count) } = options;
  checkCount('lanczos', 'basis', basis, count + 2);
  checkCount('lanczos', 'productLimit', productLimit, 1);
  const dense = size <= denseUpTo * basis && size <= productLimit;
  const least = Math.min(basis, room) + count + checkProducts;
  if (!dense && productLimit < least) {
    const remedy = `It takes ${least - count} for a first basis and ${count} for residuals.`;
    throw badValue('lanczos', `productLimit to be at least ${least}`, productLimit, remedy);
  }
  if (start !== undefined) checkStart(size, start);
  return {
    count,
    sign: which === 'largest' ? 1 : -1,
    tolerance,
    basis: Math.min(basis, room),
    productLimit,
    random: new Random(options.seed ?? 0),
    start,
    verify: options.verify ?? true,
    trusted: options.trusted ?? false,
    onRestart: options.onRestart,
    dense,
  };
}

/** Refuses a tolerance that is not between 0 and 1. */
export function checkTolerance(caller: string, tolerance: number): void {
  if (!(tolerance > 0 && tolerance < 1)) throw badValue(caller, 'tolerance between 0 and 1', tolerance);
}

function checkColumns(size: number, deflate: Tensor): number {
  if (!(deflate instanceof Tensor)) throw badKind('lanczos', 'deflate to be a Tensor of columns', deflate);
  if (deflate.shape.length === 0 || deflate.shape.length > 2 || deflate.rows !== size) {
    throw badValue('lanczos', `deflate with ${size} rows, the operator's size`, `shape ${showShape(deflate.shape)}`);
  }
  checkFinite('lanczos', 'deflate', deflate.data, deflate.cols);
  return deflate.cols;
}

function checkStart(size: number, start: Floats): void {
  if (!(start instanceof Float32Array || start instanceof Float64Array)) {
    throw badKind('lanczos', 'start to be a Float32Array or Float64Array', start);
  }
  if (start.length !== size) throw badValue('lanczos', `start of ${size} numbers, the operator's size`, start.length);
  checkFinite('lanczos', 'start', start);
}

/** Orthonormalizes the columns and makes them the first fixed rows. */
function fixColumns(krylov: KrylovBasis, deflate: Tensor | undefined): void {
  if (!deflate) return;
  const { cols, data } = deflate;
  for (let j = 0; j < cols; j++) {
    if (!krylov.begin(columnOf(data, cols, j))) {
      const got = `column ${j} that depends on those before it`;
      throw badValue('lanczos', 'independent columns in deflate', got, 'Leave it out: their span is what counts.');
    }
    krylov.fixStart();
  }
}

function fixedRows(krylov: KrylovBasis): Float64Array[] {
  return Array.from({ length: krylov.fixed }, (_, i) => krylov.row(i));
}
