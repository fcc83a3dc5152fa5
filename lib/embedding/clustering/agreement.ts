/** Measures of agreement between two labelings of the same points. */

import { badKind, badValue } from '../../core/check.ts';
import { assign } from './assignment.ts';

/** A label for every point: any integers. */
export type Labels = ArrayLike<number>;

/** The contingency table of two labelings. Rows and columns are their labels in ascending order. */
interface Contingency {
  readonly count: number;
  readonly rows: number;
  readonly cols: number;
  /** rows×cols. */
  readonly table: Float64Array;
  readonly rowSums: Float64Array;
  readonly colSums: Float64Array;
}

/** The fraction of points with the right label, under the best one-to-one matching of clusters to classes. */
export function accuracy(predicted: Labels, truth: Labels): number {
  const { count, rows, cols, table } = compare('accuracy', predicted, truth);
  const size = Math.max(rows, cols);
  const cost = new Float64Array(size * size);
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) cost[i * size + j] = -table[i * cols + j];
  let matched = 0;
  for (const [i, j] of assign(size, cost).entries()) matched -= cost[i * size + j];
  return matched / count;
}

/**
 * Normalized mutual information, between 0 and 1: the mutual information of the labelings divided by the mean of their
 * entropies. It is 1 if both labelings have a single label.
 */
export function normalizedMutualInformation(predicted: Labels, truth: Labels): number {
  const { count, rows, cols, table, rowSums, colSums } = compare('normalizedMutualInformation', predicted, truth);
  let mutual = 0;
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) {
      const both = table[i * cols + j];
      if (both > 0) mutual += (both / count) * Math.log((count * both) / (rowSums[i] * colSums[j]));
    }
  }
  const mean = (entropy(rowSums, count) + entropy(colSums, count)) / 2;
  return mean === 0 ? 1 : Math.max(0, Math.min(1, mutual / mean));
}

/** The adjusted Rand index: 1 for equal partitions, 0 on average for random ones (Hubert & Arabie 1985). */
export function adjustedRandIndex(predicted: Labels, truth: Labels): number {
  const { count, table, rowSums, colSums } = compare('adjustedRandIndex', predicted, truth);
  const pairs = (sums: Float64Array): number => sums.reduce((total, n) => total + (n * (n - 1)) / 2, 0);
  const together = pairs(table);
  const [left, right] = [pairs(rowSums), pairs(colSums)];
  const expected = count < 2 ? 0 : (left * right) / ((count * (count - 1)) / 2);
  const most = (left + right) / 2;
  return most === expected ? 1 : (together - expected) / (most - expected);
}

function compare(caller: string, predicted: Labels, truth: Labels): Contingency {
  if (typeof predicted?.length !== 'number' || typeof truth?.length !== 'number') {
    throw badKind(caller, 'two arrays of labels', typeof predicted?.length === 'number' ? truth : predicted);
  }
  const count = predicted.length;
  if (truth.length !== count) throw badValue(caller, `${count} labels in both arrays`, truth.length);
  if (count === 0) throw badValue(caller, 'at least one label', 'none');
  const [left, right] = [labelPositions(caller, predicted), labelPositions(caller, truth)];
  const [rows, cols] = [left.size, right.size];
  const table = new Float64Array(rows * cols);
  const rowSums = new Float64Array(rows);
  const colSums = new Float64Array(cols);
  for (let p = 0; p < count; p++) {
    const [i, j] = [left.get(predicted[p])!, right.get(truth[p])!];
    table[i * cols + j]++;
    rowSums[i]++;
    colSums[j]++;
  }
  return { count, rows, cols, table, rowSums, colSums };
}

/** Maps every label that occurs to its position in ascending order. */
function labelPositions(caller: string, labels: Labels): Map<number, number> {
  const distinct = new Set<number>();
  for (let p = 0; p < labels.length; p++) {
    if (!Number.isInteger(labels[p])) throw badValue(caller, 'whole numbers as labels', `${labels[p]} at index ${p}`);
    distinct.add(labels[p]);
  }
  return new Map([...distinct].toSorted((a, b) => a - b).map((label, position) => [label, position]));
}

function entropy(sums: Float64Array, count: number): number {
  return sums.reduce((total, n) => total - (n / count) * Math.log(n / count), 0);
}
