/** How do the entries within each row get into the order of their columns? */

/** Rows up to this length are sorted by insertion, longer ones by the engine's own sort of typed arrays. */
const insertionLimit = 64;

/** Sorts columns, and values with them, within each of `rows` rows, in place; equal columns keep their order. */
export function sortRows(rows: number, starts: Int32Array, columns: Int32Array, values: Float64Array): void {
  for (let i = 0; i < rows; i++) {
    const [start, end] = [starts[i], starts[i + 1]];
    if (end - start <= insertionLimit) insert(start, end, columns, values);
    else if (!isSorted(start, end, columns)) sortLong(start, end, columns, values);
  }
}

function insert(start: number, end: number, columns: Int32Array, values: Float64Array): void {
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

/** Column and place in one number, which a double holds exactly up to 2⁵³: the place settles ties. */
function sortLong(start: number, end: number, columns: Int32Array, values: Float64Array): void {
  const count = end - start;
  const unit = 2 ** Math.ceil(Math.log2(count));
  if (unit > 2 ** 22) return sortHalves(start, end, columns, values);
  const keys = Float64Array.from({ length: count }, (_, e) => columns[start + e] * unit + e);
  keys.sort();
  const before = values.slice(start, end);
  for (let e = 0; e < count; e++) {
    const column = Math.floor(keys[e] / unit);
    columns[start + e] = column;
    values[start + e] = before[keys[e] - column * unit];
  }
}

/** Rows too long for such numbers are sorted in halves and merged. */
function sortHalves(start: number, end: number, columns: Int32Array, values: Float64Array): void {
  const middle = start + ((end - start) >>> 1);
  sortLong(start, middle, columns, values);
  sortLong(middle, end, columns, values);
  const [leftColumns, leftValues] = [columns.slice(start, middle), values.slice(start, middle)];
  let left = 0;
  let right = middle;
  for (let at = start; left < leftColumns.length; at++) {
    const takeRight = right < end && columns[right] < leftColumns[left];
    columns[at] = takeRight ? columns[right] : leftColumns[left];
    values[at] = takeRight ? values[right++] : leftValues[left++];
  }
}

function isSorted(start: number, end: number, columns: Int32Array): boolean {
  for (let e = start + 1; e < end; e++) if (columns[e - 1] > columns[e]) return false;
  return true;
}
