/**
 * Weights of kernels with compact support: W[i,j] = h(‖xᵢ − xⱼ‖²/σ²), including the diagonal h(0). Row i belongs to query i.
 * By default the queries are the points.
 */

import { badKind, badValue } from '../../core/check.ts';
import type { Rules } from '../../core/options.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { subtask, type Task } from '../../core/task.ts';
import { checkLength } from '../neighbors/points.ts';
import type { RadiusRows } from '../neighbors/hit-list.ts';
import { radiusAmongSteps } from '../neighbors/radius.ts';
import { weightScale } from '../weight-scale.ts';

/** Gaussian weights of all pairs that are near enough. */
export interface GaussianOptions {
  readonly kind: 'gaussian';
  /** σ of exp(−‖x − y‖²/(2σ²)). */
  readonly sigma: number;
  /** Weights above it are kept. Default: 0.01, which is reached at 3σ. */
  readonly threshold?: number | undefined;
}

/** Weight 1 for all pairs within a radius. */
export interface IndicatorOptions {
  readonly kind: 'indicator';
  /** Weight 1 where ‖x − y‖ < radius. */
  readonly radius: number;
}

/** Weights by a function of your own. */
export interface KernelOptions {
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

/** The options of each kind of compact kernel. */
export const compactRules = {
  gaussian: { kind: 'any', sigma: 'number', threshold: 'number' } satisfies Rules<GaussianOptions>,
  indicator: { kind: 'any', radius: 'number' } satisfies Rules<IndicatorOptions>,
  kernel: {
    kind: 'any',
    kernel: 'function',
    sigma: 'number',
    radius: 'number',
    threshold: 'number',
  } satisfies Rules<KernelOptions>,
} as const;

const caller = 'buildGraph';
/** Distances are rounded to single precision before h is applied. A search that is wider by this factor misses no pair. */
const margin = 1 + 2 ** -20;

export function* gaussianWeights(points: Tensor, options: GaussianOptions, queries = points): Task<CsrMatrix> {
  const { sigma, threshold = 0.01 } = options;
  checkLength(caller, 'sigma', sigma);
  if (!(threshold > 0 && threshold < 1)) throw badValue(caller, 'threshold between 0 and 1', threshold);
  const radius = sigma * Math.sqrt(-2 * Math.log(threshold));
  const gaussian = (squared: number): number => Math.exp(squared / (-2 * sigma * sigma));
  return yield* weigh(points, yield* pairsOf(points, queries, radius * margin), gaussian, threshold);
}

export function* indicatorWeights(points: Tensor, { radius }: IndicatorOptions, queries = points): Task<CsrMatrix> {
  return yield* weigh(points, yield* pairsOf(points, queries, radius), () => 1, 0);
}

/** The weights over `scale`, the power of two that brings kernels of any magnitude into the range of single precision. */
export interface ScaledWeights {
  readonly weights: CsrMatrix;
  readonly scale: number;
}

export function* kernelWeights(points: Tensor, options: KernelOptions, queries = points): Task<ScaledWeights> {
  const { kernel, sigma = 1, radius, threshold } = options;
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
  const weight = (squared: number): number => h(squared / (sigma * sigma));
  const pairs = yield* pairsOf(points, queries, reach);
  let largest = 0;
  for (let e = 0; e < pairs.indices.length; e++) {
    largest = Math.max(largest, weight(pairs.squaredDistances[e]));
    if (e % 65536 === 0) yield searchShare;
  }
  const scale = weightScale(largest);
  return { weights: yield* weigh(points, pairs, weight, threshold ?? 0, scale), scale };
}

/** The share of the progress that the search counts for. */
const searchShare = 0.9;

function* pairsOf(points: Tensor, queries: Tensor, radius: number): Task<RadiusRows> {
  return yield* subtask(radiusAmongSteps(caller, points, queries, radius), 0, searchShare);
}

/** weight(‖x − y‖²)/scale of the pairs where the weight is above the threshold. Overwrites the pairs. */
function* weigh(
  points: Tensor,
  { starts, indices, squaredDistances }: RadiusRows,
  weight: (squaredDistance: number) => number,
  threshold: number,
  scale = 1,
): Task<CsrMatrix> {
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
    if (i % 1024 === 0) yield searchShare + ((1 - searchShare) * i) / rows;
  }
  const [columns, values] = [indices.subarray(0, kept), squaredDistances.subarray(0, kept)];
  return new CsrMatrix(rows, points.rows, keptStarts, columns, values);
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
