/** `RowSlicer`: one list of rows after another out of a sparse matrix, in reused buffers. */

import type { Floats } from '../../kernels/types.ts';
import { allocate } from '../../tensor/tensor.ts';
import { sliceKernels } from '../../wasm/families.ts';
import { canonical, checkCsr, type CsrMatrix, entriesIn } from '../csr.ts';
import { allocateIndices, checkIndices } from '../indices.ts';

/** New buffers are larger than needed by this factor, since the lists vary in size. */
const growth = 1.5;

export class RowSlicer {
  readonly matrix: CsrMatrix;
  #starts = allocateIndices(1);
  #columns = allocateIndices(0);
  #values: Floats;

  constructor(matrix: CsrMatrix) {
    checkCsr('RowSlicer', matrix);
    this.matrix = matrix;
    this.#values = allocate(0, matrix.precision);
  }

  /** A[rows, :], as `sliceRows`. Valid until the next call, which overwrites its arrays. O(entries of these rows). */
  take(rows: Int32Array): CsrMatrix {
    const { matrix } = this;
    checkIndices('RowSlicer.take', 'rows', rows, matrix.rows);
    const entries = entriesIn(matrix, rows);
    if (this.#starts.length <= rows.length) this.#starts = allocateIndices(Math.ceil(rows.length * growth) + 1);
    if (this.#columns.length < entries) {
      this.#columns = allocateIndices(Math.ceil(entries * growth));
      this.#values = allocate(Math.ceil(entries * growth), matrix.precision);
    }
    const [starts, columns, values] = [this.#starts, this.#columns, this.#values];
    sliceKernels().csrSlice(rows.length, rows, matrix.starts, matrix.columns, matrix.values, starts, columns, values);
    return canonical(
      rows.length,
      matrix.cols,
      starts.subarray(0, rows.length + 1),
      columns.subarray(0, entries),
      values.subarray(0, entries),
      [starts, columns, values],
    );
  }
}
