/** The minimum spanning tree of the parts of a graph: the shortest edges that join them, found by neighbor searches. */

import { subtask, type Task } from '../core/task.ts';
import { type Points, takePoints } from '../sparse/points.ts';
import type { Components } from './components.ts';
import { groupBy } from './neighbors/group-by.ts';
import type { MetricOptions } from './neighbors/metric.ts';
import { nearestAmongSteps } from './neighbors/neighbors.ts';

/** An edge between two parts; `from` is less than `to`. */
export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly squared: number;
}

/** The shortest known edge that leaves each part. */
type Shortest = Map<number, Edge>;

/** Parts up to this size are searched together, larger ones one by one against all other points. */
const smallPart = 256;

/**
 * The edges of the minimum spanning tree over the parts (Borůvka 1926): every part but the largest takes its shortest edge to
 * another part, until one is left. Ties go to the smaller pair of indices, so that the tree is unique. Each round takes about
 * as long as a search for the neighbors of all points but those in the largest part.
 */
export function* spanningEdgesSteps(
  caller: string,
  points: Points,
  norm: MetricOptions,
  components: Components,
): Task<Edge[]> {
  const labels = components.labels.slice();
  const edges: Edge[] = [];
  while (edges.length < components.count - 1) {
    const done = edges.length / components.count;
    const shortest = yield* subtask(shortestEdgesSteps(caller, points, norm, labels), done, done + 0.5 * (1 - done));
    const chosen = joiningEdges(labels, [...shortest.values()]);
    edges.push(...chosen);
  }
  return edges.toSorted(byLength);
}

/** Of these edges, by length, those that join parts not yet joined (Kruskal 1956). The labels become those of the joined parts. */
export function joiningEdges(labels: Int32Array, edges: readonly Edge[]): Edge[] {
  const parents = new Map<number, number>();
  const rootOf = (label: number): number => {
    let root = label;
    for (let above = parents.get(root); above !== undefined; above = parents.get(root)) root = above;
    if (root !== label) parents.set(label, root);
    return root;
  };
  const chosen = edges.toSorted(byLength).filter(({ from, to }) => {
    const [kept, merged] = [rootOf(labels[from]), rootOf(labels[to])];
    if (kept !== merged) parents.set(merged, kept);
    return kept !== merged;
  });
  for (let i = 0; i < labels.length; i++) labels[i] = rootOf(labels[i]);
  return chosen;
}

/** For every part but the largest the shortest edge to another one. */
function* shortestEdgesSteps(caller: string, points: Points, norm: MetricOptions, labels: Int32Array): Task<Shortest> {
  const members = groupBy(labels.keys(), (i) => labels[i]);
  const [, ...parts] = [...members.values()].toSorted((a, b) => b.length - a.length || a[0] - b[0]);
  const shortest: Shortest = new Map();
  const small = parts.filter((part) => part.length <= smallPart).flat();
  const largeParts = parts.filter((part) => part.length > smallPart);
  let done = 0;
  for (const part of largeParts) {
    const label = labels[part[0]];
    const outside = Int32Array.from(labels.keys()).filter((i) => labels[i] !== label);
    const inside = Int32Array.from(part);
    const fraction = part.length / (labels.length + 1);
    const search = nearestAmongSteps(caller, takePoints(points, outside), takePoints(points, inside), {
      ...norm,
      neighbors: 1,
    });
    const { indices, squaredDistances } = yield* subtask(search, done, (done += fraction));
    for (const [k, i] of inside.entries()) offer(shortest, label, i, outside[indices[k]], squaredDistances[k]);
  }
  if (small.length > 0) yield* subtask(searchSmallSteps(caller, points, norm, labels, small, shortest), done, 1);
  return shortest;
}

/** A point of a part of s points has one from another part among its nearest s, itself not counted. */
function* searchSmallSteps(
  caller: string,
  points: Points,
  norm: MetricOptions,
  labels: Int32Array,
  small: readonly number[],
  shortest: Shortest,
): Task<void> {
  const parts = groupBy(small, (i) => labels[i]);
  const groups = groupBy(small, (i) => 2 ** Math.ceil(Math.log2(parts.get(labels[i])!.length + 1)));
  let done = 0;
  for (const [width, group] of groups) {
    const queries = Int32Array.from(group);
    const neighbors = Math.min(width, points.rows);
    const fraction = group.length / small.length;
    const search = nearestAmongSteps(caller, points, takePoints(points, queries), { ...norm, neighbors });
    const { indices, squaredDistances } = yield* subtask(search, done, (done += fraction));
    for (const [k, i] of queries.entries()) {
      for (let e = k * neighbors; e < (k + 1) * neighbors; e++) {
        if (labels[indices[e]] === labels[i]) continue;
        offer(shortest, labels[i], i, indices[e], squaredDistances[e]);
        break;
      }
    }
  }
}

function offer(shortest: Shortest, part: number, i: number, j: number, squared: number): void {
  const edge: Edge = { from: Math.min(i, j), to: Math.max(i, j), squared };
  const known = shortest.get(part);
  if (!known || byLength(edge, known) < 0) shortest.set(part, edge);
}

export function byLength(a: Edge, b: Edge): number {
  return a.squared - b.squared || a.from - b.from || a.to - b.to;
}
