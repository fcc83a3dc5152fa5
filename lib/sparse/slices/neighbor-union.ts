/** `NeighborUnion`: N(B), the rows of a batch and all their neighbors, in the order of visits. The batch comes first. */

import { sliceKernels } from '../../wasm/families.ts';
import { type CsrMatrix, entriesIn } from '../csr.ts';
import { allocateIndices } from '../indices.ts';

/** Reuses its buffers: the result of `of` is valid until the next call. */
export class NeighborUnion {
  readonly #matrix: CsrMatrix;
  /** A row is visited if its stamp is that of the current call, so that nothing is cleared between calls. */
  readonly #stamps: Int32Array;
  #stamp = 0;
  #rows = allocateIndices(0);

  /** `matrix` is square. */
  constructor(matrix: CsrMatrix) {
    this.#matrix = matrix;
    this.#stamps = allocateIndices(matrix.rows);
  }

  /** The rows of N(B), each once. The rows of the batch must be in range. O(entries of these rows). */
  of(batch: Int32Array): Int32Array {
    const { starts, columns, rows: bound } = this.#matrix;
    // One more, because the kernel writes an index before it knows whether to keep it.
    const most = Math.min(batch.length + entriesIn(this.#matrix, batch), bound) + 1;
    if (this.#rows.length < most) this.#rows = allocateIndices(2 * most);
    if (this.#stamp === 0x7fffffff) {
      this.#stamps.fill(0);
      this.#stamp = 0;
    }
    this.#stamp++;
    const { neighborUnion } = sliceKernels();
    const count = neighborUnion(batch.length, batch, starts, columns, this.#stamp, this.#stamps, this.#rows);
    return this.#rows.subarray(0, count);
  }
}
