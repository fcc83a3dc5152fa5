/** The sources of a graph: points under a metric, a matrix of distances, or lists of neighbors. */

import { badValue } from '../../core/check.ts';
import type { Rules } from '../../core/options.ts';
import type { Task } from '../../core/task.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import type { Points } from '../../sparse/points.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { type Metric, type MetricOptions, metricRules, metrics, type ResolvedMetric, resolveMetric } from './metric.ts';
import { type NeighborOptions, type Neighbors, nearestNeighborsSteps } from './neighbors.ts';
import { checkLength } from './points.ts';
import {
  type KnownRows,
  nearestOfRows,
  type PrecomputedNeighbors,
  rowsOfDistances,
  rowsOfLists,
  withinRadiusOfRows,
} from './precomputed.ts';
import { type FoundPairs, radiusAmongSteps } from './radius.ts';

/** Points, one a row; an n×n matrix of distances, for metric 'precomputed'; or the neighbors of every point. */
export type GraphSource = Points | PrecomputedNeighbors;

/** A metric of points, or 'precomputed' for distances and neighbors that are given. */
export type SourceMetric = Metric | 'precomputed';

/** The distance between the nodes of a graph. */
export interface SourceMetricOptions extends Omit<MetricOptions, 'metric'> {
  /** Default: 'euclidean', or 'precomputed' for lists of neighbors. With 'precomputed' the points are distances. */
  readonly metric?: SourceMetric | undefined;
}

export const sourceMetricRules = {
  ...metricRules,
  metric: [...metrics, 'precomputed'],
} as const satisfies Rules<SourceMetricOptions>;

/** The options that apply to points. */
type Search = Omit<NeighborOptions, 'progress' | 'signal' | 'metric' | 'neighbors'> & SourceMetricOptions;

export function isListed(source: GraphSource): source is PrecomputedNeighbors {
  return !(source instanceof Tensor || source instanceof CsrMatrix) && typeof source === 'object' && source !== null;
}

/** Whether distances are given, not computed from coordinates. */
export function isPrecomputed(source: GraphSource, { metric }: SourceMetricOptions): boolean {
  return isListed(source) || metric === 'precomputed';
}

/** The metric of points. Refuses sources whose distances are given. */
export function metricOfPoints(caller: string, { metric, minkowskiPower }: SourceMetricOptions): ResolvedMetric {
  if (metric !== 'precomputed') return resolveMetric(caller, { metric, minkowskiPower });
  throw badValue(caller, 'a metric of points', "'precomputed'", 'New points have no distances to those of the graph.');
}

/** The known rows of distances or lists. */
export function knownRowsOf(caller: string, source: GraphSource, options: SourceMetricOptions): KnownRows {
  if (isListed(source)) {
    if (options.metric === undefined || options.metric === 'precomputed') return rowsOfLists(caller, source);
    throw badValue(caller, "metric 'precomputed' for lists of neighbors", `'${options.metric}'`, 'Omit metric.');
  }
  return rowsOfDistances(caller, source);
}

/** The k for which lists of neighbors suffice. */
export function listedNeighbors(caller: string, source: PrecomputedNeighbors, includeSelf: boolean): number {
  const { size, row } = rowsOfLists(caller, source);
  let least = size - 1;
  for (let i = 0; i < size; i++) least = Math.min(least, row(i).indices.length);
  return includeSelf ? least + 1 : least;
}

/** The k nearest of every node. */
export function* neighborsOfSourceSteps(
  caller: string,
  source: GraphSource,
  options: Search & { readonly neighbors: number },
): Task<Neighbors> {
  const { neighbors, includeSelf = true } = options;
  if (isPrecomputed(source, options)) {
    const rows = knownRowsOf(caller, source, options);
    return { ...nearestOfRows(caller, rows, neighbors, includeSelf), method: 'precomputed' };
  }
  const { method, seed } = options;
  const search = { ...metricOptionsOf(options), neighbors, includeSelf, method, seed };
  return yield* nearestNeighborsSteps(caller, source as Points, search);
}

/** All pairs of nodes nearer than a radius. */
export function* pairsOfSourceSteps(
  caller: string,
  source: GraphSource,
  radius: number,
  options: SourceMetricOptions,
): Task<FoundPairs> {
  if (isPrecomputed(source, options)) {
    checkLength(caller, 'radius', radius);
    return withinRadiusOfRows(caller, knownRowsOf(caller, source, options), radius);
  }
  const points = source as Points;
  return yield* radiusAmongSteps(caller, points, points, radius, metricOptionsOf(options));
}

function metricOptionsOf({ metric, minkowskiPower }: SourceMetricOptions): MetricOptions {
  return { metric: metric as Metric | undefined, minkowskiPower };
}
