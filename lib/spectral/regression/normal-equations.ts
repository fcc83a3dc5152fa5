/** The matrix HᵀDH of normal equations: applied by products with sparse features H, or summed once if that is less work. */

import type { Task } from '../../core/task.ts';
import { transposeRows } from '../../kernels/batch/counting-sort.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import { addNormalProduct, multiplyDoubles } from './normal-products.ts';

/** Features H of all points, in blocks of consecutive ones: in memory a single block, else as many as a file is read in. */
export interface FeatureBlocks {
  readonly cols: number;
  /** The number of entries of H. */
  readonly entries: number;
  /** H, where it is in memory. */
  readonly whole: CsrMatrix | null;
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
  return { cols: rows.cols, entries: rows.columns.length, whole: rows, blocks: () => [{ from: 0, rows }] };
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
  return function* (width, x, out) {
    out.fill(0, 0, cols * width);
    for (const { from, rows } of blocks()) {
      const { rows: count, starts, columns, values } = rows;
      addNormalProduct(count, width, starts, columns, values, degrees.subarray(from), x, out);
      yield 0;
    }
  };
}

/** The entries on and below the diagonal that are not 0, in rows whose columns increase. */
interface LowerRows {
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly values: Float64Array;
}

/** Null if a product with the sum would take longer than one with H and one with Hᵀ. */
function* summedSteps(features: FeatureBlocks, degrees: Float64Array): Task<NormalMatrixSteps | null> {
  const { cols, entries: factorEntries, whole } = features;
  // The transpose of many points takes more memory than a dense sum.
  const isByFeature = whole !== null && factorEntries <= cols ** 2;
  const lower = isByFeature ? yield* sumByFeatureSteps(whole, degrees) : yield* sumByPointSteps(features, degrees);
  if (!lower) return null;
  // An entry below the diagonal stands for two.
  const starts = new Int32Array(cols + 1);
  for (let i = 0; i < cols; i++) {
    for (let e = lower.starts[i]; e < lower.starts[i + 1]; e++) {
      starts[i + 1]++;
      if (lower.columns[e] < i) starts[lower.columns[e] + 1]++;
    }
  }
  for (let i = 0; i < cols; i++) starts[i + 1] += starts[i];
  if (starts[cols] > 2 * factorEntries) return null;
  const [places, entries] = [new Int32Array(starts[cols]), new Float64Array(starts[cols])];
  const next = starts.slice(0, cols);
  for (let i = 0; i < cols; i++) {
    for (let e = lower.starts[i]; e < lower.starts[i + 1]; e++) {
      const j = lower.columns[e];
      places[next[i]] = j;
      entries[next[i]++] = lower.values[e];
      if (j === i) continue;
      places[next[j]] = i;
      entries[next[j]++] = lower.values[e];
    }
  }
  // eslint-disable-next-line require-yield
  return function* (width, x, out) {
    multiplyDoubles(cols, width, starts, places, entries, x, out);
  };
}

/** More entries on and below the diagonal are too many. */
function mostEntries({ cols, entries }: Pick<FeatureBlocks, 'cols' | 'entries'>): number {
  return Math.min(entries + cols, (cols * (cols + 1)) / 2);
}

/** The sum, one feature after the other: it reads points of the feature, and its row stays in the cache. Null if it has too many entries. */
function* sumByFeatureSteps(
  { rows, cols, starts, columns, values }: CsrMatrix,
  degrees: Float64Array,
): Task<LowerRows | null> {
  const most = mostEntries({ cols, entries: columns.length });
  const points = { starts: new Int32Array(cols + 1), list: new Int32Array(columns.length), values: values.slice() };
  transposeRows(rows, cols, starts, columns, values, points.starts, points.list, points.values);
  const out = { starts: new Int32Array(cols + 1), columns: new Int32Array(most), values: new Float64Array(most) };
  const [sums, stamps] = [new Float64Array(cols), new Int32Array(cols)];
  let end = 0;
  for (let row = 0; row < cols; row++) {
    const begin = end;
    for (let t = points.starts[row]; t < points.starts[row + 1]; t++) {
      const i = points.list[t];
      const factor = degrees[i] * points.values[t];
      for (let f = starts[i]; f < starts[i + 1] && columns[f] <= row; f++) {
        const column = columns[f];
        if (stamps[column] <= row) {
          if (end === most) return null;
          stamps[column] = row + 1;
          sums[column] = 0;
          out.columns[end++] = column;
        }
        sums[column] += factor * values[f];
      }
    }
    out.columns.subarray(begin, end).sort();
    let kept = begin;
    for (let e = begin; e < end; e++) {
      const column = out.columns[e];
      if (sums[column] === 0) continue;
      out.columns[kept] = column;
      out.values[kept++] = sums[column];
    }
    end = out.starts[row + 1] = kept;
    if (row % 256 === 0) yield 0;
  }
  return out;
}

/** The sum, one point after the other, in a dense matrix. Null if it has too many entries. */
function* sumByPointSteps({ cols, entries, blocks }: FeatureBlocks, degrees: Float64Array): Task<LowerRows | null> {
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
  const most = mostEntries({ cols, entries });
  const out = { starts: new Int32Array(cols + 1), columns: new Int32Array(most), values: new Float64Array(most) };
  let end = 0;
  for (let i = 0, at = 0; i < cols; i++, at = i * cols) {
    for (let j = 0; j <= i; j++, at++) {
      if (sums[at] === 0) continue;
      if (end === most) return null;
      out.columns[end] = j;
      out.values[end++] = sums[at];
    }
    out.starts[i + 1] = end;
    if (i % 256 === 0) yield 0;
  }
  return out;
}
