/** Neighbors from distances or from lists of neighbors that the user computed. */

import { badKind, badValue, showShape } from '../../core/check.ts';
import { CsrMatrix } from '../../sparse/csr.ts';
import { isSparse, type Points } from '../../sparse/points.ts';
import { tensor } from '../../tensor/convert.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { clearBest, isNearer, replaceFarthest, sortBest } from '../../kernels/nearest/heap.ts';
import type { Floats } from '../../kernels/types.ts';
import { HitList, type RadiusRows } from './hit-list.ts';
import { insertSelf, makeRows, type Neighbors } from './neighbors.ts';

/** n×k: the neighbors of every point and their distances, as approximate searches and UMAP return them, in any order. */
export interface PrecomputedNeighbors {
  /** Rows of point indices. A point may be in its own row. */
  readonly indices: Tensor | readonly ArrayLike<number>[];
  /** Not negative, one for every index. */
  readonly distances: Tensor | readonly ArrayLike<number>[];
}

/** The known others of one point and their squared distances, each once, in any order. */
interface KnownRow {
  readonly indices: ArrayLike<number>;
  readonly squared: ArrayLike<number>;
}

/** The rows of all points, without the points themselves. */
export interface KnownRows {
  readonly size: number;
  row(i: number): KnownRow;
}

/** Distances in single precision are rounded; (i, j) and (j, i) may differ by this fraction. */
const asymmetry = 2 ** -20;

/** The rows of an n×n matrix of distances. Entries that a sparse one does not store are unknown. */
export function rowsOfDistances(caller: string, distances: Points): KnownRows {
  if (!(distances instanceof Tensor || distances instanceof CsrMatrix)) {
    throw badKind(caller, "a matrix of distances for metric 'precomputed'", distances, 'tensor() makes one.');
  }
  const { rows, cols } = distances;
  const shape = isSparse(distances) ? [rows, cols] : distances.shape;
  if (shape.length !== 2 || rows !== cols) {
    throw badValue(caller, "a square matrix of distances for metric 'precomputed'", showShape(shape));
  }
  const values = isSparse(distances) ? distances.values : distances.data;
  const bad = values.findIndex((value: number) => !(value >= 0 && value < 1e18));
  if (bad >= 0) throw badValue(caller, 'distances from 0 to 1e18', values[bad]);
  if (isSparse(distances)) {
    const { starts, columns } = distances;
    return {
      size: rows,
      row: (i) => withoutSelf(i, columns.subarray(starts[i], starts[i + 1]), values.subarray(starts[i], starts[i + 1])),
    };
  }
  checkMirrored(caller, distances);
  const all = Int32Array.from({ length: rows }, (_, j) => j);
  return { size: rows, row: (i) => withoutSelf(i, all, values.subarray(i * rows, (i + 1) * rows)) };
}

/** The rows of lists of neighbors. */
export function rowsOfLists(caller: string, given: PrecomputedNeighbors): KnownRows {
  const [indices, distances] = [
    tableOf(caller, 'indices', given.indices),
    tableOf(caller, 'distances', given.distances),
  ];
  const { rows, cols } = indices;
  if (distances.rows !== rows || distances.cols !== cols) {
    throw badValue(caller, `${rows}×${cols} distances, one for every index`, `${distances.rows}×${distances.cols}`);
  }
  for (let at = 0; at < indices.size; at++) {
    const [index, distance] = [indices.data[at], distances.data[at]];
    const place = `row ${Math.floor(at / cols)}`;
    if (!(Number.isInteger(index) && index >= 0 && index < rows)) {
      const remedy = 'Searches mark missing neighbors by -1. Pass as many columns as all rows have.';
      throw badValue(caller, `indices from 0 to ${rows - 1}`, `${index} in ${place}`, remedy);
    }
    if (!(distance >= 0 && distance < 1e18))
      throw badValue(caller, 'distances from 0 to 1e18', `${distance} in ${place}`);
  }
  return {
    size: rows,
    row: (i) => {
      const [own, measured] = [indices, distances].map(({ data }) => data.subarray(i * cols, (i + 1) * cols));
      const firsts = own.map((j, k) => (own.indexOf(j) === k ? 1 : 0));
      return withoutSelf(
        i,
        own.filter((_, k) => firsts[k] === 1),
        measured.filter((_, k) => firsts[k] === 1),
      );
    },
  };
}

/** The k nearest of every row as a search returns them. Ties are broken by index. */
export function nearestOfRows(
  caller: string,
  known: KnownRows,
  neighbors: number,
  includeSelf: boolean,
): Pick<Neighbors, 'neighbors' | 'indices' | 'squaredDistances'> {
  const count = includeSelf ? neighbors - 1 : neighbors;
  const out = makeRows(known.size, neighbors, count);
  clearBest(out.indices, out.squaredDistances);
  for (let i = 0; i < known.size; i++) {
    const { indices, squared } = known.row(i);
    if (indices.length < count) {
      const rule = `at least ${count} neighbors of every point besides itself`;
      throw badValue(caller, rule, `${indices.length} of point ${i}`, 'Pass fewer neighbors, or more distances.');
    }
    const base = i * neighbors;
    if (count === 0) {
      insertSelf(i, out);
      continue;
    }
    for (let k = 0; k < indices.length; k++) {
      if (!isNearer(squared[k], indices[k], out.squaredDistances[base], out.indices[base])) continue;
      replaceFarthest(count, base, indices[k], squared[k], out.indices, out.squaredDistances);
    }
    sortBest(count, base, out.indices, out.squaredDistances);
    if (includeSelf) insertSelf(i, out);
  }
  return { neighbors, indices: out.indices, squaredDistances: out.squaredDistances };
}

/** The neighbors nearer than a radius, and every point itself. */
export function withinRadiusOfRows(caller: string, known: KnownRows, radius: number): RadiusRows {
  const hits = new HitList(caller);
  for (let i = 0; i < known.size; i++) {
    const { indices, squared } = known.row(i);
    const near = Array.from(indices, (j, k): [number, number] => [j, squared[k]]);
    const row = [[i, 0], ...near.filter(([, square]) => square < radius * radius)].toSorted(([a], [b]) => a - b);
    hits.makeRoom(row.length);
    for (const [j, square] of row) hits.add(i, j, square);
  }
  return hits.byRows(known.size);
}

/** The squares of distances in single precision. */
function withoutSelf(i: number, indices: Int32Array | Floats, distances: Floats): KnownRow {
  const squared = Float32Array.from(distances, (distance) => distance * distance);
  return { indices: indices.filter((j) => j !== i), squared: squared.filter((_, k) => indices[k] !== i) };
}

function tableOf(caller: string, name: string, table: Tensor | readonly ArrayLike<number>[]): Tensor {
  if (table instanceof Tensor) {
    if (table.shape.length === 2) return table;
    throw badValue(caller, `${name} as a table, one point per row`, `shape ${showShape(table.shape)}`);
  }
  if (!Array.isArray(table)) throw badKind(caller, `${name} as a tensor or an array of rows`, table);
  return tensor(
    table.map((row: ArrayLike<number>) => Array.from(row)),
    'double',
  );
}

function checkMirrored(caller: string, { rows, data }: Tensor): void {
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < i; j++) {
      const [a, b] = [data[i * rows + j], data[j * rows + i]];
      if (Math.abs(a - b) <= asymmetry * Math.max(a, b)) continue;
      throw badValue(caller, 'a symmetric matrix of distances', `${a} at (${i}, ${j}) and ${b} at (${j}, ${i})`);
    }
  }
}
