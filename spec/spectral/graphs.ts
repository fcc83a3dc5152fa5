/** Graphs for the specs of the solver. */

import { circles, oneMoon, twoMoons } from '../../datasets/index.ts';
import { buildGraph, type Graph, graphFrom, Random } from '../../lib/index.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';

/** An edge {i, j}. */
export type Edge = readonly [number, number];

/** One moon as in the paper, with the bandwidth that makes the graph connected. */
export function moonGraph(seed: number, n = 2000): Promise<Graph> {
  return buildGraph(oneMoon({ seed, n }).points, { kind: 'gaussian', sigma: 0.2, threshold: 0.6 });
}

export function twoMoonsGraph(): Promise<Graph> {
  return buildGraph(twoMoons({ seed: 1 }).points, { kind: 'gaussian', sigma: 0.15, threshold: 0.08 });
}

export function circlesGraph(): Promise<Graph> {
  return buildGraph(circles({ seed: 1 }).points, { kind: 'gaussian', sigma: 0.15, threshold: 0.08 });
}

/** Every node is connected to the next five on either side, without loops: all eigenvalues but the first come in pairs. */
export function ringGraph(n: number): Graph {
  return graphOfEdges(
    n,
    Array.from({ length: n }, (_, i) => [1, 2, 3, 4, 5].map((step) => [i, (i + step) % n] as const)).flat(),
  );
}

/** Three blocks with more edges within than between them, without loops. */
export function blockModel(n: number, within: number, between: number): Graph {
  const random = new Random('blocks');
  const edges: Edge[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) if (random.uniform() < (i % 3 === j % 3 ? within : between)) edges.push([i, j]);
  }
  return graphOfEdges(n, edges);
}

/** The graph of these edges, each stated once, all of the same weight. */
export function graphOfEdges(n: number, edges: readonly Edge[], weight = 1): Graph {
  const rows = edges.flatMap(([i, j]) => [i, j]);
  const columns = edges.flatMap(([i, j]) => [j, i]);
  return graphFrom(fromTriplets({ rows, columns, values: rows.map(() => weight) }, [n, n]));
}

/** The edges of a path. */
export const path = (nodes: number): Edge[] => Array.from({ length: nodes - 1 }, (_, i) => [i, i + 1]);

/** The edges of a ring. */
export const ring = (nodes: number): Edge[] => [...path(nodes), [nodes - 1, 0]];
