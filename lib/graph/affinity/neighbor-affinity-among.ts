/** Weights between new points and a graph of nearest neighbors. */

import { badValue } from '../../core/check.ts';
import { subtask, type Task } from '../../core/task.ts';
import { fromTriplets } from '../../sparse/build.ts';
import { dropZeros, mergeParts } from '../../sparse/combine.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import { type Points, takePoints } from '../../sparse/points.ts';
import type { Graph } from '../graph.ts';
import { atLeast, type NeighborRecipe, resolveNeighborhood } from './neighbor-affinity.ts';
import { type MetricOptions, metricRows, normOptions } from '../neighbors/metric.ts';
import { nearestAmongSteps, nearestNeighborsSteps, type Neighbors } from '../neighbors/neighbors.ts';
import { inFormatOf, squaredDistance } from '../neighbors/points.ts';
import { searchWithin } from '../neighbors/radius.ts';
import { metricOfPoints } from '../neighbors/source.ts';

/** Pairs of a query and a point, in any order. */
interface Pairs {
  readonly rows: number[];
  readonly columns: number[];
  readonly squaredDistances: number[];
}

const caller = 'nystrom';

/**
 * A query's neighbors are its k nearest among the points, and it is a neighbor of every point to which it is no farther than
 * that point's last one. The two directions are combined by the rule of the graph. A point at distance 0, the first of
 * several, is the query itself: one of the k if points count themselves, else none. So the points of the graph get their own
 * rows, except where distances tie at the last neighbor or where the graph missed neighbors. Takes about three times as long
 * as the search for the queries' neighbors.
 */
export function* neighborWeightsAmong(
  given: Points,
  recipe: NeighborRecipe,
  givenQueries: Points,
  graph: Graph,
): Task<CsrMatrix> {
  const { neighbors, symmetric, others } = resolveNeighborhood(recipe);
  const metric = metricOfPoints(caller, recipe);
  const points = metricRows(caller, metric, given);
  const queries = inFormatOf(points, metricRows(caller, metric, givenQueries));
  const most = Math.min(neighbors + 1, points.rows); // one more, if the first is the query itself and does not count
  const norm = normOptions(metric);
  const found = yield* subtask(nearestAmongSteps(caller, points, queries, { neighbors: most, ...norm }), 0, 0.4);
  const mine = nearestPairs(recipe, queries.rows, found);
  const toOthers = yield* subtask(distancesToOthers(points, metric.power, norm, recipe, graph), 0.4, 0.5);
  const theirs = yield* subtask(reachedPairs(points, queries, metric.power, toOthers(others)), 0.5, 0.95);
  const weight = weightRule(recipe, toOthers, graph, found);
  const matrixOf = ({ rows, columns, squaredDistances }: Pairs): CsrMatrix => {
    const values = squaredDistances.map((squared, e) => weight(squared, rows[e], columns[e]));
    return fromTriplets({ rows, columns, values }, [queries.rows, points.rows]);
  };
  const [a, b] = [mine, recipe.includeSelf === false ? withoutSelf(theirs, found) : theirs].map(matrixOf);
  return symmetric === 'mutual' ? dropZeros(mergeParts(a, b, 'min')) : mergeParts(a, b, symmetric);
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
    for (let e = first; e < end; e++) add(pairs, i, found.indices[e], found.squaredDistances[e]);
  }
  return pairs;
}

/**
 * The pairs in which the query is within the reach of the point. Points are searched in groups of similar reach, so that a
 * few with a long reach do not widen the search for all.
 */
function* reachedPairs(points: Points, queries: Points, power: number, squaredReaches: Float64Array): Task<Pairs> {
  const groups = new Map<number, number[]>();
  for (const [j, squared] of squaredReaches.entries()) {
    const size = Math.ceil(Math.log2(squared)); // a factor √2 of the reach
    const group = groups.get(size);
    if (group) group.push(j);
    else groups.set(size, [j]);
  }
  const pairs: Pairs = { rows: [], columns: [], squaredDistances: [] };
  let done = 0;
  for (const group of groups.values()) {
    const farthest = group.reduce((most, j) => Math.max(most, squaredReaches[j]), 0);
    const radius = Math.min(Math.max(Math.sqrt(farthest) * margin, shortest), longest);
    const search = searchWithin(caller, takePoints(points, Int32Array.from(group)), queries, radius, 'auto', power);
    const share = group.length / points.rows;
    const { starts, indices, squaredDistances } = yield* subtask(search, done, done + share);
    done += share;
    for (let i = 0; i < queries.rows; i++) {
      for (let e = starts[i]; e < starts[i + 1]; e++) {
        const j = group[indices[e]];
        if (squaredDistances[e] <= squaredReaches[j]) add(pairs, i, j, squaredDistances[e]);
      }
    }
  }
  return pairs;
}

/** Searches find what is strictly nearer than a radius. It is widened by this factor, and hits are measured again. */
const margin = 1 + 2 ** -20;
/** Above and below any distance between points that can be searched. */
const longest = 1e20;
const shortest = 1e-20;

function withoutSelf(pairs: Pairs, found: Neighbors): Pairs {
  const kept: Pairs = { rows: [], columns: [], squaredDistances: [] };
  for (const [e, i] of pairs.rows.entries()) {
    if (pairs.columns[e] !== selfOf(found, i)) add(kept, i, pairs.columns[e], pairs.squaredDistances[e]);
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

/** w of a squared distance between query i and point j. */
function weightRule(
  recipe: NeighborRecipe,
  toOthers: DistancesToOthers,
  graph: Graph,
  found: Neighbors,
): (squared: number, i: number, j: number) => number {
  if (recipe.kind === 'knn') return () => 1;
  if (recipe.kind === 'knn-gaussian') {
    const sigma = graph.origin.sigma!;
    return atLeast(recipe, (squared) => Math.exp(squared / (-2 * sigma * sigma)));
  }
  const { scaleNeighbor } = resolveNeighborhood(recipe);
  const scales = toOthers(scaleNeighbor).map(Math.sqrt);
  return atLeast(recipe, (squared, i, j) => Math.exp(-squared / (ownScale(found, i, scaleNeighbor) * scales[j])));
}

/** The distance of a query to the point that sets its scale. */
function ownScale(found: Neighbors, query: number, scaleNeighbor: number): number {
  const place = query * found.neighbors + scaleNeighbor - (selfOf(found, query) >= 0 ? 0 : 1);
  const squared = found.squaredDistances[place];
  if (squared > 0) return Math.sqrt(squared);
  const expected = 'every new point to be apart from the neighbor that sets its scale';
  throw badValue(caller, expected, `row ${query}, which coincides with it`, 'Leave it out.');
}

function add({ rows, columns, squaredDistances }: Pairs, row: number, column: number, squared: number): void {
  rows.push(row);
  columns.push(column);
  squaredDistances.push(squared);
}
