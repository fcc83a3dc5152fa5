/** Temporary copies of large sparse matrices in the kernels' memory. */

import type { Floats } from '../kernels/types.ts';
import { borrow } from '../wasm/borrow.ts';
import { canonical, type CsrMatrix } from './csr.ts';

/** A copy in borrowed memory, which does not count against the budget. The matrix must not be used after `giveBack`. */
export function borrowCsr(source: CsrMatrix): { matrix: CsrMatrix; giveBack(): void } {
  const { rows, cols, starts, columns, values } = source;
  const [startWords, columnWords, valueWords] = [starts, columns, values].map((array) =>
    Math.ceil(array.byteLength / 8),
  );
  const { array, giveBack } = borrow(startWords + columnWords + valueWords);
  const at = (words: number): number => array.byteOffset + 8 * words;
  const copies = {
    starts: new Int32Array(array.buffer, at(0), starts.length),
    columns: new Int32Array(array.buffer, at(startWords), columns.length),
    values: new (values.constructor as typeof Float64Array)(
      array.buffer,
      at(startWords + columnWords),
      values.length,
    ) as Floats,
  };
  copies.starts.set(starts);
  copies.columns.set(columns);
  copies.values.set(values);
  return { matrix: canonical(rows, cols, copies.starts, copies.columns, copies.values, array), giveBack };
}
