/** The density normalization of Coifman & Lafon: the degrees of a graph measure the density of its points. */

import { badValue } from '../core/check.ts';
import { CsrMatrix } from '../sparse/csr.ts';
import { checkDegrees, checkGraph, type Graph, graphOf } from './graph.ts';

/** Refuses anything but a number from 0 to 1. */
export function checkAlpha(caller: string, alpha: number): void {
  if (!(typeof alpha === 'number' && alpha >= 0 && alpha <= 1)) throw badValue(caller, 'alpha from 0 to 1', alpha);
}

/**
 * The graph with weights wᵢⱼ / (qᵢqⱼ)^α, where q are its degrees over their mean, so that weights keep their order of
 * magnitude. Its degrees are those of the new weights. A graph is normalized once.
 */
export function normalizeDensity(graph: Graph, alpha: number): Graph {
  const caller = 'normalizeDensity';
  checkGraph(caller, graph);
  checkAlpha(caller, alpha);
  return withAlpha(caller, graph, alpha);
}

/** `normalizeDensity` with errors in the name of `caller`. */
export function withAlpha(caller: string, graph: Graph, alpha: number): Graph {
  if (graph.origin.alpha === alpha || (alpha === 0 && graph.origin.alpha === undefined)) return graph;
  if (graph.origin.alpha !== undefined) {
    throw badValue(caller, 'a graph whose density is not normalized', `one with alpha ${graph.origin.alpha}`);
  }
  checkDegrees(caller, graph);
  const factors = densityFactors(graph.degrees, alpha);
  const { rows, cols, starts, columns } = graph.weights;
  const values = graph.weights.values.slice();
  for (let i = 0; i < rows; i++) {
    for (let e = starts[i]; e < starts[i + 1]; e++) values[e] *= factors[i] * factors[columns[e]];
  }
  const origin = { ...graph.origin, alpha, densities: graph.degrees };
  return graphOf(new CsrMatrix(rows, cols, starts, columns, values), origin, graph.scale);
}

/** Rows of weights between new points and those of a graph, normalized as the graph is, in place. */
export function normalizeRows({ origin: { alpha, densities } }: Graph, weights: CsrMatrix): void {
  if (!alpha || !densities) return;
  const { rows, starts, columns, values } = weights;
  const factors = densityFactors(densities, alpha);
  const mean = meanOf(densities);
  for (let i = 0; i < rows; i++) {
    let degree = 0;
    for (let e = starts[i]; e < starts[i + 1]; e++) degree += values[e];
    const own = (degree / mean) ** -alpha;
    for (let e = starts[i]; e < starts[i + 1]; e++) values[e] *= own * factors[columns[e]];
  }
}

/** (q / mean of q)^-α. */
function densityFactors(densities: Float64Array, alpha: number): Float64Array {
  const mean = meanOf(densities);
  return densities.map((density) => (density / mean) ** -alpha);
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
