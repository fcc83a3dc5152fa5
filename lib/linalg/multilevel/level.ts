/** A level of the hierarchy: a pencil (A, B) whose null vectors are the indicators of components. */

import type { Task } from '../../core/task.ts';
import { blockProduct } from '../../kernels/blocks.ts';
import type { Floats } from '../../kernels/types.ts';

/** A weighted graph. `Graph` of `specnet/graph` is one. */
export interface AffinityGraph {
  readonly size: number;
  /** W in CSR: symmetric, not negative. Columns increase within a row. */
  readonly weights: { readonly starts: Int32Array; readonly columns: Int32Array; readonly values: Floats };
  /** The row sums of W. */
  readonly degrees: Float64Array;
  readonly components: { readonly count: number; readonly labels: Int32Array };
}

/** Sparse rows without a diagonal: entries starts[i] … starts[i+1]−1 are row i. */
export interface SparseRows {
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly weights: Floats;
}

/** The components of a level. */
export interface LevelComponents {
  readonly count: number;
  readonly labels: Int32Array;
}

/** A = diag(pivots) − W, where pivots are the row sums of W. W may have negative entries below the finest level. */
export interface Level extends SparseRows {
  readonly size: number;
  /** Entries of row i before middles[i] are left of the diagonal, the others right of it. */
  readonly middles: Int32Array;
  /** starts, shifted by one: where rows end. */
  readonly ends: Int32Array;
  readonly pivots: Float64Array;
  /** 1/pivots, and 0 for a node without edges. */
  readonly inverses: Float64Array;
  /** B·1. */
  readonly mass: Float64Array;
  /** The diagonal of B, and its entries where those of W are. Null on the finest level, where B = diag(mass). */
  readonly massMatrix: { readonly diagonal: Float64Array; readonly weights: Float32Array } | null;
  readonly components: LevelComponents;
  /** 1ᵀB1 of each component. */
  readonly volumes: Float64Array;
}

/** A pause after this many entries, a few milliseconds of work. */
export const entriesPerYield = 1 << 18;

/** The level of rows whose entries left of the diagonal come first. Their diagonal follows from A·1 = 0. */
export function makeLevel(
  rows: SparseRows & { readonly middles: Int32Array },
  mass: Float64Array,
  massMatrix: Level['massMatrix'],
  components: LevelComponents,
): Level {
  const size = mass.length;
  const { starts, weights } = rows;
  const pivots = new Float64Array(size);
  const inverses = new Float64Array(size);
  const volumes = new Float64Array(components.count);
  for (let i = 0; i < size; i++) {
    let sum = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) sum += weights[e];
    pivots[i] = sum;
    inverses[i] = sum > 0 ? 1 / sum : 0;
    volumes[components.labels[i]] += mass[i];
  }
  return { ...rows, size, ends: starts.subarray(1), pivots, inverses, mass, massMatrix, components, volumes };
}

/** The finest level. Its matrix shares the arrays of the graph unless these contain a diagonal. */
export function finestLevel({ size, weights, components }: AffinityGraph, mass: Float64Array): Level {
  const rows = withoutDiagonal(size, weights);
  const middles = new Int32Array(size);
  for (let i = 0; i < size; i++) {
    let e = rows.starts[i];
    while (e < rows.starts[i + 1] && rows.columns[e] < i) e++;
    middles[i] = e;
  }
  return makeLevel({ ...rows, middles }, mass, null, components);
}

function withoutDiagonal(size: number, { starts, columns, values }: AffinityGraph['weights']): SparseRows {
  let loops = 0;
  for (let i = 0; i < size; i++) for (let e = starts[i]; e < starts[i + 1]; e++) if (columns[e] === i) loops++;
  if (loops === 0) return { starts, columns, weights: values };
  const kept = {
    starts: new Int32Array(size + 1),
    columns: new Int32Array(columns.length - loops),
    weights: new (values.constructor as typeof Float32Array)(columns.length - loops) as Floats,
  };
  for (let i = 0, at = 0; i < size; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      if (columns[e] === i) continue;
      kept.columns[at] = columns[e];
      kept.weights[at++] = values[e];
    }
    kept.starts[i + 1] = at;
  }
  return kept;
}

/** out ← A·x for a block of `width` vectors. */
export function* stiffnessSteps(level: Level, width: number, x: Float64Array, out: Float64Array): Task<void> {
  const { starts, ends, columns, weights, pivots } = level;
  for (const [from, to] of rowChunks(level, width)) {
    blockProduct(from, to, width, starts, ends, columns, weights, pivots, x, out);
    yield 0;
  }
}

/** out ← B·x for a block of `width` vectors. */
export function massTimes(level: Level, width: number, x: Float64Array, out: Float64Array): void {
  const { size, starts, ends, columns, mass, massMatrix } = level;
  if (massMatrix) blockProduct(0, size, width, starts, ends, columns, massMatrix.weights, null, x, out);
  const diagonal = massMatrix?.diagonal ?? mass;
  for (let i = 0, at = 0; i < size; i++) {
    for (let c = 0; c < width; c++, at++) out[at] = diagonal[i] * x[at] + (massMatrix ? out[at] : 0);
  }
}

/** x ← x without its part in the null space, in place: its B-weighted mean on every component becomes 0. */
export function projectInPlace(level: Level, width: number, x: Float64Array): void {
  const { size, mass, components, volumes } = level;
  const { count, labels } = components;
  const means = new Float64Array(count * width);
  for (let i = 0, at = 0; i < size; i++) {
    const first = labels[i] * width;
    for (let c = 0; c < width; c++, at++) means[first + c] += mass[i] * x[at];
  }
  for (let k = 0; k < count; k++) for (let c = 0; c < width; c++) means[k * width + c] /= volumes[k];
  for (let i = 0, at = 0; i < size; i++) {
    const first = labels[i] * width;
    for (let c = 0; c < width; c++, at++) x[at] -= means[first + c];
  }
}

/** Ranges of rows with some `entriesPerYield` entries times vectors, in order. */
export function* rowChunks({ size, starts }: Level, width: number): Generator<[number, number]> {
  const perRow = Math.max(1, (starts[size] / Math.max(1, size)) * width);
  const rows = Math.max(256, Math.ceil(entriesPerYield / perRow));
  for (let from = 0; from < size; from += rows) yield [from, Math.min(size, from + rows)];
}
