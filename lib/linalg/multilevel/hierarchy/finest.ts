/** The finest level: the graph itself, its nodes in an order in which neighbors are near each other. */

import { breadthFirstOrder } from '../../../kernels/batch/breadth-first.ts';
import type { Floats } from '../../../kernels/types.ts';
import type { Loans } from '../../../wasm/loans.ts';
import { chunkOf, type ChunkedRows, type Level, makeLevel, type SparseRows } from './level.ts';

/** A weighted graph. `Graph` of `specnet/graph` is one. */
export interface AffinityGraph {
  readonly size: number;
  /** W in CSR: symmetric, not negative. Columns increase within a row. */
  readonly weights: { readonly starts: Int32Array; readonly columns: Int32Array; readonly values: Floats };
  /** The row sums of W. */
  readonly degrees: Float64Array;
  readonly components: { readonly count: number; readonly labels: Int32Array };
}

/** The finest level and the order of its nodes: node i is node order[i] of the graph. */
export interface FinestLevel {
  readonly level: Level;
  readonly order: Int32Array;
}

/**
 * The finest level in borrowed memory. A graph of one chunk keeps its order. Others are put in breadth-first order, in which few
 * edges lead from one chunk to another, and in which products find their rows in the cache.
 */
export function finestLevel(graph: AffinityGraph, mass: Float64Array, loans: Loans): FinestLevel {
  const { size, weights, components } = graph;
  const nodes = new Int32Array(size).map((_, i) => i);
  const isLarge = chunkOf(size) < size;
  const order = isLarge ? breadthFirstOrder(size, weights.starts, weights.columns, nodes) : nodes;
  const rows = inChunks(size, reorderRows(graph, order, loans), loans);
  const [ordered, labels] = [loans.float64(size), loans.int32(size)];
  for (let i = 0; i < size; i++) {
    ordered[i] = mass[order[i]];
    labels[i] = components.labels[order[i]];
  }
  const level = makeLevel(rows, ordered, null, { count: components.count, labels }, loans);
  return { level, order };
}

/**
 * The rows of W in this order, without a diagonal. Every row is written as a column, which is the same for a symmetric matrix: so
 * the columns of every row increase.
 */
function reorderRows({ size, weights }: AffinityGraph, order: Int32Array, loans: Loans): SparseRows {
  const { starts, columns, values } = weights;
  const places = new Int32Array(size);
  for (let i = 0; i < size; i++) places[order[i]] = i;
  const ordered = loans.int32(size + 1);
  ordered[0] = 0;
  // Counted in the order of the graph, in which memory is read: the rows of a random order would miss the cache.
  const counts = new Int32Array(size);
  for (let i = 0; i < size; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) if (columns[e] !== i) counts[i]++;
  }
  for (let i = 0; i < size; i++) ordered[i + 1] = ordered[i] + counts[order[i]];
  const next = ordered.slice(0, size);
  const toColumns = loans.int32(ordered[size]);
  const toWeights = values instanceof Float32Array ? loans.float32(ordered[size]) : loans.float64(ordered[size]);
  for (let i = 0; i < size; i++) {
    const node = order[i];
    for (let e = starts[node]; e < starts[node + 1]; e++) {
      if (columns[e] === node) continue;
      const at = next[places[columns[e]]]++;
      toColumns[at] = i;
      toWeights[at] = values[e];
    }
  }
  return { starts: ordered, columns: toColumns, weights: toWeights };
}

/** Rows whose columns increase, with the places at which chunks begin and end. */
function inChunks(size: number, rows: SparseRows, loans: Loans): ChunkedRows {
  const { starts, columns } = rows;
  const [inner, middles, outer] = [0, 1, 2].map(() => loans.int32(size));
  const chunk = chunkOf(size);
  for (let i = 0; i < size; i++) {
    const first = i - (i % chunk);
    let e = starts[i];
    const end = starts[i + 1];
    while (e < end && columns[e] < first) e++;
    inner[i] = e;
    while (e < end && columns[e] < i) e++;
    middles[i] = e;
    while (e < end && columns[e] < first + chunk) e++;
    outer[i] = e;
  }
  return { ...rows, inner, middles, outer };
}
