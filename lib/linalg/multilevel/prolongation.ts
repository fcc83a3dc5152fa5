/** The prolongation of smoothed aggregation (Vaněk, Mandel & Brezina 1996), and its transpose. */

import type { Task } from '../../core/task.ts';
import { zeros } from '../../tensor/tensor.ts';
import { symmetricEigen } from '../eigen.ts';
import { blockProduct } from '../../kernels/blocks.ts';
import { EntryList } from './entry-list.ts';
import { entriesPerYield, type Level } from './level.ts';

/** A sparse matrix with a row for every fine node and a column for every coarse one, and its transpose. */
export interface Prolongation {
  readonly coarse: number;
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly values: Float32Array;
  readonly transposed: { readonly starts: Int32Array; readonly columns: Int32Array; readonly values: Float32Array };
}

/** The damping of the Jacobi step relative to 1/ρ, the best one for smoothed aggregation. */
const damping = 4 / 3;
/** Steps of Lanczos for ρ, and the factor by which its lower bound is raised. */
export const radiusSteps = 6;
const safety = 1.05;

/**
 * P = (I − ω·diag(A)⁻¹·A)·P₀ with ω = 4/(3ρ), where column k of P₀ is the indicator of aggregate k. Rows of nodes whose
 * aggregate is −1 are empty. The rows of all others sum to 1.
 */
export function* prolongationSteps(level: Level, of: Int32Array, coarse: number): Task<Prolongation> {
  const { size, columns, weights, inverses } = level;
  const omega = damping / (safety * (yield* spectralRadiusSteps(level)));
  const starts = new Int32Array(size + 1);
  const entries = new EntryList(4 * size, 1);
  const place = new Int32Array(coarse).fill(-1);
  const sums = new Float64Array(maxRow(level) + 1);
  let pause = entriesPerYield;
  for (let i = 0; i < size; i++) {
    const first = entries.length;
    if (of[i] >= 0) {
      entries.push(of[i]);
      place[of[i]] = first;
      sums[0] = 1 - omega;
      const factor = omega * inverses[i];
      for (let e = level.starts[i]; e < level.starts[i + 1]; e++) {
        const k = of[columns[e]];
        if (place[k] >= first) {
          sums[place[k] - first] += factor * weights[e];
        } else {
          sums[entries.length - first] = factor * weights[e];
          place[k] = entries.length;
          entries.push(k);
        }
      }
      for (let e = first; e < entries.length; e++) entries.values[0][e] = sums[e - first];
    }
    starts[i + 1] = entries.length;
    if (level.starts[i] < pause) continue;
    pause += entriesPerYield;
    yield 0;
  }
  const { columns: found, values } = entries.finish();
  const rows = { starts, columns: found, values: values[0] };
  return { coarse, ...rows, transposed: transpose(size, coarse, rows) };
}

/** The largest eigenvalue of diag(A)⁻¹·A, from below, by a few steps of Lanczos on diag(A)^-½·A·diag(A)^-½. */
function* spectralRadiusSteps({ size, starts, ends, columns, weights, pivots, inverses }: Level): Task<number> {
  const roots = inverses.map(Math.sqrt);
  const [product, scaled, previous] = [0, 1, 2].map(() => new Float64Array(size));
  // A start without randomness that is neither smooth nor a single frequency.
  const vector = Float64Array.from({ length: size }, (_, i) => ((i * 0.6180339887498949) % 1) - 0.5);
  let length = norm(vector);
  const projected = zeros([radiusSteps, radiusSteps], 'double');
  let steps = 0;
  for (; steps < radiusSteps && length > 0; steps++) {
    for (let i = 0; i < size; i++) vector[i] /= length;
    for (let i = 0; i < size; i++) scaled[i] = roots[i] * vector[i];
    blockProduct(0, size, 1, starts, ends, columns, weights, pivots, scaled, product);
    yield 0;
    let diagonal = 0;
    for (let i = 0; i < size; i++) {
      product[i] = roots[i] * product[i] - (steps > 0 ? length * previous[i] : 0);
      diagonal += product[i] * vector[i];
    }
    for (let i = 0; i < size; i++) {
      const next = product[i] - diagonal * vector[i];
      previous[i] = vector[i];
      vector[i] = next;
    }
    const at = steps * (radiusSteps + 1);
    projected.data[at] = diagonal;
    if (steps > 0) projected.data[at - 1] = projected.data[at - radiusSteps] = length;
    length = norm(vector);
    if (length < 1e-10) length = 0;
  }
  return Math.max(1, symmetricEigen(projected).values[0]);
}

function norm(x: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * x[i];
  return Math.sqrt(sum);
}

function maxRow({ size, starts }: Level): number {
  let most = 0;
  for (let i = 0; i < size; i++) most = Math.max(most, starts[i + 1] - starts[i]);
  return most;
}

/** The transpose of rows, whose rows are in order of the rows they came from. */
function transpose(
  rows: number,
  cols: number,
  { starts, columns, values }: { starts: Int32Array; columns: Int32Array; values: Float32Array },
): Prolongation['transposed'] {
  const result = {
    starts: new Int32Array(cols + 1),
    columns: new Int32Array(columns.length),
    values: new Float32Array(columns.length),
  };
  for (let e = 0; e < columns.length; e++) result.starts[columns[e] + 1]++;
  for (let k = 0; k < cols; k++) result.starts[k + 1] += result.starts[k];
  const next = result.starts.slice();
  for (let i = 0; i < rows; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const at = next[columns[e]]++;
      result.columns[at] = i;
      result.values[at] = values[e];
    }
  }
  return result;
}
