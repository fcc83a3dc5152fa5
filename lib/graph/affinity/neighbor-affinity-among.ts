/** Weights between new points and a graph of nearest neighbors. */

import { badValue } from '../../core/check.ts';
import { subtask, type Task } from '../../core/task.ts';
import { fromTriplets } from '../../sparse/build.ts';
import { dropZeros, mergeParts } from '../../sparse/combine.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import type { Points } from '../../sparse/points.ts';
import type { Graph } from '../graph.ts';
import { bandwidthsOfQueries } from './variable-bandwidth.ts';
import type { WeightRule, WeightsOfQueries } from './weights.ts';
import { atLeast, type NeighborRecipe, resolveNeighborhood } from './neighbor-affinity.ts';
import { type MetricOptions, metricRows, normOptions } from '../neighbors/metric.ts';
import { nearestNeighborsSteps, type Neighbors } from '../neighbors/neighbors.ts';
import { squaredDistance } from '../neighbors/points.ts';
import { addPair, type Pairs, prepareReachSteps } from '../neighbors/reach.ts';
import { metricOfPoints } from '../neighbors/source.ts';

const caller = 'nystrom';

/**
 * A query's neighbors are its k nearest among the points, and it is a neighbor of every point to which it is no farther than
 * that point's last one. The two directions are combined by the rule of the graph. A point at distance 0, the first of
 * several, is the query itself: one of the k if points count themselves, else none. So the points of the graph get their own
 * rows, except where distances tie at the last neighbor or where the graph missed neighbors. With more than a few columns,
 * one pass over all pairs finds both directions.
 */
export function* neighborWeightsAmong(given: Points, recipe: NeighborRecipe, graph: Graph): Task<WeightsOfQueries> {
  const { neighbors, symmetric, others } = resolveNeighborhood(recipe);
  const metric = metricOfPoints(caller, recipe);
  const points = metricRows(caller, metric, given);
  const norm = normOptions(metric);
  const toOthers = yield* subtask(distancesToOthers(points, metric.power, norm, recipe, graph), 0, 0.5);
  const search = yield* subtask(prepareReachSteps(caller, points, toOthers(others), metric.power, norm), 0.5, 1);
  const weightOf = weightRule(recipe, toOthers, graph);
  const most = Math.min(neighbors + 1, points.rows); // one more, if the first is the query itself and does not count
  return function* weights(givenQueries) {
    const queries = metricRows(caller, metric, givenQueries);
    const { found, reached } = yield* subtask(search(queries, most), 0, 0.95);
    const { weight, bandwidths } = weightOf(found);
    const matrixOf = ({ rows, columns, squaredDistances }: Pairs): CsrMatrix => {
      const values = squaredDistances.map((squared, e) => weight(squared, rows[e], columns[e]));
      return fromTriplets({ rows, columns, values }, [queries.rows, points.rows]);
    };
    const mine = nearestPairs(recipe, queries.rows, found);
    const [a, b] = [mine, recipe.includeSelf === false ? withoutSelf(reached, found) : reached].map(matrixOf);
    const merged = symmetric === 'mutual' ? dropZeros(mergeParts(a, b, 'min')) : mergeParts(a, b, symmetric);
    return { weights: merged, ...(bandwidths && { bandwidths }) };
  };
}

/** The point that is the query itself; −1 for a query that is new. */
function selfOf({ neighbors, indices, squaredDistances }: Neighbors, query: number): number {
  return squaredDistances[query * neighbors] === 0 ? indices[query * neighbors] : -1;
}

function nearestPairs(recipe: NeighborRecipe, queries: number, found: Neighbors): Pairs {
  const { neighbors, includeSelf } = resolveNeighborhood(recipe);
  const pairs: Pairs = { rows: [], columns: [], squaredDistances: [] };
  for (let i = 0; i < queries; i++) {
    const first = i * found.neighbors + (!includeSelf && selfOf(found, i) >= 0 ? 1 : 0);
    const end = Math.min(first + neighbors, (i + 1) * found.neighbors);
    for (let e = first; e < end; e++) addPair(pairs, i, found.indices[e], found.squaredDistances[e]);
  }
  return pairs;
}

function withoutSelf(pairs: Pairs, found: Neighbors): Pairs {
  const kept: Pairs = { rows: [], columns: [], squaredDistances: [] };
  for (const [e, i] of pairs.rows.entries()) {
    if (pairs.columns[e] !== selfOf(found, i)) addPair(kept, i, pairs.columns[e], pairs.squaredDistances[e]);
  }
  return kept;
}

/** The squared distance of every point to its count-th neighbor, itself not counted. */
type DistancesToOthers = (count: number) => Float64Array;

/**
 * The graph joins a point to its k nearest and to others that are no nearer, so no new search is needed, except where it
 * keeps mutual neighbors only. Infinite where so many weights vanished that fewer are left.
 */
function* distancesToOthers(
  points: Points,
  power: number,
  norm: MetricOptions,
  recipe: NeighborRecipe,
  graph: Graph,
): Task<DistancesToOthers> {
  const { symmetric, others } = resolveNeighborhood(recipe);
  if (symmetric === 'mutual') {
    const search = { ...norm, neighbors: others, includeSelf: false, method: recipe.method, seed: recipe.seed };
    const { squaredDistances } = yield* nearestNeighborsSteps(caller, points, search);
    return (count) => Float64Array.from({ length: points.rows }, (_, i) => squaredDistances[i * others + count - 1]);
  }
  const { starts, columns } = graph.weights;
  return (count) =>
    Float64Array.from({ length: points.rows }, (_, i) => {
      const joined = columns.subarray(starts[i], starts[i + 1]).filter((j) => j !== i);
      const squared = Float32Array.from(joined, (j) => squaredDistance(points, i, points, j, power));
      return squared.toSorted()[count - 1] ?? Infinity;
    });
}

/** w of a squared distance between query i and point j, and ρ of the queries if the bandwidth varies. */
interface QueryRule {
  readonly weight: WeightRule;
  readonly bandwidths?: Float64Array;
}

/** The rule for queries whose neighbors were found. */
function weightRule(
  recipe: NeighborRecipe,
  toOthers: DistancesToOthers,
  { origin }: Graph,
): (found: Neighbors) => QueryRule {
  if (recipe.kind === 'knn') return () => ({ weight: () => 1 });
  const { scaleNeighbor, others } = resolveNeighborhood(recipe);
  if (recipe.kind === 'self-tuned') {
    const scales = toOthers(scaleNeighbor).map(Math.sqrt);
    return (found) => ({
      weight: atLeast(recipe, (squared, i, j) => {
        return Math.exp(-squared / (ownScale(found, i, scaleNeighbor) * scales[j]));
      }),
    });
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
