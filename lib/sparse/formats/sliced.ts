/** `SlicedMatrix`: slices of eight rows of similar length, stored layer by layer (SELL-8-σ). Fast for products with one column. */

import { badKind } from '../../core/check.ts';
import { sliceHeight } from '../../kernels/formats/products.ts';
import type { Floats } from '../../kernels/types.ts';
import { allocate } from '../../tensor/tensor.ts';
import { canonical, checkCsr, copyIndices, type CsrMatrix } from '../csr.ts';
import { allocateIndices } from '../indices.ts';

/** Rows are sorted by their length within windows, so that rows of a slice are about as long and near each other: within larger ones if padding asks for it. */
const windows = [256, 4096, 65536];
/** Rows stay in order, or within a window, if that makes the matrix larger by no more than this factor. */
const mostPadding = 1.05;

/**
 * Slice s has layers starts[s] … starts[s+1]−1 of eight places each. Place 8·layer + lane belongs to row order[8s + lane], whose entries
 * are in its first lengths[row] layers; the others are padding of value 0. Nothing writes to the arrays after construction.
 */
export class SlicedMatrix {
  readonly rows: number;
  readonly cols: number;
  readonly nonzeros: number;
  /** Whether order[k] = k for all rows. */
  readonly isOrdered: boolean;
  readonly starts: Int32Array;
  readonly order: Int32Array;
  readonly lengths: Int32Array;
  readonly columns: Int32Array;
  readonly values: Floats;

  /** Use `toSliced`. */
  constructor(parts: SlicedMatrix) {
    this.rows = parts.rows;
    this.cols = parts.cols;
    this.nonzeros = parts.nonzeros;
    this.isOrdered = parts.isOrdered;
    this.starts = parts.starts;
    this.order = parts.order;
    this.lengths = parts.lengths;
    this.columns = parts.columns;
    this.values = parts.values;
  }
}

/** The matrix in slices. Exact: `fromSliced` returns the same matrix. O(rows·log σ + places). */
export function toSliced(matrix: CsrMatrix): SlicedMatrix {
  checkCsr('toSliced', matrix);
  return fillSlices(matrix, planSlices(lengthsOf(matrix)), false);
}

/** The slices of Aᵀ, in one pass over A. The same as `toSliced(transpose(matrix))`. */
export function toTransposedSlices(matrix: CsrMatrix, plan = planTransposedSlices(matrix)): SlicedMatrix {
  return fillSlices(matrix, plan, true);
}

/** The entries of the matrix, or of its transpose, in these slices. */
function fillSlices(
  matrix: CsrMatrix,
  { lengths, isOrdered, order, slices }: SlicePlan,
  isTransposed: boolean,
): SlicedMatrix {
  const places = sliceHeight * slices.at(-1)!;
  const [columns, values] = [allocateIndices(places), allocate(places, matrix.precision)];
  const rows = lengths.length;
  const placeOf = (k: number, slice = Math.floor(k / sliceHeight)): number =>
    sliceHeight * slices[slice] + (k % sliceHeight);
  /** The place of the next entry of each row. */
  const next = new Int32Array(rows);
  for (let k = 0; k < rows; k++) next[order[k]] = placeOf(k);
  for (let i = 0; i < matrix.rows; i++) {
    for (let e = matrix.starts[i]; e < matrix.starts[i + 1]; e++) {
      const row = isTransposed ? matrix.columns[e] : i;
      const at = next[row];
      next[row] = at + sliceHeight;
      columns[at] = isTransposed ? i : matrix.columns[e];
      values[at] = matrix.values[e];
    }
  }
  for (let k = 0; k < order.length; k++) {
    const [first, end] = [placeOf(k), placeOf(k, Math.floor(k / sliceHeight) + 1)];
    const length = sliceHeight * lengths[order[k]];
    for (let at = k < rows ? first + length : first; at < end; at += sliceHeight) {
      // A lane without a row repeats the first of its slice. Padding reads a number of x that the row reads anyway.
      const from = at - first < length ? at - (k % sliceHeight) : at - sliceHeight;
      if (at - first < length) values[at] = values[from];
      if (length > 0) columns[at] = columns[from];
    }
  }
  const { nonzeros } = matrix;
  return new SlicedMatrix({ rows, cols: isTransposed ? matrix.rows : matrix.cols, nonzeros, isOrdered, starts: copyIndices(slices), order, lengths, columns, values }); // oxfmt-ignore
}

