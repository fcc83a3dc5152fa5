/** Weights of nearest neighbors: 1 or a Gaussian of the distance, then made symmetric. */

import { badValue, checkCount } from '../../core/check.ts';
import type { Rules } from '../../core/options.ts';
import type { Seed } from '../../core/random.ts';
import { fromCsr } from '../../sparse/build.ts';
import { symmetrize } from '../../sparse/combine.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { nearestNeighborsSteps, type NeighborMethod, neighborMethods, type Neighbors } from '../neighbors/neighbors.ts';
import { subtask, type Task } from '../../core/task.ts';
import { checkLength } from '../neighbors/points.ts';

/** Which neighbors a point has, and how the matrix becomes symmetric. */
export interface NeighborhoodOptions {
  /** k. Default: 16. */
  readonly neighbors?: number | undefined;
  /** Whether a point is one of its own k neighbors, with an entry on the diagonal. Default: true. */
  readonly includeSelf?: boolean | undefined;
  /**
   * Row i of A holds the weights of i's neighbors. 'mean' is (A + Aᵀ)/2, half the weight where only one of two points is the
   * other's neighbor; 'max' is the full weight there.
   */
  readonly symmetric?: 'mean' | 'max' | undefined;
  readonly method?: 'auto' | NeighborMethod | undefined;
  readonly seed?: Seed | undefined;
}

/** Weight 1 for each of the k nearest. Default of `symmetric`: 'mean'. */
export interface KnnOptions extends NeighborhoodOptions {
  readonly kind: 'knn';
}

/** exp(−‖x − y‖²/(2σ²)) for each of the k nearest. Default of `symmetric`: 'max', so that weights depend on distances only. */
export interface KnnGaussianOptions extends NeighborhoodOptions {
  readonly kind: 'knn-gaussian';
  /** σ. Default: the median distance of a point to the last of its neighbors. */
  readonly sigma?: number | undefined;
}

/** exp(−‖x − y‖²/(σₓσᵧ)) for each of the k nearest (Zelnik-Manor & Perona 2004). Default of `symmetric`: 'max'. */
export interface SelfTunedOptions extends NeighborhoodOptions {
  readonly kind: 'self-tuned';
  /** m: σₓ is the distance of x to its m-th neighbor, x itself not counted. Default: 7, or all if there are fewer. */
  readonly scaleNeighbor?: number | undefined;
}

const neighborhoodRules = {
  kind: 'any',
  neighbors: 'number',
  includeSelf: 'boolean',
  symmetric: ['mean', 'max'],
  method: ['auto', ...neighborMethods],
  seed: 'seed',
} as const satisfies Rules<KnnOptions>;

/** The options of each kind of neighbor graph. */
export const neighborRules = {
  knn: neighborhoodRules,
  'knn-gaussian': { ...neighborhoodRules, sigma: 'number' } satisfies Rules<KnnGaussianOptions>,
  'self-tuned': { ...neighborhoodRules, scaleNeighbor: 'number' } satisfies Rules<SelfTunedOptions>,
} as const;

/** Weights, and what was measured on the way. */
export interface NeighborWeights {
  readonly weights: CsrMatrix;
  readonly method: NeighborMethod;
  readonly recall?: number;
  readonly repeated?: number;
  readonly sigma?: number;
}

const caller = 'buildGraph';

export type NeighborRecipe = KnnOptions | KnnGaussianOptions | SelfTunedOptions;

/** The options of a neighbor graph with their defaults. Only 'self-tuned' uses `scaleNeighbor`. */
export interface ResolvedNeighborhood {
  readonly neighbors: number;
  readonly includeSelf: boolean;
  readonly symmetric: 'mean' | 'max';
  readonly scaleNeighbor: number;
  /** The number of neighbors of a point other than itself. */
  readonly others: number;
}

export function resolveNeighborhood(options: NeighborRecipe): ResolvedNeighborhood {
  const { neighbors = 16, includeSelf = true, symmetric = options.kind === 'knn' ? 'mean' : 'max' } = options;
  const others = includeSelf ? neighbors - 1 : neighbors;
  const { scaleNeighbor = Math.min(7, others) } = options as Partial<SelfTunedOptions>;
  return { neighbors, includeSelf, symmetric, scaleNeighbor, others };
}

