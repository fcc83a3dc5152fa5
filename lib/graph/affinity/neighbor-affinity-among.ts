/** Weights between new points and a graph of nearest neighbors. */

import { badValue } from '../../core/check.ts';
import { subtask, type Task } from '../../core/task.ts';
import { fromTriplets } from '../../sparse/build.ts';
import { mergeParts } from '../../sparse/combine.ts';
import type { CsrMatrix } from '../../sparse/csr.ts';
import { type Tensor, zeros } from '../../tensor/tensor.ts';
import type { Graph } from '../graph.ts';
import { type NeighborRecipe, resolveNeighborhood } from './neighbor-affinity.ts';
import { nearestAmongSteps, type Neighbors } from '../neighbors/neighbors.ts';
import { squaredDistance } from '../neighbors/points.ts';
import { searchWithin } from '../neighbors/radius.ts';

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
  points: Tensor,
  recipe: NeighborRecipe,
  queries: Tensor,
  graph: Graph,
): Task<CsrMatrix> {
  const { neighbors, symmetric, others } = resolveNeighborhood(recipe);
  const most = Math.min(neighbors + 1, points.rows); // one more, if the first is the query itself and does not count
  const found = yield* subtask(nearestAmongSteps(caller, points, queries, { neighbors: most }), 0, 0.5);
  const mine = nearestPairs(recipe, queries.rows, found);
  const theirs = yield* subtask(reachedPairs(points, queries, squaredToOthers(points, graph, others)), 0.5, 0.95);
  const weight = weightRule(recipe, points, graph, found);
  const matrixOf = ({ rows, columns, squaredDistances }: Pairs): CsrMatrix => {
    const values = squaredDistances.map((squared, e) => weight(squared, rows[e], columns[e]));
    return fromTriplets({ rows, columns, values }, [queries.rows, points.rows]);
  };
  return mergeParts(
    matrixOf(mine),
    matrixOf(recipe.includeSelf === false ? withoutSelf(theirs, found) : theirs),
    symmetric,
  );
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
function* reachedPairs(points: Tensor, queries: Tensor, squaredReaches: Float64Array): Task<Pairs> {
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
    const search = searchWithin(caller, gather(points, group), queries, radius, 'auto');
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

/**
 * The squared distance of every point to its count-th neighbor, itself not counted. The graph joins a point to its k nearest
 * and to others that are no nearer, so no new search is needed. Infinite where so many weights vanished that fewer are left.
 */
function squaredToOthers(points: Tensor, { weights: { starts, columns } }: Graph, count: number): Float64Array {
  return Float64Array.from({ length: points.rows }, (_, i) => {
    const others = columns.subarray(starts[i], starts[i + 1]).filter((j) => j !== i);
    const squared = Float32Array.from(others, (j) => squaredDistance(points.cols, points.data, i, points.data, j));
    return squared.toSorted()[count - 1] ?? Infinity;
  });
}

/** w of a squared distance between query i and point j. */
function weightRule(
  recipe: NeighborRecipe,
  points: Tensor,
  graph: Graph,
  found: Neighbors,
): (squared: number, i: number, j: number) => number {
  if (recipe.kind === 'knn') return () => 1;
  if (recipe.kind === 'knn-gaussian') {
    const sigma = graph.origin.sigma!;
    return (squared) => Math.exp(squared / (-2 * sigma * sigma));
  }
  const { scaleNeighbor } = resolveNeighborhood(recipe);
  const scales = squaredToOthers(points, graph, scaleNeighbor).map(Math.sqrt);
  return (squared, i, j) => Math.exp(-squared / (ownScale(found, i, scaleNeighbor) * scales[j]));
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

function gather({ cols, data, precision }: Tensor, rows: readonly number[]): Tensor {
  const result = zeros([rows.length, cols], precision);
  for (const [to, from] of rows.entries()) result.data.set(data.subarray(from * cols, (from + 1) * cols), to * cols);
  return result;
}
