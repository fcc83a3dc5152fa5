/** Supernodes: contiguous columns of a factor with nearly the same rows, which are stored and computed as one dense panel. */

import type { EliminationTree } from './elimination-tree.ts';

/** The supernodes in the order of elimination, and the memory that their panels take. */
export interface Supernodes {
  readonly count: number;
  /** Columns first[s] … first[s+1]−1 belong to supernode s. */
  readonly first: Int32Array;
  /** The number of rows of each panel, those of its columns included. */
  readonly heights: Int32Array;
  /** The supernode that receives the update of each one, −1 for a root. */
  readonly parents: Int32Array;
  /** Where each panel begins, in numbers; the last is the length of all panels. */
  readonly panelStarts: Float64Array;
  /** The largest number of rows of a panel. */
  readonly tallest: number;
  /** The most numbers that updates take at a time. */
  readonly stackLength: number;
  /** The number of rows below the diagonal blocks, of all panels. */
  readonly rowCount: number;
}

/** A supernode of at most `columns` columns is merged with its parent if at most the fraction `zeros` of the panel is zeros. */
const relaxation = [
  { columns: 4, zeros: 1 },
  { columns: 16, zeros: 0.8 },
  { columns: 48, zeros: 0.1 },
  { columns: Infinity, zeros: 0.05 },
];

/** Finds supernodes and merges small ones. Linear time; nothing of the size of the factor is allocated. */
export function findSupernodes({ parents: columnParents, counts }: EliminationTree): Supernodes {
  const size = counts.length;
  const children = new Int32Array(size);
  for (let j = 0; j < size; j++) if (columnParents[j] >= 0) children[columnParents[j]]++;
  // Stacks of the supernodes that are open for merging: first column, rows, zeros.
  const [first, heights, zeros]: number[][] = [[], [], []];
  for (let j = 0, next = 0; j < size; j = next) {
    next = j + 1;
    while (
      next < size &&
      columnParents[next - 1] === next &&
      counts[next] === counts[next - 1] - 1 &&
      children[next] === 1
    )
      next++;
    let top = { from: j, height: counts[j], zeros: 0 };
    // The supernode before this one is its last child if its last column has its parent here.
    while (first.length > 0 && isIn(columnParents[top.from - 1], top.from, next)) {
      const from = first.at(-1)!;
      const own = top.from - from;
      const height = own + top.height;
      const added = zeros.at(-1)! + top.zeros + own * (height - heights.at(-1)!);
      if (!allows(next - from, height, added)) break;
      top = { from, height, zeros: added };
      first.pop();
      heights.pop();
      zeros.pop();
    }
    first.push(top.from);
    heights.push(top.height);
    zeros.push(top.zeros);
  }
  return measure(Int32Array.from([...first, size]), Int32Array.from(heights), columnParents);
}

function isIn(column: number, from: number, to: number): boolean {
  return column >= from && column < to;
}

function allows(columns: number, height: number, zeros: number): boolean {
  const entries = columns * height - (columns * (columns - 1)) / 2;
  return zeros <= relaxation.find((rule) => columns <= rule.columns)!.zeros * entries;
}

function measure(first: Int32Array, heights: Int32Array, columnParents: Int32Array): Supernodes {
  const count = heights.length;
  const owners = new Int32Array(first[count]);
  for (let s = 0; s < count; s++) owners.fill(s, first[s], first[s + 1]);
  const parents = new Int32Array(count);
  const panelStarts = new Float64Array(count + 1);
  const waiting = new Float64Array(count);
  let [tallest, rowCount, held, stackLength] = [0, 0, 0, 0];
  for (let s = 0; s < count; s++) {
    const columns = first[s + 1] - first[s];
    const below = heights[s] - columns;
    const parent = columnParents[first[s + 1] - 1];
    parents[s] = parent < 0 ? -1 : owners[parent];
    panelStarts[s + 1] = panelStarts[s] + heights[s] * columns;
    tallest = Math.max(tallest, heights[s]);
    rowCount += below;
    // The update is computed on top of those of the children, and then takes their place.
    stackLength = Math.max(stackLength, held + below * below);
    held += below * below - waiting[s];
    if (parents[s] >= 0) waiting[parents[s]] += below * below;
  }
  return { count, first, heights, parents, panelStarts, tallest, stackLength, rowCount };
}

/** The rows of each panel below its diagonal block, ascending, one panel after the other. */
export function findRows(
  { below }: EliminationTree,
  { count, first, heights, parents, rowCount }: Supernodes,
): Int32Array {
  const rows = new Int32Array(rowCount);
  const begins = new Int32Array(count + 1);
  const marks = new Int32Array(first[count]).fill(-1);
  const firstChild = new Int32Array(count).fill(-1);
  const nextSibling = new Int32Array(count).fill(-1);
  for (let s = 0; s < count; s++) {
    const last = first[s + 1];
    let end = begins[s];
    for (let e = below.starts[first[s]]; e < below.starts[last]; e++) {
      const i = below.rows[e];
      if (i < last || marks[i] === s) continue;
      marks[i] = s;
      rows[end++] = i;
    }
    for (let child = firstChild[s]; child >= 0; child = nextSibling[child]) {
      for (let at = begins[child]; at < begins[child + 1]; at++) {
        const i = rows[at];
        if (i < last || marks[i] === s) continue;
        marks[i] = s;
        rows[end++] = i;
      }
    }
    begins[s + 1] = begins[s] + heights[s] - (last - first[s]);
    rows.subarray(begins[s], end).sort();
    if (parents[s] < 0) continue;
    nextSibling[s] = firstChild[parents[s]];
    firstChild[parents[s]] = s;
  }
  return rows;
}
