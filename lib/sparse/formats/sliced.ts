/** `SlicedMatrix`: slices of eight rows of similar length, stored layer by layer (SELL-8-σ). Fast for products with one column. */

import { badKind } from '../../core/check.ts';
import { sliceHeight } from '../../kernels/products.ts';
import type { Floats } from '../../kernels/types.ts';
import { allocate } from '../../tensor/tensor.ts';
import { canonical, checkCsr, type CsrMatrix } from '../csr.ts';
import { allocateIndices } from '../indices.ts';

/** Rows are sorted by their length within windows of this many, so that rows of a slice are about as long and near each other. */
const window = 256;
/** Rows stay in order if that makes the matrix larger by no more than this factor. */
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
  const { rows, cols, nonzeros, starts, columns, values, precision } = matrix;
  const { lengths, isOrdered, order, slices } = planSlices(matrix);
  const places = sliceHeight * slices.at(-1)!;
  const [slicedColumns, slicedValues] = [allocateIndices(places), allocate(places, precision)];
  for (let k = 0; k < rows; k++) {
    const i = order[k];
    const first = sliceHeight * slices[Math.floor(k / sliceHeight)] + (k % sliceHeight);
    const end = sliceHeight * slices[Math.floor(k / sliceHeight) + 1];
    // Padding reads a number of x that the row reads anyway.
    const repeated = lengths[i] > 0 ? columns[starts[i + 1] - 1] : 0;
    for (let e = starts[i], at = first; at < end; e++, at += sliceHeight) {
      slicedColumns[at] = e < starts[i + 1] ? columns[e] : repeated;
      if (e < starts[i + 1]) slicedValues[at] = values[e];
    }
  }
  const slicedStarts = allocateIndices(slices.length);
  slicedStarts.set(slices);
  return new SlicedMatrix({
    rows,
    cols,
    nonzeros,
    isOrdered,
    starts: slicedStarts,
    order,
    lengths,
    columns: slicedColumns,
    values: slicedValues,
  });
}

/** The entries of a matrix over the places of its slices: 1 if there is no padding, or no entry. */
export function sliceFill(matrix: CsrMatrix): number {
  const places = sliceHeight * planSlices(matrix).slices.at(-1)!;
  return places === 0 ? 1 : matrix.nonzeros / places;
}

/** The order of the rows, and the first layer of each slice. Rows stay in order if that costs little. */
function planSlices({ rows, nonzeros, starts }: CsrMatrix) {
  const lengths = allocateIndices(rows);
  for (let i = 0; i < rows; i++) lengths[i] = starts[i + 1] - starts[i];
  const order = allocateIndices(Math.ceil(rows / sliceHeight) * sliceHeight);
  for (let k = 0; k < rows; k++) order[k] = k;
  let slices = layersOf(order, lengths, rows);
  const isOrdered = sliceHeight * slices.at(-1)! <= mostPadding * nonzeros;
  if (!isOrdered) {
    sortWindows(order, lengths, rows);
    slices = layersOf(order, lengths, rows);
  }
  // Lanes of the last slice that have no row name its first row.
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
function sortWindows(order: Int32Array, lengths: Int32Array, rows: number): void {
  for (let from = 0; from < rows; from += window) {
    order.subarray(from, Math.min(rows, from + window)).sort((a, b) => lengths[b] - lengths[a] || a - b);
  }
}
