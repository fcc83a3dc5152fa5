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

/** The most pairs of features that are summed: 128 MiB of Float64, that is, 4096 features. */
const mostPairs = 2 ** 24;
/** The largest number of pairs of features for each entry of H: to look at all of them takes as long as a few dozen products with H. */
const pairsForEntry = 64;

/**
 * HᵀDH for features H and degrees D. It is summed unless there are many features for few points. The sum is kept if it has at most
 * twice as many nonzeros as H: a product then takes less time than one with H and one with Hᵀ. Conjugate gradients take hundreds.
 */
export function* normalMatrixSteps(features: FeatureBlocks, degrees: Float64Array): Task<NormalMatrixSteps> {
  const pairs = features.cols ** 2;
  const summed =
    pairs <= Math.min(mostPairs, pairsForEntry * features.entries) ? yield* summedSteps(features, degrees) : null;
  return summed ?? factoredSteps(features, degrees);
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

/** Null if a product with the sum would take longer than one with H and one with Hᵀ. */
function* summedSteps(
  { cols, entries: factorEntries, blocks }: FeatureBlocks,
  degrees: Float64Array,
): Task<NormalMatrixSteps | null> {
  // The columns of a row increase, so these are the entries on and below the diagonal.
  const sums = new Float64Array(cols * cols);
  for (const { from, rows } of blocks()) {
    const { starts: begins, columns, values } = rows;
    for (let i = 0; i < rows.rows; i++) {
      for (let e = begins[i]; e < begins[i + 1]; e++) {
        const factor = degrees[from + i] * values[e];
        const row = columns[e] * cols;
        for (let f = begins[i]; f <= e; f++) sums[row + columns[f]] += factor * values[f];
      }
    }
    yield 0;
  }
  // An entry below the diagonal stands for two.
  const starts = new Int32Array(cols + 1);
  for (let i = 0, at = 0; i < cols; i++, at = i * cols) {
    for (let j = 0; j <= i; j++, at++) {
      if (sums[at] === 0) continue;
      starts[i + 1]++;
      if (j < i) starts[j + 1]++;
    }
  }
  for (let i = 0; i < cols; i++) starts[i + 1] += starts[i];
  if (starts[cols] > 2 * factorEntries) return null;
  const [places, entries] = [new Int32Array(starts[cols]), new Float64Array(starts[cols])];
  const next = starts.slice(0, cols);
  for (let i = 0, at = 0; i < cols; i++, at = i * cols) {
    for (let j = 0; j <= i; j++, at++) {
      if (sums[at] === 0) continue;
      places[next[i]] = j;
      entries[next[i]++] = sums[at];
      if (j === i) continue;
      places[next[j]] = i;
      entries[next[j]++] = sums[at];
    }
    if (i % 256 === 0) yield 0;
  }
  // eslint-disable-next-line require-yield
  return function* (width, x, out) {
    csrMatmul(cols, width, starts, places, entries, x, out, false);
  };
}