/** Which slices the rows of Aᵀ come to lie in. */
export function planTransposedSlices({ cols, columns }: CsrMatrix): SlicePlan {
  const lengths = allocateIndices(cols);
  for (let e = 0; e < columns.length; e++) lengths[columns[e]]++;
  return planSlices(lengths);
}

/** The entries of a matrix over the places of its slices: 1 if there is no padding, or no entry. */
export function sliceFill(matrix: CsrMatrix): number {
  return fillOf(planSlices(lengthsOf(matrix)), matrix.nonzeros);
}

/** The same for a plan. */
export function fillOf({ slices }: SlicePlan, nonzeros: number): number {
  const places = sliceHeight * slices.at(-1)!;
  return places === 0 ? 1 : nonzeros / places;
}

function lengthsOf({ rows, starts }: CsrMatrix): Int32Array {
  const lengths = allocateIndices(rows);
  for (let i = 0; i < rows; i++) lengths[i] = starts[i + 1] - starts[i];
  return lengths;
}

export type SlicePlan = ReturnType<typeof planSlices>;

/** The order of the rows, and the first layer of each slice. Rows stay in order if that costs little. */
function planSlices(lengths: Int32Array) {
  const rows = lengths.length;
  const nonzeros = lengths.reduce((sum, length) => sum + length, 0);
  const order = allocateIndices(Math.ceil(rows / sliceHeight) * sliceHeight);
  for (let k = 0; k < rows; k++) order[k] = k;
  let slices = layersOf(order, lengths, rows);
  const isOrdered = sliceHeight * slices.at(-1)! <= mostPadding * nonzeros;
  for (const window of isOrdered ? [] : windows) {
    sortWindows(order, lengths, window);
    slices = layersOf(order, lengths, rows);
    if (window >= rows || sliceHeight * slices.at(-1)! <= mostPadding * nonzeros) break;
  }
  // Lanes of the last slice that have no row repeat its first row.
  for (let k = rows; k < order.length; k++) order[k] = order[order.length - sliceHeight];
  return { lengths, isOrdered, order, slices };
}

/** The compressed rows of a matrix in slices. */
export function fromSliced(matrix: SlicedMatrix): CsrMatrix {
  if (!(matrix instanceof SlicedMatrix)) throw badKind('fromSliced', 'what toSliced returned', matrix);
  const { rows, cols, nonzeros, starts, order, lengths, ...places } = matrix;
  const csrStarts = allocateIndices(rows + 1);
  for (let i = 0; i < rows; i++) csrStarts[i + 1] = csrStarts[i] + lengths[i];
  const columns = allocateIndices(nonzeros);
  const values = allocate(nonzeros, places.values instanceof Float32Array ? 'single' : 'double');
  for (let k = 0; k < rows; k++) {
    const first = sliceHeight * starts[Math.floor(k / sliceHeight)] + (k % sliceHeight);
    for (let layer = 0, e = csrStarts[order[k]]; layer < lengths[order[k]]; layer++, e++) {
      columns[e] = places.columns[first + sliceHeight * layer];
      values[e] = places.values[first + sliceHeight * layer];
    }
  }
  return canonical(rows, cols, csrStarts, columns, values);
}

/** The first layer of each slice, and the number of layers: a slice has as many as its longest row has entries. */
function layersOf(order: Int32Array, lengths: Int32Array, rows: number): Int32Array {
  const starts = new Int32Array(Math.ceil(rows / sliceHeight) + 1);
  for (let k = 0; k < rows; k++) {
    const slice = Math.floor(k / sliceHeight);
    starts[slice + 1] = Math.max(starts[slice + 1], lengths[order[k]]);
  }
  for (let s = 1; s < starts.length; s++) starts[s] += starts[s - 1];
  return starts;
}

/** Sorts the rows of each window by their length, the longest first. Equal ones stay in order. */
function sortWindows(order: Int32Array, lengths: Int32Array, window: number): void {
  const rows = lengths.length;
  for (let from = 0; from < rows; from += window) {
    const count = Math.min(window, rows - from);
    // The longest rows have the smallest keys, and the order of rows is that of their last digits: sorting needs no comparison of ours.
    const keys = Float64Array.from({ length: count }, (_, k) => k - window * lengths[from + k]).toSorted();
    for (let k = 0; k < count; k++) order[from + k] = from + (((keys[k] % window) + window) % window);
  }
}
