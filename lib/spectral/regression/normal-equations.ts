/** The matrix HᵀDH of normal equations: applied by products with sparse features H, or summed once if that is less work. */

import { csrTransposeMatmul } from '../../kernels/pullbacks.ts';
import { csrMatmul } from '../../kernels/sparse.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';

/** out ← HᵀDH·x for a table x of `width` columns, one row for each feature. */
export type NormalMatrix = (width: number, x: Float64Array, out: Float64Array) => void;

/** A matrix of all pairs of this many features takes 128 MB while it is summed. */
const mostPairs = 2 ** 24;

/**
 * HᵀDH for features H and degrees D. With few features for many points it is summed, and only its entries that are not zero
 * are kept: a product then takes less time than one with H and one with Hᵀ.
 */
export function normalMatrix(features: CsrMatrix, degrees: Float64Array): NormalMatrix {
  const pairs = features.cols ** 2;
  return pairs <= Math.min(mostPairs, 2 * features.columns.length)
    ? summed(features, degrees)
    : factored(features, degrees);
}

function factored({ rows, cols, starts, columns, values }: CsrMatrix, degrees: Float64Array): NormalMatrix {
  let image = new Float64Array(0);
  return (width, x, out) => {
    if (image.length !== rows * width) image = new Float64Array(rows * width);
    csrMatmul(rows, width, starts, columns, values, x, image, false);
    for (let i = 0, at = 0; i < rows; i++) for (let j = 0; j < width; j++) image[at++] *= degrees[i];
    csrTransposeMatmul(rows, cols, width, starts, columns, values, image, out, false);
  };
}

function summed({ rows, cols, starts, columns, values }: CsrMatrix, degrees: Float64Array): NormalMatrix {
  // The columns of a row increase, so these are the entries on and below the diagonal.
  const sums = new Float64Array(cols * cols);
  for (let i = 0; i < rows; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      const factor = degrees[i] * values[e];
      const row = columns[e] * cols;
      for (let f = starts[i]; f <= e; f++) sums[row + columns[f]] += factor * values[f];
    }
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
  return (width, x, out) => csrMatmul(cols, width, ends, places, entries, x, out, false);
}
