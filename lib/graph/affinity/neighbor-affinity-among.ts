/** Weights between new points and a graph of nearest neighbors. */

import { badValue } from '../../core/check.ts';
import { subtask, type Task } from '../../core/task.ts';
import { everyIndex } from '../../sparse/indices.ts';
import type { Points } from '../../sparse/points.ts';
import type { Graph } from '../graph.ts';
import { bandwidthsOfQueries } from './variable-bandwidth.ts';
import type { WeightRows, WeightRule, WeightsOfQueries } from './weights.ts';
import { atLeast, type NeighborRecipe, resolveNeighborhood } from './neighbor-affinity.ts';
import { type RadiusRows, sortRows } from '../neighbors/hit-list.ts';
import { metricRows, normOptions } from '../neighbors/metric.ts';
import type { Neighbors } from '../neighbors/neighbors.ts';
import { prepareReachSteps } from '../neighbors/reach.ts';
import { metricOfPoints } from '../neighbors/source.ts';

const caller = 'nystrom';

/**
 * The neighbors of a query are its k nearest points. In the other direction, the query is a neighbor of a point if it is no
 * farther from it than the point's k-th neighbor. The rule of the graph combines both directions. A point at distance 0 (the
 * first, if there are several) counts as the query itself: it is one of the k if `includeSelf` is set, else it is left out. So
 * the points of the graph get their own rows of W, unless distances tie at the last neighbor or the graph missed neighbors.
 * With more than a few columns, one pass over all pairs finds both directions.
 */
export function* neighborWeightsAmongSteps(
  given: Points,
  recipe: NeighborRecipe,
  graph: Graph,
): Task<WeightsOfQueries> {
  const { neighbors, symmetric } = resolveNeighborhood(recipe);
  const metric = metricOfPoints(caller, recipe);
  const points = metricRows(caller, metric, given);
  const norm = normOptions(metric);
  const { squaredReaches, treeOrder } = graph.origin;
  if (!squaredReaches) throw badValue(caller, 'a graph as buildGraph returns it', 'one without origin.squaredReaches');
  const reach = { squared: squaredReaches, treeOrder };
  const searchSteps = yield* prepareReachSteps(caller, points, reach, metric.power, norm);
  const weightOf = weightRule(recipe, graph);
  const most = Math.min(neighbors + 1, points.rows); // one more, because the first may be the query itself
  return function* weightsSteps(givenQueries, use) {
    const queries = metricRows(caller, metric, givenQueries);
    const { found, reached } = yield* subtask(searchSteps(queries, most), 0, 0.95);
    const { weight, bandwidths } = weightOf(found);
    const nearest = nearestRows(recipe, queries.rows, found);
    const others = recipe.includeSelf === false ? withoutSelf(reached, found) : reached;
    const merged = mergeDirections(nearest, others, points.rows, symmetric, weight);
    use({ queries: everyIndex(queries.rows), weights: merged, ...(bandwidths && { bandwidths }) });
  };
}

/** The factor on the weight of a pair that is found in one direction only. */
const oneSided = { mean: 0.5, max: 1, mutual: 0 } as const;

/** The weights of the pairs in either direction, each weight computed once. Both have the same distance for the same pair. */
function mergeDirections(
  a: RadiusRows,
  b: RadiusRows,
  points: number,
  symmetric: keyof typeof oneSided,
  weight: WeightRule,
): WeightRows {
  const queries = a.starts.length - 1;
  const most = a.indices.length + b.indices.length;
  const starts = new Int32Array(queries + 1);
  const columns = new Int32Array(most);
  const values = new Float32Array(most);
  const share = oneSided[symmetric];
  let kept = 0;
  for (let i = 0; i < queries; i++) {
    let [p, q] = [a.starts[i], b.starts[i]];
    const [pEnd, qEnd] = [a.starts[i + 1], b.starts[i + 1]];
    while (p < pEnd || q < qEnd) {
      const left = p < pEnd ? a.indices[p] : points;
      const right = q < qEnd ? b.indices[q] : points;
      const column = Math.min(left, right);
      if (left === right || share > 0) {
        const squared = left === column ? a.squaredDistances[p] : b.squaredDistances[q];
        columns[kept] = column;
        values[kept] = weight(squared, i, column);
        if (left !== right) values[kept] *= share;
        // A mutual pair whose weight is 0 is left out.
        if (share > 0 || values[kept] > 0) kept++;
      }
      if (left === column) p++;
      if (right === column) q++;
    }
    starts[i + 1] = kept;
  }
  return { rows: queries, starts, columns: columns.subarray(0, kept), values: values.subarray(0, kept) };
}

