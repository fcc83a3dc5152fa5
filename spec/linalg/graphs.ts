/** Small graphs and their exact eigenvalues for the specs of eigensolvers. */

import { type Graph, graphFrom, Random } from '../../lib/index.ts';
import { symmetricEigen } from '../../lib/doors/linalg.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';

/** Two nodes and a weight. Default: 1. */
export type Edge = readonly [number, number, number?];

export function graphOfEdges(size: number, edges: readonly Edge[]): Graph {
  const both = edges.flatMap(([i, j, weight = 1]) => [[i, j, weight] as const, [j, i, weight] as const]);
  const [rows, columns, values] = [0, 1, 2].map((k) => both.map((edge) => edge[k]));
  return graphFrom(fromTriplets({ rows, columns, values }, [size, size]));
}

export function path(nodes: number, first = 0): Edge[] {
  return Array.from({ length: Math.max(0, nodes - 1) }, (_, i) => [first + i, first + i + 1]);
}

/** Three edges of each node, most of them to nodes of low number, the hubs. */
export function hubGraph(nodes: number): Graph {
  const random = new Random(2);
  const edges = Array.from({ length: 3 * nodes }, (_, e): Edge => [
    e % nodes,
    Math.floor(nodes * random.uniform() ** 4),
  ]);
  return graphOfEdges(
    nodes,
    edges.filter(([i, j]) => i !== j),
  );
}

export function grid(rows: number, cols: number): Edge[] {
  return Array.from({ length: rows * cols }, (_, i): Edge[] => [
    ...(i % cols < cols - 1 ? [[i, i + 1] as const] : []),
    ...(i < (rows - 1) * cols ? [[i, i + cols] as const] : []),
  ]).flat();
}

/** All eigenvalues of M^-½LM^-½, ascending, from the dense matrix. */
export function denseValues({ size, weights, degrees }: Graph, mass = degrees): Float64Array {
  const a = zeros([size, size], 'double');
  for (let i = 0; i < size; i++) {
    a.data[i * size + i] += degrees[i] / mass[i];
    for (let e = weights.starts[i]; e < weights.starts[i + 1]; e++) {
      const j = weights.columns[e];
      a.data[i * size + j] -= weights.values[e] / Math.sqrt(mass[i] * mass[j]);
    }
  }
  return symmetricEigen(a).values.toReversed();
}

/** Satellites, groups of four nodes, each joined by a weak edge to one node of a grid with weights, whose nodes come later. */
export function withSatellites(rows: number, satellites: number, weak: number): Graph {
  const nodes = rows * 60;
  const random = new Random(3);
  const edges: Edge[] = grid(rows, 60).map(([i, j]) => [i, j, random.uniform(0.5, 1)]);
  for (let s = 0; s < satellites; s++) {
    const first = nodes + 4 * s;
    for (let i = 0; i < 4; i++) for (let j = 0; j < i; j++) edges.push([first + i, first + j]);
    edges.push([first, Math.floor(((s + 0.5) / satellites) * nodes), weak]);
  }
  const size = nodes + 4 * satellites;
  return graphOfEdges(
    size,
    edges.map(([i, j, weight = 1]) => [size - 1 - i, size - 1 - j, weight]),
  );
}