export function* knnWeights(points: Tensor, options: KnnOptions): Task<NeighborWeights> {
  const found = yield* findFor(points, options);
  const ones = new Float64Array(found.indices.length).fill(1);
  return { ...outcome(found), weights: assemble(points.rows, found, ones, options) };
}

export function* knnGaussianWeights(points: Tensor, options: KnnGaussianOptions): Task<NeighborWeights> {
  if (options.sigma !== undefined) checkLength(caller, 'sigma', options.sigma);
  const found = yield* findFor(points, options);
  const sigma = options.sigma ?? medianReach(found);
  const values = Float64Array.from(found.squaredDistances, (squared) => Math.exp(squared / (-2 * sigma * sigma)));
  return { ...outcome(found), sigma, weights: assemble(points.rows, found, values, options) };
}

export function* selfTunedWeights(points: Tensor, options: SelfTunedOptions): Task<NeighborWeights> {
  const { includeSelf, others, scaleNeighbor: m } = resolveNeighborhood(options);
  checkCount(caller, 'scaleNeighbor', m, 1);
  if (m > others) throw badValue(caller, `scaleNeighbor to be at most the ${others} other neighbors`, m);
  const found = yield* findFor(points, options);
  const sigmas = ownScales(points.rows, found, includeSelf ? m : m - 1);
  const values = Float64Array.from(found.squaredDistances, (squared, e) => {
    const i = Math.floor(e / found.neighbors);
    return Math.exp(-squared / (sigmas[i] * sigmas[found.indices[e]]));
  });
  return { ...outcome(found), weights: assemble(points.rows, found, values, options) };
}

function* findFor(points: Tensor, options: NeighborRecipe): Task<Neighbors> {
  const { neighbors, includeSelf } = resolveNeighborhood(options);
  const { method, seed } = options;
  checkCount(caller, 'neighbors', neighbors, includeSelf ? 2 : 1);
  return yield* subtask(nearestNeighborsSteps(caller, points, { neighbors, includeSelf, method, seed }), 0, 0.95);
}

function outcome({ method, recall, ...found }: Neighbors): Omit<NeighborWeights, 'weights' | 'sigma'> {
  const repeated = squaredReaches(found).filter((squared) => squared === 0).length;
  return { method, ...(recall !== undefined && { recall }), ...(repeated > 0 && { repeated }) };
}

/** The squared distance of every point to the last of its neighbors. */
function squaredReaches({
  neighbors,
  squaredDistances,
}: Pick<Neighbors, 'neighbors' | 'squaredDistances'>): Float32Array {
  return squaredDistances.filter((_, e) => e % neighbors === neighbors - 1);
}

/** A from the rows of neighbors without its zeros, then made symmetric. */
function assemble(size: number, found: Neighbors, values: Float64Array, options: NeighborRecipe): CsrMatrix {
  const starts = new Int32Array(size + 1);
  const columns = found.indices.slice();
  let kept = 0;
  for (let i = 0; i < size; i++) {
    for (let e = i * found.neighbors; e < (i + 1) * found.neighbors; e++) {
      if (Math.fround(values[e]) === 0) continue; // too far for single precision
      columns[kept] = found.indices[e];
      values[kept++] = values[e];
    }
    starts[i + 1] = kept;
  }
  const arrays = { starts, columns: columns.subarray(0, kept), values: values.subarray(0, kept) };
  return symmetrize(fromCsr(arrays, [size, size]), resolveNeighborhood(options).symmetric);
}

function medianReach(found: Neighbors): number {
  const last = squaredReaches(found);
  last.sort();
  const median = Math.sqrt(last[last.length >>> 1]);
  if (median > 0) return median;
  const got = 'points that coincide with all their neighbors';
  throw badValue(
    caller,
    'a positive median distance to the last neighbor',
    got,
    'Remove repeated points, give sigma, or ask for more neighbors.',
  );
}

/** The distance to the neighbor at `place` of every row. */
function ownScales(size: number, { neighbors, squaredDistances }: Neighbors, place: number): Float64Array {
  return Float64Array.from({ length: size }, (_, i) => {
    const squared = squaredDistances[i * neighbors + place];
    if (squared > 0) return Math.sqrt(squared);
    const expected = 'every point to be apart from the neighbor that sets its scale';
    const remedy = 'Remove repeated points, or raise scaleNeighbor.';
    throw badValue(caller, expected, `point ${i}, which coincides with it`, remedy);
  });
}
