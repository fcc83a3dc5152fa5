/** The reverse Cuthill-McKee order of a graph, in which neighbors are near each other in memory, and its inverse. */

import { badValue } from '../core/check.ts';
import { reverseCuthillMcKee } from '../sparse/orders/cuthill-mckee.ts';
import { permute } from '../sparse/orders/reorder.ts';
import { type Tensor, zeros } from '../tensor/tensor.ts';
import { checkGraph, type Graph, graphOf, type GraphOrigin } from './graph.ts';

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
  return {
    graph: graphOf(permute(graph.weights, order), reorderOrigin(graph.origin, order), graph.scale),
    order,
    restore: (rows) => restoreRows(order, rows),
  };
}

/** The origin with its numbers of nodes in the new order. */
function reorderOrigin(origin: GraphOrigin, order: Int32Array): GraphOrigin {
  const inOrder = (values: Float64Array): Float64Array => Float64Array.from(order, (i) => values[i]);
  const { squaredReaches, treeOrder, scales, densities, variable } = origin;
  const places = new Int32Array(order.length);
  for (const [i, node] of order.entries()) places[node] = i;
  return {
    ...origin,
    ...(squaredReaches && { squaredReaches: Float32Array.from(order, (i) => squaredReaches[i]) }),
    ...(treeOrder && { treeOrder: treeOrder.map((node) => places[node]) }),
    ...(scales && { scales: inOrder(scales) }),
    ...(densities && { densities: inOrder(densities) }),
    ...(variable && {
      variable: {
        ...variable,
        bandwidths: inOrder(variable.bandwidths),
        pilotScales: inOrder(variable.pilotScales),
      },
    }),
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
