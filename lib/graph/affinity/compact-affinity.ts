/** Weights of kernels with compact support: W[i,j] = h(‖xᵢ − xⱼ‖²/σ²), eq:kernel-W, including the diagonal h(0). */

import { badKind, badValue } from '../../core/check.ts';
import type { Rules } from '../../core/options.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import type { RadiusRows } from '../neighbors/hit-list.ts';
import { subtask, type Task } from '../../core/task.ts';
import { checkLength } from '../neighbors/points.ts';
import { metricOptions } from '../neighbors/metric.ts';
import { radiusAmongSteps } from '../neighbors/radius.ts';
import {
  type GraphSource,
  isPrecomputed,
  metricOfPoints,
  pairsOfSourceSteps,
  type SourceMetricOptions,
  sourceMetricRules,
} from '../neighbors/source.ts';
import { type Points, takePoints } from '../../sparse/points.ts';
import { sigmaRule, type TunedBandwidth, tuneBandwidth } from './bandwidth.ts';
import {
  type ConnectOptions,
  connectRules,
  type DensityOptions,
  densityRules,
  type WeightRows,
  type WeightRule,
} from './weights.ts';
import { weightScale } from '../weight-scale.ts';

/** Gaussian weights of all pairs that are near enough. */
export interface GaussianOptions extends SourceMetricOptions, ConnectOptions, DensityOptions {
  readonly kind: 'gaussian';
  /** σ of exp(−‖x − y‖²/(2σ²)). 'auto' finds it by the log-derivative rule of Berry, Giannakis and Harlim. */
  readonly sigma: number | 'auto';
  /** Weights above it are kept. Default: 0.01, which is reached at 3σ. */
  readonly threshold?: number | undefined;
}

/** Weight 1 for all pairs within a radius. */
export interface IndicatorOptions extends SourceMetricOptions, ConnectOptions, DensityOptions {
  readonly kind: 'indicator';
  /** Weight 1 where ‖x − y‖ < radius. */
  readonly radius: number;
}

/** Weights by a function of your own. */
export interface KernelOptions extends SourceMetricOptions, ConnectOptions, DensityOptions {
  readonly kind: 'kernel';
  /** h, a function of ‖x − y‖²/σ² with finite values that are not negative. */
  readonly kernel: (squaredRatio: number) => number;
  /** σ. Default: 1. */
  readonly sigma?: number | undefined;
  /** Pairs with ‖x − y‖ < radius are kept. */
  readonly radius?: number | undefined;
  /** Weights above it are kept. Without a radius, h must fall below it and stay there. */
  readonly threshold?: number | undefined;
}

const pairRules = { ...sourceMetricRules, ...connectRules, ...densityRules } as const;

/** The options of each kind of compact kernel. */
export const compactRules = {
  gaussian: { kind: 'any', sigma: sigmaRule, threshold: 'number', ...pairRules } satisfies Rules<GaussianOptions>,
  indicator: { kind: 'any', radius: 'number', ...pairRules } satisfies Rules<IndicatorOptions>,
  kernel: {
    kind: 'any',
    kernel: 'function',
    sigma: 'number',
    radius: 'number',
    threshold: 'number',
    ...pairRules,
  } satisfies Rules<KernelOptions>,
} as const;

const caller = 'buildGraph';
/** Distances are rounded to single precision before h is applied. A search that is wider by this factor misses no pair. */
const margin = 1 + 2 ** -20;

/** The fraction of the progress that the search counts for. */
const searchFraction = 0.9;

/** A function of the squared distance, and how far to look for pairs. */
export interface CompactRule {
  readonly radius: number;
  readonly weight: (squaredDistance: number) => number;
  /** Weights above it are kept. */
  readonly threshold: number;
}

export type CompactRecipe = GaussianOptions | IndicatorOptions | KernelOptions;

interface CompactWeights extends Partial<TunedBandwidth> {
  readonly weights: CsrMatrix;
  readonly rule: WeightRule;
  readonly scale: number;
  readonly treeOrder?: Int32Array;
}

/** The weights of the pairs of nodes, and their rule. */
export function* compactWeightsSteps(source: GraphSource, recipe: CompactRecipe): Task<CompactWeights> {
  const isAuto = recipe.kind === 'gaussian' && recipe.sigma === 'auto';
  const tuned = isAuto ? yield* subtask(bandwidthOfSourceSteps(source, recipe), 0, 0.3) : null;
  const rule = ruleOf(tuned ? ({ ...recipe, sigma: tuned.sigma } as CompactRecipe) : recipe);
  const search = pairsOfSourceSteps(caller, source, rule.radius, recipe);
  const pairs = yield* subtask(search, tuned ? 0.3 : 0, searchFraction);
  const scale = yield* scaleSteps(recipe, rule, pairs);
  const { rows, starts, columns, values } = yield* subtask(weighSteps(pairs, rule, scale), searchFraction, 1);
  const weights = new CsrMatrix(rows, rows, starts, columns, values);
  const { treeOrder } = pairs;
  const scaled: WeightRule = (squared) => rule.weight(squared) / scale;
  return { ...tuned, weights, rule: scaled, scale, ...(treeOrder && { treeOrder }) };
}

