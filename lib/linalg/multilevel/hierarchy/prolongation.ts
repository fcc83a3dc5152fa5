/** The prolongation of smoothed aggregation (Vaněk, Mandel & Brezina 1996), and its transpose. */

import type { Task } from '../../../core/task.ts';
import { zeros } from '../../../tensor/tensor.ts';
import { symmetricEigen } from '../../eigen.ts';
import { transposeRows } from '../../../kernels/batch/counting-sort.ts';
import type { Loans } from '../../../wasm/loans.ts';
import { EntryList } from './entry-list.ts';
import { entriesPerYield, type Level, stiffnessSteps } from './level.ts';

/** A sparse matrix with a row for every fine node and a column for every coarse one, and its transpose. */
export interface Prolongation extends Rows {
  readonly coarse: number;
  readonly transposed: Rows;
}

interface Rows {
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly values: Float32Array;
}

/** The damping of the Jacobi step relative to 1/ρ, the best one for smoothed aggregation. */
const damping = 4 / 3;
/** Steps of Lanczos for ρ, and the factor by which its lower bound is raised. */
export const radiusSteps = 6;
const safety = 1.05;

/**
 * P = (I − ω·diag(A)⁻¹·A)·P₀ with ω = 4/(3ρ), where column k of P₀ is the indicator of aggregate k. Rows of nodes whose
 * aggregate is −1 are empty. The rows of all others sum to 1. In borrowed memory.
 */
export function* prolongationSteps(
  level: Level,
  of: Int32Array,
  coarse: number,
  radius: number,
  loans: Loans,
): Task<Prolongation> {
  const { size, columns, weights, inverses } = level;
  const omega = damping / (safety * radius);
  const starts = loans.int32(size + 1);
  starts[0] = 0;
  const entries = new EntryList(4 * size, [1], loans);
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
  entries.trim();
  const rows = { starts, columns: entries.columns, values: entries.values[0] };
  const transposed = {
    starts: loans.int32(coarse + 1),
    columns: loans.int32(entries.length),
    values: loans.float32(entries.length),
  };
  transposeRows(
    size,
    coarse,
    rows.starts,
    rows.columns,
    rows.values,
    transposed.starts,
    transposed.columns,
    transposed.values,
  );
  return { coarse, ...rows, transposed };
}

export function giveBackProlongation({ starts, columns, values, transposed }: Prolongation, loans: Loans): void {
  loans.giveBack(starts, columns, values, transposed.starts, transposed.columns, transposed.values);
}

/** ρ: the largest eigenvalue of diag(A)⁻¹·A, from below, by a few steps of Lanczos on diag(A)^-½·A·diag(A)^-½. */
export function* spectralRadiusSteps(level: Level, loans: Loans): Task<number> {
  const { size, inverses } = level;
  const [product, scaled] = [loans.float64(size), loans.float64(size)];
  const [roots, vector, previous] = [0, 1, 2].map(() => new Float64Array(size));
  for (let i = 0; i < size; i++) {
    roots[i] = Math.sqrt(inverses[i]);
    // A start without randomness that is neither smooth nor a single frequency.
    vector[i] = ((i * 0.6180339887498949) % 1) - 0.5;
  }
  let length = norm(vector);
  const projected = zeros([radiusSteps, radiusSteps], 'double');
  let steps = 0;
  for (; steps < radiusSteps && length > 0; steps++) {
    for (let i = 0; i < size; i++) vector[i] /= length;
    for (let i = 0; i < size; i++) scaled[i] = roots[i] * vector[i];
    yield* stiffnessSteps(level, { width: 1, data: scaled }, { width: 1, data: product });
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
  loans.giveBack(product, scaled);
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
