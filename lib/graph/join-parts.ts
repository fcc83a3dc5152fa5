/** Joins the parts of a graph by the shortest edges between them. */

import { badValue } from '../core/check.ts';
import type { Task } from '../core/task.ts';
import { fromTriplets } from '../sparse/build.ts';
import { mergeParts } from '../sparse/combine.ts';
import type { CsrMatrix } from '../sparse/csr.ts';
import type { Points } from '../sparse/points.ts';
import type { WeightRule } from './affinity/weights.ts';
import { type Graph, graphOf, type Join } from './graph.ts';
import { metricRows, normOptions } from './neighbors/metric.ts';
import {
  type GraphSource,
  isPrecomputed,
  knownRowsOf,
  metricOfPoints,
  type SourceMetricOptions,
} from './neighbors/source.ts';
import { byLength, type Edge, joiningEdges, spanningEdgesSteps } from './spanning-edges.ts';

/**
 * The graph with the minimum spanning tree over its parts added. A new edge has the weight of the rule for its length, or that
 * of the lightest edge at its ends if that is more: else an edge between distant parts would vanish in rounding.
 */
export function* joinPartsSteps(
  caller: string,
  source: GraphSource,
  options: SourceMetricOptions,
  graph: Graph,
  rule: WeightRule,
): Task<Graph> {
  const edges = isPrecomputed(source, options)
    ? knownEdges(caller, source, options, graph)
    : yield* pointEdgesSteps(caller, source as Points, options, graph);
  const lightest = lightestEdges(graph.weights);
  const joins = edges.map(({ from, to, squared }): Join => {
    const least = Math.min(lightest[from], lightest[to]);
    const weight = Math.max(rule(squared, from, to), Number.isFinite(least) ? least : lightestOf(lightest));
    return { from, to, distance: Math.sqrt(squared), weight: Math.fround(weight) };
  });
  const rows = joins.flatMap(({ from, to }) => [from, to]);
  const columns = joins.flatMap(({ from, to }) => [to, from]);
  const values = joins.flatMap(({ weight }) => [weight, weight]);
  const added = fromTriplets({ rows, columns, values }, [graph.size, graph.size], graph.weights.precision);
  return graphOf(mergeParts(graph.weights, added, 'max'), { ...graph.origin, joins }, graph.scale);
}

function* pointEdgesSteps(caller: string, given: Points, options: SourceMetricOptions, graph: Graph): Task<Edge[]> {
  const metric = metricOfPoints(caller, options);
  return yield* spanningEdgesSteps(caller, metricRows(caller, metric, given), normOptions(metric), graph.components);
}

/** Kruskal's algorithm on the distances that are known. */
function knownEdges(caller: string, source: GraphSource, options: SourceMetricOptions, graph: Graph): Edge[] {
  const labels = graph.components.labels.slice();
  const known = knownRowsOf(caller, source, options);
  const shortest = new Map<string, Edge>();
  for (let i = 0; i < known.size; i++) {
    const { indices, squared } = known.row(i);
    for (let k = 0; k < indices.length; k++) {
      const j = indices[k];
      if (labels[i] === labels[j]) continue;
      const pair = [labels[i], labels[j]].toSorted((a, b) => a - b).join();
      const edge: Edge = { from: Math.min(i, j), to: Math.max(i, j), squared: squared[k] };
      const best = shortest.get(pair);
      if (!best || byLength(edge, best) < 0) shortest.set(pair, edge);
    }
  }
  const edges = joiningEdges(labels, [...shortest.values()]);
  const left = graph.components.count - edges.length;
  if (left === 1) return edges;
  const remedy = "Pass distances between them, or the points, or connect: 'none'.";
  throw badValue(
    caller,
    'distances that join all parts of the graph',
    `${left} parts without one between them`,
    remedy,
  );
}

/** The smallest weight at each node, the diagonal not counted; Infinity where there is none. */
function lightestEdges({ rows, starts, columns, values }: CsrMatrix): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) => {
    let least = Infinity;
    for (let e = starts[i]; e < starts[i + 1]; e++) if (columns[e] !== i) least = Math.min(least, values[e]);
    return least;
  });
}

/** The lightest edge of the graph; 1 if it has none. */
function lightestOf(lightest: Float64Array): number {
  const least = lightest.reduce((most, weight) => Math.min(most, weight), Infinity);
  return Number.isFinite(least) ? least : 1;
}
