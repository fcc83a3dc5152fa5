/** Weights of nearest neighbors: 1 or a Gaussian of the distance, then made symmetric. */

import { badValue, checkCount } from '../../core/check.ts';
import type { Rules } from '../../core/options.ts';
import type { Seed } from '../../core/random.ts';
import { csrOfRows } from '../../sparse/build.ts';
import { dropZeros, symmetrize } from '../../sparse/combine.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import { type NeighborMethod, neighborMethods, type NeighborOrigin, type Neighbors } from '../neighbors/neighbors.ts';
import {
  type GraphSource,
  neighborsOfSourceSteps,
  type SourceMetricOptions,
  sourceMetricRules,
} from '../neighbors/source.ts';
import { type ConnectOptions, connectRules, type DensityOptions, densityRules, type WeightRule } from './weights.ts';
import { subtask, type Task } from '../../core/task.ts';
import type { VariableBandwidth } from '../graph.ts';
import { checkLength } from '../neighbors/points.ts';
import { sigmaRule, type TunedBandwidth, tuneBandwidth } from './bandwidth.ts';
import {
  type BandwidthOptions,
  bandwidthRules,
  tuneRatios,
  variableBandwidth,
  variableNeighbors,
} from './variable-bandwidth.ts';

/** Which neighbors a point has, and how the matrix becomes symmetric. */
export interface NeighborhoodOptions extends SourceMetricOptions, ConnectOptions, DensityOptions {
  /** k. Default: 16, or 128 under a variable bandwidth. */
  readonly neighbors?: number | undefined;
  /** Whether a point is one of its own k neighbors, with an entry on the diagonal. Default: true. */
  readonly includeSelf?: boolean | undefined;
  /**
   * Row i of A holds the weights of i's neighbors. 'mean' is (A + Aᵀ)/2, half the weight where only one of two points is the
   * other's neighbor; 'max' is the full weight there; 'mutual' is no weight there.
   */
  readonly symmetric?: (typeof symmetries)[number] | undefined;
  readonly method?: 'auto' | NeighborMethod | undefined;
  readonly seed?: Seed | undefined;
}

/** A bound for the weights of neighbors that are far away. */
export interface LeastWeightOptions {
  /**
   * No neighbor weighs less. 0.05 keeps outliers from being cut off, whose weights would be nearly 0, and hardly changes other
   * graphs. Default: 0.
   */
  readonly leastWeight?: number | undefined;
}

/** Weight 1 for each of the k nearest. Default of `symmetric`: 'mean'. */
export interface KnnOptions extends NeighborhoodOptions {
  readonly kind: 'knn';
}

/** exp(−‖x − y‖²/(2σ²)) for each of the k nearest. Default of `symmetric`: 'max', so that weights depend on distances only. */
export interface KnnGaussianOptions extends NeighborhoodOptions, LeastWeightOptions, BandwidthOptions {
  readonly kind: 'knn-gaussian';
  /**
   * σ. 'auto' finds it by the log-derivative rule of Berry, Giannakis and Harlim. Default: the median distance of a point to
   * the last of its neighbors, or 'auto' under a variable bandwidth.
   */
  readonly sigma?: number | 'auto' | undefined;
}

/** exp(−‖x − y‖²/(σₓσᵧ)) for each of the k nearest (Zelnik-Manor & Perona 2004). Default of `symmetric`: 'max'. */
export interface SelfTunedOptions extends NeighborhoodOptions, LeastWeightOptions {
  readonly kind: 'self-tuned';
  /** m: σₓ is the distance of x to its m-th neighbor, x itself not counted. Default: 7, or all if there are fewer. */
  readonly scaleNeighbor?: number | undefined;
}

const symmetries = ['mean', 'max', 'mutual'] as const;

const neighborhoodRules = {
  kind: 'any',
  neighbors: 'number',
  includeSelf: 'boolean',
  symmetric: symmetries,
  method: ['auto', ...neighborMethods],
  seed: 'seed',
  ...sourceMetricRules,
  ...connectRules,
  ...densityRules,
} as const satisfies Rules<KnnOptions>;

/** The options of each kind of neighbor graph. */
export const neighborRules = {
  knn: neighborhoodRules,
  'knn-gaussian': {
    ...neighborhoodRules,
    ...bandwidthRules,
    sigma: sigmaRule,
    leastWeight: 'number',
  } satisfies Rules<KnnGaussianOptions>,
  'self-tuned': {
    ...neighborhoodRules,
    scaleNeighbor: 'number',
    leastWeight: 'number',
  } satisfies Rules<SelfTunedOptions>,
} as const;

