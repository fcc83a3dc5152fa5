/** Stable sorting of the entries of each row by column. */

import type { Floats } from '../kernels/types.ts';
import { bucketByRow } from '../kernels/batch/counting-sort.ts';

/** Rows up to this length are sorted by insertion. */
const insertionLimit = 64;

/** Sorts columns, and values with them, within each of `rows` rows, in place; equal columns keep their order. */
export function sortRows(rows: number, starts: Int32Array, columns: Int32Array, values: Floats): void {
  for (let i = 0; i < rows; i++) {
    const [start, end] = [starts[i], starts[i + 1]];
    if (end - start <= insertionLimit) insertionSort(start, end, columns, values);
    else if (!isSorted(start, end, columns)) radixSort(start, end, columns, values);
  }
}

function insertionSort(start: number, end: number, columns: Int32Array, values: Floats): void {
  for (let e = start + 1; e < end; e++) {
    const column = columns[e];
    if (columns[e - 1] <= column) continue;
    const value = values[e];
    let at = e;
    for (; at > start && columns[at - 1] > column; at--) {
      columns[at] = columns[at - 1];
      values[at] = values[at - 1];
    }
    columns[at] = column;
    values[at] = value;
  }
}

/** Radix sort, eight bits at a time from the lowest. Each pass is a stable counting sort. */
function radixSort(start: number, end: number, columns: Int32Array, values: Floats): void {
  const keys = new Int32Array(end - start);
  for (let shift = 0, more = 1; more > 0; shift += 8) {
    more = 0;
    for (let e = 0; e < keys.length; e++) {
      const bits = columns[start + e] >> shift;
      keys[e] = bits & 255;
      more |= bits >> 8;
    }
    const [oldColumns, oldValues] = [columns.slice(start, end), values.slice(start, end)];
    const [newColumns, newValues] = [columns.subarray(start, end), values.subarray(start, end)];
    bucketByRow(keys, oldColumns, oldValues, new Int32Array(257), newColumns, newValues);
  }
}

function isSorted(start: number, end: number, columns: Int32Array): boolean {
  for (let e = start + 1; e < end; e++) if (columns[e - 1] > columns[e]) return false;
  return true;
}
