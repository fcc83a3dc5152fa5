/** How do the entries within each row get into the order of their columns? */

import { turn } from './turn.ts';

/** Rows up to this length are sorted by insertion, which for short ones costs less than the trips through memory below. */
const insertionLimit = 256;

/**
 * Sorts columns, and values with them, within each of `rows` rows, in place; equal columns keep their order. Linear: a
 * long row out of order means two transposes of everything, which count instead of comparing.
 */
export function sortRows(
  rows: number,
  cols: number,
  starts: Int32Array,
  columns: Int32Array,
  values: Float64Array,
): void {
  if (longestUnsorted(rows, starts, columns) > insertionLimit) {
    const turnedStarts = new Int32Array(cols + 1);
    const turnedColumns = new Int32Array(columns.length);
    const turnedValues = new Float64Array(values.length);
    turn(rows, starts, columns, values, turnedStarts, turnedColumns, turnedValues);
    turn(cols, turnedStarts, turnedColumns, turnedValues, new Int32Array(rows + 1), columns, values);
    return;
  }
  for (let i = 0; i < rows; i++) {
    for (let e = starts[i] + 1; e < starts[i + 1]; e++) {
      const column = columns[e];
      if (columns[e - 1] <= column) continue;
      const value = values[e];
      let at = e;
      for (; at > starts[i] && columns[at - 1] > column; at--) {
        columns[at] = columns[at - 1];
        values[at] = values[at - 1];
      }
      columns[at] = column;
      values[at] = value;
    }
  }
}

/** The length of the longest row whose columns fall somewhere, 0 if there is none. */
function longestUnsorted(rows: number, starts: Int32Array, columns: Int32Array): number {
  let longest = 0;
  for (let i = 0; i < rows; i++) {
    const length = starts[i + 1] - starts[i];
    if (length <= longest) continue;
    for (let e = starts[i] + 1; e < starts[i + 1]; e++) {
      if (columns[e - 1] > columns[e]) {
        longest = length;
        break;
      }
    }
  }
  return longest;
}
