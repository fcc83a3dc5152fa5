/** Metrics of points, and the rows on which a search measures their distances. */

import { badValue, checkChoice } from '../../core/check.ts';
import type { Rules } from '../../core/options.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import { isSparse, type Points } from '../../sparse/points.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { checkTable } from './points.ts';

export const metrics = ['euclidean', 'cosine', 'correlation', 'manhattan', 'chebyshev', 'minkowski'] as const;

/**
 * 'cosine' is the Euclidean distance of rows scaled to length one, √(2 − 2·cos); 'correlation' the same after the mean of
 * each row is subtracted. 'manhattan' is Σ|x − y|, 'chebyshev' max|x − y|, 'minkowski' (Σ|x − y|ᵖ)^(1/p).
 */
export type Metric = (typeof metrics)[number];

/** The distance between points. */
export interface MetricOptions {
  /** Default: 'euclidean'. Sparse points can be compared by 'euclidean' and 'cosine'. */
  readonly metric?: Metric | undefined;
  /** p of 'minkowski', at least 1. Required there, and refused elsewhere. */
  readonly minkowskiPower?: number | undefined;
}

export const metricRules = { metric: metrics, minkowskiPower: 'number' } as const satisfies Rules<MetricOptions>;

/** What a search needs to know: the power of the norm, and the rows to which it applies. */
export interface ResolvedMetric {
  readonly metric: Metric;
  /** p of (Σ|x − y|ᵖ)^(1/p); Infinity for the largest difference. */
  readonly power: number;
}

const powers: Record<Exclude<Metric, 'minkowski'>, number> = {
  euclidean: 2,
  cosine: 2,
  correlation: 2,
  manhattan: 1,
  chebyshev: Infinity,
};

/** Checks the options of a metric and fills in the default. */
export function resolveMetric(caller: string, { metric = 'euclidean', minkowskiPower }: MetricOptions): ResolvedMetric {
  checkChoice(caller, 'metric', metric, metrics);
  if (metric !== 'minkowski') {
    if (minkowskiPower === undefined) return { metric, power: powers[metric] };
    throw badValue(caller, "minkowskiPower with metric 'minkowski' only", `'${metric}'`, 'Omit minkowskiPower.');
  }
  if (typeof minkowskiPower === 'number' && minkowskiPower >= 1) return { metric, power: minkowskiPower };
  throw badValue(caller, "minkowskiPower of at least 1 for metric 'minkowski'", minkowskiPower);
}

/** Whether a value is options that `resolveMetric` accepts. */
export function isMetric(value: unknown): value is MetricOptions {
  if (typeof value !== 'object' || value === null) return false;
  const { metric, minkowskiPower, ...rest } = value as MetricOptions;
  const isPower = typeof minkowskiPower === 'number' && minkowskiPower >= 1;
  const isFit = metric === 'minkowski' ? isPower : minkowskiPower === undefined && metrics.includes(metric as Metric);
  return isFit && Object.keys(rest).length === 0;
}

/** The options from which `resolveMetric` makes this metric; none for the default. */
export function metricOptions({ metric, power }: ResolvedMetric): MetricOptions {
  if (metric === 'euclidean') return {};
  return metric === 'minkowski' ? { metric, minkowskiPower: power } : { metric };
}

/** The options of a search among `metricRows`: those of the norm, since angles are Euclidean distances there. */
export function normOptions(metric: ResolvedMetric): MetricOptions {
  return metric.power === 2 ? {} : metricOptions(metric);
}

/** The rows between which the norm of the metric is the distance: unit rows for angles, else the points themselves. */
export function metricRows(caller: string, { metric }: ResolvedMetric, points: Points): Points {
  if (metric === 'euclidean') return points;
  checkTable(caller, 'points', points);
  if (isSparse(points) && metric !== 'cosine') {
    const remedy = 'Pass toDense(points), or compare by cosine.';
    throw badValue(caller, "metric 'euclidean' or 'cosine' for sparse points", `'${metric}'`, remedy);
  }
  return metric === 'cosine' || metric === 'correlation' ? unitRows(caller, points, metric) : points;
}

/** Rows of length one in double precision, after the mean of each was subtracted for 'correlation'. */
export function unitRows(caller: string, points: Points, option: 'cosine' | 'correlation' | 'unit'): Points {
  const { rows, cols } = points;
  const values = Float64Array.from(isSparse(points) ? points.values : points.data);
  for (let i = 0; i < rows; i++) {
    const [from, to] = isSparse(points) ? [points.starts[i], points.starts[i + 1]] : [i * cols, (i + 1) * cols];
    const row = values.subarray(from, to);
    if (option === 'correlation') subtractMean(row);
    if (scaleToUnit(row)) continue;
    const rule = `rows that are not ${option === 'correlation' ? 'constant' : 'all zero'} for`;
    const [name, other] = option === 'unit' ? ['scale', 'none'] : ['metric', 'euclidean'];
    const remedy = `Leave such rows out, or take ${name} '${other}'.`;
    throw badValue(caller, `${rule} ${name} '${option}'`, `row ${i}`, remedy);
  }
  return isSparse(points)
    ? new CsrMatrix(rows, cols, points.starts, points.columns, values)
    : new Tensor(values, [rows, cols]);
}

/** Differences that are only rounding become 0, so that a constant row is recognized. */
function subtractMean(row: Float64Array): void {
  const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
  for (let j = 0; j < row.length; j++) {
    row[j] -= mean;
    if (Math.abs(row[j]) <= row.length * 2 ** -52 * largest) row[j] = 0;
  }
}

/**
 * Divides a row by its largest magnitude and then by its length, in place. The first division makes rows equal that are
 * multiples of each other. Returns false for a row of zeros.
 */
function scaleToUnit(row: Float64Array): boolean {
  const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return false;
  let sum = 0;
  for (let j = 0; j < row.length; j++) {
    row[j] /= largest;
    sum += row[j] * row[j];
  }
  const length = Math.sqrt(sum);
  for (let j = 0; j < row.length; j++) row[j] /= length;
  return true;
}
