/** How is a large matrix brought to where the kernels like it best, for as long as some work lasts? */

import type { Floats } from '../kernels/types.ts';
import { borrow } from '../wasm/borrow.ts';
import { canonical, type CsrMatrix } from './csr.ts';

/** A copy in borrowed memory, which no budget limits. After `giveBack` nobody may touch the matrix. */
export function lendCsr(source: CsrMatrix): { matrix: CsrMatrix; giveBack(): void } {
  const { rows, cols, starts, columns, values } = source;
  const [forStarts, forColumns, forValues] = [starts, columns, values].map((array) => Math.ceil(array.byteLength / 8));
  const { array, giveBack } = borrow(forStarts + forColumns + forValues);
  const at = (words: number): number => array.byteOffset + 8 * words;
  const copies = {
    starts: new Int32Array(array.buffer, at(0), starts.length),
    columns: new Int32Array(array.buffer, at(forStarts), columns.length),
    values: new (values.constructor as typeof Float64Array)(
      array.buffer,
      at(forStarts + forColumns),
      values.length,
    ) as Floats,
  };
  copies.starts.set(starts);
  copies.columns.set(columns);
  copies.values.set(values);
  return { matrix: canonical(rows, cols, copies.starts, copies.columns, copies.values, array), giveBack };
}
