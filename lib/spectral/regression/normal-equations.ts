/** The matrix HᵀDH of normal equations: applied by products with sparse features H, or summed once if that is less work. */

import type { Task } from '../../core/task.ts';
import { csrTransposeMatmul } from '../../kernels/pullbacks.ts';
import { csrMatmul } from '../../kernels/sparse.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';

/** Features H of all points, in blocks of consecutive ones: in memory a single block, else as many as a file is read in. */
export interface FeatureBlocks {
  readonly cols: number;
  /** The number of entries of H. */
  readonly entries: number;
  /** The blocks in the order of their points. A block is valid until the next one. */
  blocks(): Iterable<FeatureBlock>;
}

/** The features of the points from `from` on. */
export interface FeatureBlock {
  readonly from: number;
  readonly rows: CsrMatrix;
}

/** Features in memory. */
export function wholeFeatures(rows: CsrMatrix): FeatureBlocks {
  return { cols: rows.cols, entries: rows.columns.length, blocks: () => [{ from: 0, rows }] };
}

/** out ← HᵀDH·x for a table x of `width` columns, one row for each feature. Yields after each block. */
export type NormalMatrixSteps = (width: number, x: Float64Array, out: Float64Array) => Task<void>;

/** A matrix of all pairs of this many features takes 128 MB while it is summed. */
const mostPairs = 2 ** 24;

/**
 * HᵀDH for features H and degrees D. With few features for many points it is summed, and only its entries that are not zero
 * are kept: a product then takes less time than one with H and one with Hᵀ.
 */
export function* normalMatrixSteps(features: FeatureBlocks, degrees: Float64Array): Task<NormalMatrixSteps> {
  const pairs = features.cols ** 2;
  return pairs <= Math.min(mostPairs, 2 * features.entries)
    ? yield* summedSteps(features, degrees)
    : factoredSteps(features, degrees);
}

function factoredSteps({ cols, blocks }: FeatureBlocks, degrees: Float64Array): NormalMatrixSteps {
  let image = new Float64Array(0);
  return function* (width, x, out) {
    out.fill(0, 0, cols * width);
    for (const { from, rows } of blocks()) {
      const { rows: count, starts, columns, values } = rows;
      if (image.length !== count * width) image = new Float64Array(count * width);
      csrMatmul(count, width, starts, columns, values, x, image, false);
      for (let i = 0, at = 0; i < count; i++) for (let j = 0; j < width; j++) image[at++] *= degrees[from + i];
      csrTransposeMatmul(count, cols, width, starts, columns, values, image, out, true);
      yield 0;
    }
  };
}

function* summedSteps({ cols, blocks }: FeatureBlocks, degrees: Float64Array): Task<NormalMatrixSteps> {
  // The columns of a row increase, so these are the entries on and below the diagonal.
  const sums = new Float64Array(cols * cols);
  for (const { from, rows } of blocks()) {
    const { starts, columns, values } = rows;
    for (let i = 0; i < rows.rows; i++) {
      for (let e = starts[i]; e < starts[i + 1]; e++) {
        const factor = degrees[from + i] * values[e];
        const row = columns[e] * cols;
        for (let f = starts[i]; f <= e; f++) sums[row + columns[f]] += factor * values[f];
      }
    }
    yield 0;
  }
  for (let i = 0; i < cols; i++) for (let j = 0; j < i; j++) sums[j * cols + i] = sums[i * cols + j];
  const ends = new Int32Array(cols + 1);
  let count = 0;
  for (let i = 0; i < cols; i++) {
    for (let j = 0; j < cols; j++) if (sums[i * cols + j] !== 0) count++;
    ends[i + 1] = count;
  }
  const [places, entries] = [new Int32Array(count), new Float64Array(count)];
  for (let i = 0, at = 0; i < cols; i++) {
    for (let j = 0; j < cols; j++) {
      if (sums[i * cols + j] === 0) continue;
      places[at] = j;
      entries[at++] = sums[i * cols + j];
    }
  }
  // eslint-disable-next-line require-yield
  return function* (width, x, out) {
    csrMatmul(cols, width, ends, places, entries, x, out, false);
  };
}