/** Weights, and what was measured on the way. */
export interface NeighborWeights {
  readonly weights: CsrMatrix;
  readonly rule: WeightRule;
  readonly method: NeighborOrigin;
  readonly recall?: number;
  readonly repeated?: number;
  readonly squaredReaches: Float32Array;
  readonly treeOrder?: Int32Array;
  readonly scales?: Float64Array;
  readonly sigma?: number;
  readonly dimension?: number;
  readonly variable?: VariableBandwidth;
}

const caller = 'buildGraph';

/** A graph of nearest neighbors, of any of its three kinds. */
export type NeighborRecipe = KnnOptions | KnnGaussianOptions | SelfTunedOptions;

/** Whether a recipe, of any kind, searches for the k nearest. */
export function isNeighborRecipe(recipe: { readonly kind: string }): recipe is NeighborRecipe {
  return Object.hasOwn(neighborRules, recipe.kind);
}

/** The options of a neighbor graph with their defaults. Only 'self-tuned' uses `scaleNeighbor`. */
export interface ResolvedNeighborhood {
  readonly neighbors: number;
  readonly includeSelf: boolean;
  readonly symmetric: (typeof symmetries)[number];
  readonly scaleNeighbor: number;
  /** The number of neighbors of a point other than itself. */
  readonly others: number;
}

/** The number of neighbors, if the recipe states none. */
export function defaultNeighbors(recipe: NeighborRecipe): number {
  return recipe.kind === 'knn-gaussian' && recipe.bandwidth === 'variable' ? variableNeighbors : 16;
}

export function resolveNeighborhood(options: NeighborRecipe): ResolvedNeighborhood {
  const { includeSelf = true, symmetric = options.kind === 'knn' ? 'mean' : 'max' } = options;
  const { neighbors = defaultNeighbors(options) } = options;
  const others = includeSelf ? neighbors - 1 : neighbors;
  const { scaleNeighbor = Math.min(7, others) } = options as Partial<SelfTunedOptions>;
  return { neighbors, includeSelf, symmetric, scaleNeighbor, others };
}

export function* knnWeightsSteps(source: GraphSource, options: KnnOptions): Task<NeighborWeights> {
  const found = yield* findForSteps(source, options);
  return { ...outcome(found), ...weighed(found, () => 1, options) };
}

export function* knnGaussianWeightsSteps(source: GraphSource, options: KnnGaussianOptions): Task<NeighborWeights> {
  if (options.sigma !== undefined && options.sigma !== 'auto') checkLength(caller, 'sigma', options.sigma);
  const found = yield* findForSteps(source, options);
  if (options.bandwidth === 'variable') return variableWeights(found, options);
  const tuned =
    options.sigma === 'auto' ? tunedFor(found, options) : { sigma: options.sigma ?? medianReach(reachesOf(found)) };
  const { sigma } = tuned;
  const rule = atLeast(options, (squared) => Math.exp(squared / (-2 * sigma * sigma)));
  return { ...outcome(found), ...tuned, ...weighed(found, rule, options) };
}

/** The weights under a variable bandwidth, before its density normalization. */
function variableWeights(found: Neighbors, options: KnnGaussianOptions): NeighborWeights {
  const { includeSelf } = resolveNeighborhood(options);
  const variable = variableBandwidth(caller, found, includeSelf);
  const { bandwidths } = variable;
  const tuned = tuneRatios(caller, found, bandwidths, includeSelf);
  const sigma = typeof options.sigma === 'number' ? options.sigma : tuned.sigma;
  const rule = atLeast(options, (squared, i, j) =>
    Math.exp(squared / (-2 * sigma * sigma * bandwidths[i] * bandwidths[j])),
  );
  return { ...outcome(found), sigma, dimension: tuned.dimension, variable, ...weighed(found, rule, options) };
}

export function* selfTunedWeightsSteps(source: GraphSource, options: SelfTunedOptions): Task<NeighborWeights> {
  const { includeSelf, others, scaleNeighbor: m } = resolveNeighborhood(options);
  checkCount(caller, 'scaleNeighbor', m, 1);
  if (m > others) throw badValue(caller, `scaleNeighbor to be at most the ${others} other neighbors`, m);
  const found = yield* findForSteps(source, options);
  const scales = ownScales(found, includeSelf ? m : m - 1);
  const rule = atLeast(options, (squared, i, j) => Math.exp(-squared / (scales[i] * scales[j])));
  return { ...outcome(found), scales, ...weighed(found, rule, options) };
}