/** The point that is the query itself; −1 for a query that is new. */
function selfOf({ neighbors, indices, squaredDistances }: Neighbors, query: number): number {
  return squaredDistances[query * neighbors] === 0 ? indices[query * neighbors] : -1;
}

/** The neighbors of every query, without itself unless `includeSelf` is set, in ascending order of their indices. */
function nearestRows(recipe: NeighborRecipe, queries: number, found: Neighbors): RadiusRows {
  const { neighbors, includeSelf } = resolveNeighborhood(recipe);
  const starts = new Int32Array(queries + 1);
  const indices = new Int32Array(queries * neighbors);
  const squaredDistances = new Float32Array(queries * neighbors);
  for (let i = 0, kept = 0; i < queries; i++) {
    const first = i * found.neighbors + (!includeSelf && selfOf(found, i) >= 0 ? 1 : 0);
    const end = Math.min(first + neighbors, (i + 1) * found.neighbors);
    for (let e = first; e < end; e++, kept++) {
      indices[kept] = found.indices[e];
      squaredDistances[kept] = found.squaredDistances[e];
    }
    starts[i + 1] = kept;
  }
  const rows = {
    starts,
    indices: indices.subarray(0, starts[queries]),
    squaredDistances: squaredDistances.subarray(0, starts[queries]),
  };
  sortRows(rows);
  return rows;
}

/** The rows without the queries themselves. */
function withoutSelf({ starts, indices, squaredDistances }: RadiusRows, found: Neighbors): RadiusRows {
  const kept = { starts: starts.slice(), indices: indices.slice(), squaredDistances: squaredDistances.slice() };
  let count = 0;
  for (let i = 0; i + 1 < starts.length; i++) {
    const self = selfOf(found, i);
    for (let e = starts[i]; e < starts[i + 1]; e++) {
      if (indices[e] === self) continue;
      kept.indices[count] = indices[e];
      kept.squaredDistances[count++] = squaredDistances[e];
    }
    kept.starts[i + 1] = count;
  }
  return {
    starts: kept.starts,
    indices: kept.indices.subarray(0, count),
    squaredDistances: kept.squaredDistances.subarray(0, count),
  };
}

/** w of a squared distance between query i and point j, and ρ of the queries if the bandwidth varies. */
interface QueryRule {
  readonly weight: WeightRule;
  readonly bandwidths?: Float64Array;
}

/** The rule for queries whose neighbors were found. */
function weightRule(recipe: NeighborRecipe, { origin }: Graph): (found: Neighbors) => QueryRule {
  if (recipe.kind === 'knn') return () => ({ weight: () => 1 });
  const { scaleNeighbor, others } = resolveNeighborhood(recipe);
  if (recipe.kind === 'self-tuned') {
    const scales = origin.scales!;
    return (found) => {
      const queries = found.indices.length / found.neighbors;
      const own = Float64Array.from({ length: queries }, (_, i) => ownScale(found, i, scaleNeighbor));
      return { weight: atLeast(recipe, (squared, i, j) => Math.exp(-squared / (own[i] * scales[j]))) };
    };
  }
  const factor = -2 * origin.sigma! ** 2;
  const { variable } = origin;
  if (!variable) return () => ({ weight: atLeast(recipe, (squared) => Math.exp(squared / factor)) });
  return (found) => {
    const bandwidths = bandwidthsOfQueries(variable, found, others);
    const rule: WeightRule = (squared, i, j) => {
      return Math.exp(squared / (factor * bandwidths[i] * variable.bandwidths[j]));
    };
    return { weight: atLeast(recipe, rule), bandwidths };
  };
}

/** The distance of a query to the point that sets its scale. */
function ownScale(found: Neighbors, query: number, scaleNeighbor: number): number {
  const place = query * found.neighbors + scaleNeighbor - (selfOf(found, query) >= 0 ? 0 : 1);
  const squared = found.squaredDistances[place];
  if (squared > 0) return Math.sqrt(squared);
  const expected = 'every new point to be apart from the neighbor that sets its scale';
  throw badValue(caller, expected, `row ${query}, which coincides with it`, 'Leave it out.');
}
