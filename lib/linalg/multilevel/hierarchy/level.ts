/** A level of the hierarchy: a pencil (A, B) whose null vectors are the indicators of components. */

import type { Task } from '../../../core/task.ts';
import type { Floats } from '../../../kernels/types.ts';
import type { Loans } from '../../../wasm/loans.ts';
import { blockKernels } from '../../../wasm/block-family.ts';
import type { Block, Blocks } from '../blocks/blocks.ts';

/** Sparse rows without a diagonal: entries starts[i] … starts[i+1]−1 are row i. */
export interface SparseRows {
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly weights: Floats;
}

/** Rows in chunks, with the entries of a chunk side by side in every row. */
export interface ChunkedRows extends SparseRows {
  /**
   * Of row i, entries inner[i] … middles[i]−1 are left of the diagonal and in the chunk of the row, entries middles[i] … outer[i]−1
   * right of it and in the chunk. All others are in other chunks.
   */
  readonly inner: Int32Array;
  readonly middles: Int32Array;
  readonly outer: Int32Array;
}

/** The components of a level. */
export interface LevelComponents {
  readonly count: number;
  readonly labels: Int32Array;
}

/** A = diag(pivots) − W, where pivots are the row sums of W. W may have negative entries below the finest level. */
export interface Level extends ChunkedRows {
  readonly size: number;
  /** The number of rows in which a sweep of Gauss-Seidel sees its own results. */
  readonly chunk: number;
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
/** The same for entries times vectors in kernels. */
const productsPerYield = 1 << 21;

/** Chunks for threads: at most `most`, none smaller than `rows`. Small levels are one chunk. */
const chunks = { most: 16, rows: 8192 };

/** The number of rows of a chunk of a level of this size. It does not depend on the number of threads. */
export function chunkOf(size: number): number {
  return size < 2 * chunks.rows ? Math.max(1, size) : Math.max(chunks.rows, Math.ceil(size / chunks.most));
}

/** The level of rows in chunks of `chunkOf` rows. Their diagonal follows from A·1 = 0. */
export function makeLevel(
  rows: ChunkedRows,
  mass: Float64Array,
  massMatrix: Level['massMatrix'],
  components: LevelComponents,
  loans: Loans,
): Level {
  const size = mass.length;
  const { starts, weights } = rows;
  const [pivots, inverses] = [loans.float64(size), loans.float64(size)];
  const volumes = new Float64Array(components.count);
  for (let i = 0; i < size; i++) {
    let sum = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) sum += weights[e];
    pivots[i] = sum;
    inverses[i] = sum > 0 ? 1 / sum : 0;
    volumes[components.labels[i]] += mass[i];
  }
  const ends = starts.subarray(1);
  return { ...rows, size, chunk: chunkOf(size), ends, pivots, inverses, mass, massMatrix, components, volumes };
}

/** out ← A·x for a block of vectors. */
export function stiffnessSteps(level: Level, x: Block, out: Block): Task<void> {
  return productSteps(level, -1, level.weights, level.pivots, x, out);
}

/** out ← B·x for a block of vectors, below the finest level. */
export function massSteps(level: Level, x: Block, out: Block): Task<void> {
  const { diagonal, weights } = level.massMatrix!;
  return productSteps(level, 1, weights, diagonal, x, out);
}

/** out ← (diag(diagonal) ± the matrix with these weights at the entries of the level)·x. */
function productSteps(
  level: Level,
  sign: 1 | -1,
  weights: Floats,
  diagonal: Float64Array,
  { width, data: x }: Block,
  { data: out }: Block,
): Task<void> {
  const { starts, ends, columns } = level;
  const { blockProduct } = blockKernels();
  return inRangesSteps(level, width, (from, to) => {
    blockProduct(from, to, width, starts, ends, null, null, columns, weights, sign, diagonal, x, x, out);
  });
}

/** x ← x without its part in the null space, in place: its B-weighted mean on every component becomes 0. */
export function* projectSteps(level: Level, blocks: Blocks, block: Block): Task<void> {
  const { size, mass, components, volumes } = level;
  const { width, data } = block;
  const { count, labels } = components;
  const means = blocks.loans.float64(count * width);
  if (count === 1) means.set(yield* blocks.gramSteps([{ width: 1, data: mass }], block, null));
  else addUp(level, block, means);
  for (let k = 0; k < count; k++) for (let c = 0; c < width; c++) means[k * width + c] /= volumes[k];
  blockKernels().blockCenter(size, width, labels, means, data);
  blocks.loans.giveBack(means);
  yield 0;
}

/** sums ← the sums of mass·x over every component. */
function addUp({ size, mass, components }: Level, { width, data }: Block, sums: Float64Array): void {
  sums.fill(0);
  for (let i = 0, at = 0; i < size; i++) {
    const first = components.labels[i] * width;
    for (let c = 0; c < width; c++, at++) sums[first + c] += mass[i] * data[at];
  }
}

/** Visits ranges of whole chunks with some `productsPerYield` entries times vectors, in order. */
export function* inRangesSteps(
  { size, starts, chunk }: Level,
  width: number,
  visit: (from: number, to: number) => void,
): Task<void> {
  const perRow = Math.max(1, (starts[size] / Math.max(1, size)) * width);
  const rows = chunk * Math.max(1, Math.round(productsPerYield / perRow / chunk));
  for (let from = 0; from < size; from += rows) {
    visit(from, Math.min(size, from + rows));
    yield 0;
  }
}
