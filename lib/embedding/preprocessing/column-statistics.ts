/** Statistics of the columns of points: means, deviations, ranges and quartiles. */

import type { Task } from '../../core/task.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/** One number for each column. */
export interface ColumnStatistics {
  readonly least: Float64Array;
  readonly most: Float64Array;
  readonly mean: Float64Array;
  /** The standard deviation: the root of the mean of squares. */
  readonly deviation: Float64Array;
  /** How often the column is 0. */
  readonly zeros: Float64Array;
  /** Whether the column has one value only, up to rounding in the precision of the points. */
  readonly isConstant: readonly boolean[];
}

/** A range below this fraction of the largest magnitude is rounding. */
const rounding = { single: 2 ** -22, double: 2 ** -50 };

/** The number of entries between two reports of progress. */
const blockSize = 500_000;

/** Two passes over the points, as a task. */
export function* columnStatisticsSteps({ rows, cols, data, precision }: Tensor): Task<ColumnStatistics> {
  const least = new Float64Array(cols).fill(Infinity);
  const most = new Float64Array(cols).fill(-Infinity);
  const mean = new Float64Array(cols);
  const zeros = new Float64Array(cols);
  for (let i = 0; i < data.length; i++) {
    const j = i % cols;
    const value = data[i];
    if (value < least[j]) least[j] = value;
    if (value > most[j]) most[j] = value;
    if (value === 0) zeros[j]++;
    mean[j] += value / rows;
    if (i % blockSize === 0) yield (0.5 * i) / data.length;
  }
  // Differences relative to the range: their squares neither overflow nor underflow.
  const ranges = most.map((value, j) => value - least[j]);
  const squares = new Float64Array(cols);
  for (let i = 0; i < data.length; i++) {
    const j = i % cols;
    if (ranges[j] > 0) squares[j] += ((data[i] - mean[j]) / ranges[j]) ** 2;
    if (i % blockSize === 0) yield 0.5 + (0.5 * i) / data.length;
  }
  const deviation = squares.map((sum, j) => ranges[j] * Math.sqrt(sum / rows));
  const isConstant = Array.from(ranges, (range, j) => {
    return range <= rounding[precision] * Math.max(Math.abs(least[j]), Math.abs(most[j]));
  });
  return { least, most, mean, deviation, zeros, isConstant };
}

/** The median and the interquartile range of each column. Between two values, quantiles are interpolated. */
export function quartilesOf({ rows, cols, data }: Tensor): { median: Float64Array; range: Float64Array } {
  const median = new Float64Array(cols);
  const range = new Float64Array(cols);
  const column = new Float64Array(rows);
  for (let j = 0; j < cols; j++) {
    for (let i = 0; i < rows; i++) column[i] = data[i * cols + j];
    column.sort();
    median[j] = quantile(column, 0.5);
    range[j] = quantile(column, 0.75) - quantile(column, 0.25);
  }
  return { median, range };
}

function quantile(sorted: Float64Array, fraction: number): number {
  const place = fraction * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.ceil(place);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}
