/** Refuses large tables of few different rows, whose graph of neighbors would join every row with its own copies alone. */

import { badValue } from '../../core/check.ts';
import type { Tensor } from '../../tensor/tensor.ts';

/** Fewer rows take seconds, and the command warns of repeated points. */
const fewestRows = 50_000;

/**
 * Refuses more than `fewestRows` rows of which there are so many copies that each has `neighbors` of them on average. Such a
 * graph has no edges between different points, and its eigenvectors take many minutes.
 */
export function checkRepeatedRows(caller: string, { rows, cols, data }: Tensor, neighbors: number): void {
  const enough = rows / neighbors;
  if (rows < fewestRows) return;
  const different = new Set<string | number>();
  for (let row = 0; row < rows; row++) {
    different.add(cols === 1 ? data[row] : data.subarray(row * cols, (row + 1) * cols).join());
    if (different.size > enough) return;
  }
  const got = `${rows} rows with only ${different.size} different points`;
  const shape =
    cols === 1 ? ' If the list holds rows of several numbers one after the other, write a list for each row.' : '';
  const remedy = `Their ${neighbors} neighbors would be their own copies. Remove repeated rows.${shape}`;
  throw badValue(caller, 'a table of different rows', got, remedy);
}
