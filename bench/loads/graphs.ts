/** Graphs of many kinds for the benches of eigensolvers. */

import { loadMnist, swissRoll, texts, twoMoons } from '../../datasets/index.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import { buildGraph, type Graph, graphFrom, Random, tensor } from '../../lib/index.ts';
import type { Points } from '../../lib/network/layers/inputs.ts';

const fillsIn = /^(cube|MNIST|texts|power law)/;

/** A graph, and whether its factor has hundreds of entries in each column, so that the direct solver takes minutes. */
export interface GraphCase {
  readonly name: string;
  readonly fills: boolean;
  readonly graph: () => Promise<Graph>;
}

/** The graphs whose names contain `only`, the same in all runs. A quick run has smaller ones. */
export function graphCases({ quick, only }: { readonly quick: boolean; readonly only: string }): GraphCase[] {
  return allCases(quick).filter(({ name }) => name.includes(only));
}

function allCases(quick: boolean): GraphCase[] {
  const size = (n: number): number => (quick ? Math.ceil(n / 10) : n);
  const ofPoints = (name: string, n: number, draw: (n: number) => Points | Promise<Points>): GraphCase => ({
    name: `${name} ${size(n)}, 16 neighbors, 4 pairs`,
    fills: fillsIn.test(name),
    graph: async () => buildGraph(await draw(size(n)), { kind: 'knn', neighbors: 16 }),
  });
  const cube = (n: number, dimension: number): Points => {
    const data = new Float32Array(n * dimension);
    new Random(1).fillUniform(data);
    return tensor({ data, shape: [n, dimension] }, 'single');
  };
  return [
    ofPoints('Swiss roll', 100_000, (n) => swissRoll({ n }).points),
    ofPoints('Swiss roll', 30_000, (n) => swissRoll({ n }).points),
    ofPoints('two moons', 20_000, (n) => twoMoons({ n }).points),
    ofPoints('two moons', 200_000, (n) => twoMoons({ n }).points),
    ofPoints('cube 3-D', 100_000, (n) => cube(n, 3)),
    ofPoints('cube 5-D', 50_000, (n) => cube(n, 5)),
    ofPoints('MNIST', 20_000, async (n) => (await loadMnist({ train: n, test: 1 })).train.points),
    ofPoints('three rings', 30_000, rings),
    ofPoints('three parts', 100_000, parts),
    {
      name: 'texts 5000, 16 neighbors, 4 pairs',
      fills: true,
      graph: () => buildGraph(texts({ n: 5000 }).points, { kind: 'knn', neighbors: 16, metric: 'cosine' }),
    },
    ofEdges('star', size(100_000), (nodes) => tree(nodes, () => 0)),
    ofEdges('path', size(100_000), (nodes) => tree(nodes, (i) => i - 1)),
    ofEdges('grid', size(90_000), grid),
    ofEdges('grid with weak satellites', size(40_000) + 20, satellites),
    ofEdges('power law', size(50_000), powerLaw),
    // Small graphs, the same in a quick run: on long ones, Lanczos takes many times as long as the direct solver.
    ofEdges('path', 2000, (nodes) => tree(nodes, (i) => i - 1)),
    ofEdges('ring', 1000, (nodes) => [...tree(nodes, (i) => i - 1), [nodes - 1, 0]]),
    ofEdges('strip', 3000, (nodes) => lattice(nodes, 3)),
    ofEdges('grid', 3969, grid),
    ofEdges('binary tree', 4000, (nodes) => tree(nodes, (i) => (i - 1) >> 1)),
    ...[1, 2, 3].map((dimension) => ofFewPoints('cube', dimension, (n) => cube(n, dimension))),
    ofFewPoints('two moons', 2, (n) => twoMoons({ n }).points),
    ofFewPoints('Swiss roll', 3, (n) => swissRoll({ n }).points),
  ];
}

type Edge = readonly [number, number, number?];

function ofEdges(name: string, nodes: number, draw: (nodes: number) => Edge[]): GraphCase {
  return {
    name: `${name} ${nodes}, 4 pairs`,
    fills: fillsIn.test(name),
    graph: async () => fromEdges(nodes, draw(nodes)),
  };
}

/** Edges {i, j} with weights, 1 unless given. */
function fromEdges(nodes: number, edges: readonly Edge[]): Graph {
  const rows = edges.flatMap(([i, j]) => [i, j]);
  const columns = edges.flatMap(([i, j]) => [j, i]);
  const values = edges.flatMap(([, , weight = 1]) => [weight, weight]);
  return graphFrom(fromTriplets({ rows, columns, values }, [nodes, nodes]));
}

/** The tree in which node i > 0 hangs on node parent(i). */
function tree(nodes: number, parent: (i: number) => number): Edge[] {
  return Array.from({ length: nodes - 1 }, (_, i) => [i + 1, parent(i + 1)]);
}

const few = 4000;

function ofFewPoints(name: string, dimension: number, draw: (n: number) => Points): GraphCase {
  return {
    name: `${name} ${dimension}-D ${few}, 16 neighbors, 4 pairs`,
    fills: false,
    graph: () => buildGraph(draw(few), { kind: 'knn', neighbors: 16 }),
  };
}

/** A square grid. */
function grid(nodes: number): Edge[] {
  return lattice(nodes, Math.floor(Math.sqrt(nodes)));
}

/** A grid with rows of `side` nodes. */
function lattice(nodes: number, side: number): Edge[] {
  return Array.from({ length: nodes }, (_, i): Edge[] => [
    ...(i % side < side - 1 && i + 1 < nodes ? [[i, i + 1] as const] : []),
    ...(i + side < nodes ? [[i, i + side] as const] : []),
  ]).flat();
}

/** Five groups of four nodes, each joined to a grid by a weak edge. */
function satellites(nodes: number): Edge[] {
  const first = nodes - 20;
  const groups = Array.from({ length: 5 }, (_, s): Edge[] => {
    const [a, b, c, d] = [0, 1, 2, 3].map((k) => first + 4 * s + k);
    return [
      [a, b],
      [a, c],
      [a, d],
      [b, c],
      [b, d],
      [c, d],
      [a, Math.floor((s * first) / 5), 1e-4 * (s + 1)],
    ];
  });
  return [...grid(first), ...groups.flat()];
}

/** Three edges from every node, most of them to a few nodes. */
function powerLaw(nodes: number): Edge[] {
  const random = new Random(2);
  const edges = Array.from({ length: 3 * nodes }, (_, e): Edge => [
    e % nodes,
    Math.floor(nodes * random.uniform() ** 4),
  ]);
  return edges.filter(([i, j]) => i !== j);
}

/** Three rings around each other. */
function rings(n: number): Points {
  const random = new Random(2);
  const data = new Float32Array(2 * n);
  for (let i = 0; i < n; i++) {
    const [angle, radius] = [random.uniform(0, 2 * Math.PI), 1 + (i % 3) + 0.05 * random.normal()];
    data.set([radius * Math.cos(angle), radius * Math.sin(angle)], 2 * i);
  }
  return tensor({ data, shape: [n, 2] }, 'single');
}

/** Three groups that are far apart. */
function parts(n: number): Points {
  const data = new Float32Array(2 * n);
  new Random(1).fillNormal(data);
  for (let i = 0; i < n; i++) data[2 * i] += 30 * (i % 3);
  return tensor({ data, shape: [n, 2] }, 'single');
}
