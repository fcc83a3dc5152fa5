/** The reverse Cuthill-McKee order of a graph, in which neighbors are near each other in memory, and its inverse. */

import { badValue } from '../core/check.ts';
import { reverseCuthillMcKee } from '../sparse/cuthill-mckee.ts';
import { permute } from '../sparse/reorder.ts';
import { type Tensor, zeros } from '../tensor/tensor.ts';
import { checkGraph, type Graph, graphOf } from './graph.ts';

/** The same graph with its nodes in another order, and the inverse map. */
export interface ReorderedGraph {
  readonly graph: Graph;
  /** Node i of the new graph is node order[i] of the old one. */
  readonly order: Int32Array;
  /** Row order[i] of the result is row i of `rows`: maps rows of the new graph to the order of the old one. New. */
  restore(rows: Tensor): Tensor;
}

/** The same graph in the reverse Cuthill-McKee order. O(size + nonzeros). */
export function reorder(graph: Graph): ReorderedGraph {
  checkGraph('reorder', graph);
  const order = reverseCuthillMcKee(graph.weights);
  const { densities, ...origin } = graph.origin;
  const reordered = densities && { densities: Float64Array.from(order, (i) => densities[i]) };
  return {
    graph: graphOf(permute(graph.weights, order), { ...origin, ...reordered }, graph.scale),
    order,
    restore: (rows) => restoreRows(order, rows),
  };
}

function restoreRows(order: Int32Array, rows: Tensor): Tensor {
  const { cols, data } = rows;
  if (rows.rows !== order.length) {
    throw badValue('ReorderedGraph.restore', `${order.length} rows, one for each node`, rows.rows);
  }
  const result = zeros(rows.shape, rows.precision);
  for (let i = 0; i < order.length; i++) {
    for (let j = 0; j < cols; j++) result.data[order[i] * cols + j] = data[i * cols + j];
  }
  return result;
}