/** The rule with the least weight of the recipe. */
export function atLeast({ leastWeight = 0 }: LeastWeightOptions, rule: WeightRule): WeightRule {
  if (!(leastWeight >= 0 && leastWeight <= 1)) throw badValue(caller, 'leastWeight from 0 to 1', leastWeight);
  return leastWeight === 0 ? rule : (squared, i, j) => Math.max(leastWeight, rule(squared, i, j));
}

function* findForSteps(source: GraphSource, options: NeighborRecipe): Task<Neighbors> {
  const { neighbors, includeSelf } = resolveNeighborhood(options);
  checkCount(caller, 'neighbors', neighbors, includeSelf ? 2 : 1);
  return yield* subtask(neighborsOfSourceSteps(caller, source, { ...options, neighbors, includeSelf }), 0, 0.95);
}

function outcome(found: Neighbors): Omit<NeighborWeights, 'weights' | 'rule' | 'sigma'> {
  const { method, recall, treeOrder } = found;
  const squaredReaches = reachesOf(found);
  const repeated = squaredReaches.filter((squared) => squared === 0).length;
  return {
    method,
    ...(recall !== undefined && { recall }),
    ...(repeated > 0 && { repeated }),
    squaredReaches,
    ...(treeOrder && { treeOrder }),
  };
}

/** The squared distance of every point to the last of its neighbors. */
function reachesOf({ neighbors, squaredDistances }: Pick<Neighbors, 'neighbors' | 'squaredDistances'>): Float32Array {
  const reaches = new Float32Array(squaredDistances.length / neighbors);
  for (let i = 0; i < reaches.length; i++) reaches[i] = squaredDistances[(i + 1) * neighbors - 1];
  return reaches;
}

/** A from the rows of neighbors without its zeros, then made symmetric. Overwrites indices and distances: they are large. */
function weighed(
  found: Neighbors,
  rule: WeightRule,
  options: NeighborRecipe,
): Pick<NeighborWeights, 'weights' | 'rule'> {
  const size = sizeOf(found);
  const { neighbors, indices, squaredDistances } = found;
  const starts = new Int32Array(size + 1);
  let kept = 0;
  for (let i = 0; i < size; i++) {
    for (let e = i * neighbors; e < (i + 1) * neighbors; e++) {
      const value = Math.fround(rule(squaredDistances[e], i, indices[e]));
      if (value === 0) continue; // too far for single precision
      indices[kept] = indices[e];
      squaredDistances[kept++] = value;
    }
    starts[i + 1] = kept;
  }
  const directed = csrOfRows(caller, size, size, starts, indices.subarray(0, kept), squaredDistances.subarray(0, kept));
  return { weights: symmetricWeights(directed, options), rule };
}

function symmetricWeights(directed: CsrMatrix, options: NeighborRecipe): CsrMatrix {
  const { symmetric } = resolveNeighborhood(options);
  return symmetric === 'mutual' ? dropZeros(symmetrize(directed, 'min')) : symmetrize(directed, symmetric);
}

/** The bandwidth that suits the distances to neighbors. */
function tunedFor(found: Neighbors, options: NeighborRecipe): TunedBandwidth {
  const { includeSelf } = resolveNeighborhood(options);
  return tuneBandwidth(caller, found.squaredDistances, includeSelf ? 0 : sizeOf(found));
}

/** The median distance of a point to the last of its neighbors, from the squared distances, which it sorts in place. */
export function medianReach(squaredReaches: Float32Array): number {
  squaredReaches.sort();
  const median = Math.sqrt(squaredReaches[squaredReaches.length >>> 1]);
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
function ownScales(found: Neighbors, place: number): Float64Array {
  const { neighbors, squaredDistances } = found;
  return Float64Array.from({ length: sizeOf(found) }, (_, i) => ownScale(squaredDistances[i * neighbors + place], i));
}

/** σ of a point, from the squared distance to the neighbor that sets it. */
export function ownScale(squared: number, point: number): number {
  if (squared > 0) return Math.sqrt(squared);
  const expected = 'every point to be apart from the neighbor that sets its scale';
  const remedy = 'Remove repeated points, or raise scaleNeighbor.';
  throw badValue(caller, expected, `point ${point}, which coincides with it`, remedy);
}

function sizeOf({ neighbors, indices }: Neighbors): number {
  return indices.length / neighbors;
}