/** The bandwidth for about this many distances, those of evenly spaced nodes to all, is near that for all. */
const tuningPairs = 2 ** 22;
/** Above any distance that can be searched. */
const anyDistance = 1e20;

/** The bandwidth that suits the distances between nodes: those of up to `tuningPairs` pairs. */
function* bandwidthOfSourceSteps(source: GraphSource, recipe: CompactRecipe): Task<TunedBandwidth> {
  if (isPrecomputed(source, recipe)) {
    const known = yield* pairsOfSourceSteps(caller, source, anyDistance, recipe);
    return tuneBandwidth(caller, known.squaredDistances, 0);
  }
  const points = source as Points;
  const spacing = Math.max(1, Math.ceil((points.rows * points.rows) / tuningPairs));
  const chosen = Array.from({ length: Math.ceil(points.rows / spacing) }, (_, i) => i * spacing);
  const sample = takePoints(points, Int32Array.from(chosen));
  const metric = metricOptions(metricOfPoints(caller, recipe));
  const pairs = yield* radiusAmongSteps(caller, points, sample, anyDistance, metric);
  return tuneBandwidth(caller, pairs.squaredDistances, 0); // the pair of a point with itself is among them
}

/** The power of two that brings kernels of any magnitude into the range of single precision. */
export function* scaleSteps(
  { kind }: CompactRecipe,
  { weight }: CompactRule,
  { squaredDistances }: RadiusRows,
): Task<number> {
  if (kind !== 'kernel') return 1;
  let largest = 0;
  for (let e = 0; e < squaredDistances.length; e++) {
    largest = Math.max(largest, weight(squaredDistances[e]));
    if (e % 65536 === 0) yield searchFraction;
  }
  return weightScale(largest);
}

/** `recipe` with a bandwidth that is a number. */
export function ruleOf(recipe: CompactRecipe): CompactRule {
  if (recipe.kind === 'indicator') return { radius: recipe.radius, weight: () => 1, threshold: 0 };
  return recipe.kind === 'gaussian' ? gaussianRule(recipe) : kernelRule(recipe);
}

function gaussianRule({ sigma: given, threshold = 0.01 }: GaussianOptions): CompactRule {
  const sigma = given as number; // 'auto' was resolved
  checkLength(caller, 'sigma', sigma);
  if (!(threshold > 0 && threshold < 1)) throw badValue(caller, 'threshold between 0 and 1', threshold);
  const radius = sigma * Math.sqrt(-2 * Math.log(threshold));
  return { radius: radius * margin, weight: (squared) => Math.exp(squared / (-2 * sigma * sigma)), threshold };
}

function kernelRule({ kernel, sigma = 1, radius, threshold }: KernelOptions): CompactRule {
  if (typeof kernel !== 'function') throw badKind(caller, 'kernel to be a function of ‖x − y‖²/σ²', kernel);
  checkLength(caller, 'sigma', sigma);
  if (radius === undefined && threshold === undefined) {
    throw badValue(caller, 'a radius or a threshold for the kernel', 'neither', 'Else every pair would have a weight.');
  }
  if (threshold !== undefined && !(threshold > 0 && threshold < Infinity)) {
    throw badValue(caller, 'threshold to be positive', threshold);
  }
  const h = (squaredRatio: number): number => {
    const weight = kernel(squaredRatio);
    if (Number.isFinite(weight) && weight >= 0) return weight;
    throw badValue(caller, 'kernel to give finite numbers, none negative', `${weight} at ${squaredRatio}`);
  };
  const reach = radius ?? sigma * Math.sqrt(whereBelow(h, threshold!)) * margin;
  return { radius: reach, weight: (squared) => h(squared / (sigma * sigma)), threshold: threshold ?? 0 };
}

/** weight(‖x − y‖²)/scale, eq:kernel-W, of the pairs where the weight is above the threshold. Overwrites the pairs. */
export function* weighSteps(
  { starts, indices, squaredDistances }: RadiusRows,
  { weight, threshold }: CompactRule,
  scale: number,
): Task<WeightRows> {
  const rows = starts.length - 1;
  const keptStarts = new Int32Array(rows + 1);
  let kept = 0;
  for (let i = 0; i < rows; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const value = weight(squaredDistances[e]);
      if (!(value > threshold && Math.fround(value / scale) > 0)) continue; // or too small for single precision
      indices[kept] = indices[e];
      squaredDistances[kept++] = value / scale;
    }
    keptStarts[i + 1] = kept;
    if (i % 1024 === 0) yield i / rows;
  }
  return {
    rows,
    starts: keptStarts,
    columns: indices.subarray(0, kept),
    values: squaredDistances.subarray(0, kept),
  };
}

/** Where a decreasing function reaches the threshold: by doubling, then by bisection to the last digits. */
function whereBelow(h: (squaredRatio: number) => number, threshold: number): number {
  if (!(h(0) > threshold)) throw badValue(caller, `threshold below kernel(0) = ${h(0)}`, threshold);
  let high = 1;
  while (h(high) > threshold) {
    high *= 2;
    if (high > 1e30) {
      const got = `${h(high)} at 1e30`;
      throw badValue(caller, `a kernel that falls to the threshold ${threshold}`, got, 'Give a radius.');
    }
  }
  let low = 0;
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (h(middle) > threshold) low = middle;
    else high = middle;
  }
  return high;
}
