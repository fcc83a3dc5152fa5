/** Graphs on which eigensolvers fail: many kinds, each drawn from a seed. */

import { buildGraph, type Graph, graphFrom, Random, tensor } from '../../../lib/index.ts';
import { fromTriplets } from '../../../lib/doors/sparse.ts';
import type { Points } from '../../../lib/network/layers/inputs.ts';
import { swissRoll, texts, twoMoons } from '../../../datasets/index.ts';

/** A graph, how many pairs of it are compared, and whether its factor fits in memory. */
export interface GraphCase {
  readonly name: string;
  readonly count: number;
  readonly factors: boolean;
  readonly build: (random: Random) => Graph | Promise<Graph>;
}

/** Two nodes and a weight. Default: 1. */
export type Edge = readonly [number, number, number?];

/** `fills`: graphs that fill in, which the direct solver is not asked for. */
export const fills = { factors: false };

export const graphCases: readonly GraphCase[] = [
  points('roll', 23_000, (n, random) => swissRoll({ n, seed: random.uniform() }).points),
  points('roll of 7 neighbors', 9000, (n, random) => swissRoll({ n, seed: random.uniform() }).points, { neighbors: 7 }),
  points('moons', 14_000, (n, random) => twoMoons({ n, seed: random.uniform() }).points),
  points('cube 3-D', 12_000, (n, random) => cube(n, 3, random), fills),
  points('cube 5-D', 8000, (n, random) => cube(n, 5, random), fills),
  points('four rings', 16_000, (n, random) => rings(n, 4, random), { count: 9 }),
  points('seven parts', 15_000, (n, random) => parts(n, 7, random), { count: 10 }),
  points('thin strip', 20_000, strip),
  points('sphere', 18_000, sphere, { count: 9 }),
  points('points that coincide', 6000, coinciding),
  points('texts', 2500, (n, random) => texts({ n, seed: random.uniform() }).points, { ...fills, metric: 'cosine' }),
  edges('path', 100_000, (n) => tree(n, (i) => i - 1)),
  edges('ring', 40_000, (n) => [...tree(n, (i) => i - 1), [n - 1, 0]], { count: 8 }),
  edges('star', 30_000, (n) => tree(n, () => 0), { count: 6 }),
  edges('caterpillar', 60_000, (n) => tree(n, (i) => (i % 6 === 0 ? i - 6 : i - (i % 6)))),
  edges('binary tree', 32_767, (n) => tree(n, (i) => (i - 1) >> 1), { count: 8 }),
  edges('random tree', 50_000, (n, random) => tree(n, (i) => random.integer(i)), { count: 6 }),
  edges('grid', 70_000, (n) => lattice(n, Math.floor(Math.sqrt(n)), false)),
  edges('torus', 40_000, (n) => lattice(n, 200, true), { count: 10 }),
  edges('long torus', 30_000, (n) => lattice(n, 30, true), { count: 6 }),
  edges('hypercube', 8192, hypercube, { count: 15, ...fills }),
  edges('complete bipartite', 1600, bipartite, { count: 4, ...fills }),
  edges('expander', 12_000, (n, random) => regular(n, 3, random), fills),
  edges('dense expander', 6000, (n, random) => regular(n, 8, random), fills),
  edges('barbell', 20_400, barbell, { count: 4 }),
  edges('cliques in a ring', 12_000, (n) => cliques(n, 12), { count: 7 }),
  edges('weak satellites', 30_000, (n, random) => satellites(n, 6, 1e-7, random), { count: 8 }),
  edges('equal satellites', 20_000, (n, random) => satellites(n, 40, 1e-3, random, 0), { count: 6 }),
  edges('thousands of satellites', 30_000, (n, random) => satellites(n, 3000, 1e-3, random), { count: 6 }),
  edges('hubs', 30_000, hubs, fills),
  edges('power law', 25_000, powerLaw, fills),
  edges('isolated nodes', 12_000, (n, random) => withoutSome(lattice(n, 100, false), random), { count: 12 }),
  edges('weights over twelve orders', 20_000, (n, random) => graded(lattice(n, 140, false), 12, random)),
  edges('weights over six orders', 20_000, (n, random) => graded(lattice(n, 140, false), 6, random)),
  edges('path of falling weights', 3000, (n) => tree(n, (i) => i - 1).map(([i, j]) => [i, j, 2 ** (-i / 120)])),
  edges('weak link of two grids', 20_000, (n) => [...twoGrids(n), [0, n - 1, 1e-9]], { count: 5 }),
  edges('many small parts', 20_000, (n) => cliques(n, 5).filter(([i, j]) => Math.floor(i / 5) === Math.floor(j / 5)), {
    count: 20,
  }),
  edges('parts and a path', 20_000, (n) => [...tree(n / 2, (i) => i - 1), ...pairs(n / 2, n)], { count: 7 }),
  edges('small worlds', 20_000, smallWorld, fills),
  edges('blocks', 9000, (n, random) => blocks(n, 5, random), { count: 7, ...fills }),
];

interface CaseOptions {
  readonly count?: number;
  readonly factors?: boolean;
}

export function points(
  name: string,
  n: number,
  draw: (n: number, random: Random) => Points,
  options: CaseOptions & { readonly neighbors?: number; readonly metric?: 'cosine' } = {},
): GraphCase {
  const { count = 5, factors = true, neighbors = 12, metric } = options;
  const build = (random: Random): Promise<Graph> =>
    buildGraph(draw(n, random), { kind: 'knn', neighbors, ...(metric ? { metric } : {}) });
  return { name: `${name}, ${n}`, count, factors, build };
}

export function edges(
  name: string,
  n: number,
  draw: (n: number, random: Random) => readonly Edge[],
  { count = 5, factors = true }: CaseOptions = {},
): GraphCase {
  const build = (random: Random): Graph => {
    const drawn = draw(n, random);
    const rows = drawn.flatMap(([i, j]) => [i, j]);
    const columns = drawn.flatMap(([i, j]) => [j, i]);
    const values = drawn.flatMap(([, , weight = 1]) => [weight, weight]);
    return graphFrom(fromTriplets({ rows, columns, values }, [n, n]));
  };
  return { name: `${name}, ${n}`, count, factors, build };
}

function fromFunction(n: number, cols: number, at: (i: number) => readonly number[]): Points {
  const data = new Float32Array(n * cols);
  for (let i = 0; i < n; i++) data.set(at(i), cols * i);
  return tensor({ data, shape: [n, cols] }, 'single');
}

function cube(n: number, cols: number, random: Random): Points {
  return fromFunction(n, cols, () => Array.from({ length: cols }, () => random.uniform()));
}

/** Rings around each other. */
function rings(n: number, count: number, random: Random): Points {
  return fromFunction(n, 2, (i) => {
    const [angle, radius] = [random.uniform(0, 2 * Math.PI), 1 + (i % count) + 0.04 * random.normal()];
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

/** Groups that are far apart. */
function parts(n: number, count: number, random: Random): Points {
  return fromFunction(n, 2, (i) => [random.normal() + 40 * (i % count), random.normal()]);
}

/** A rectangle a hundred times as long as wide. */
function strip(n: number, random: Random): Points {
  return fromFunction(n, 2, () => [100 * random.uniform(), random.uniform()]);
}

/** A sphere, whose eigenvalues are nearly triple, quintuple and so on. */
function sphere(n: number, random: Random): Points {
  return fromFunction(n, 3, () => {
    const direction = [random.normal(), random.normal(), random.normal()];
    const length = Math.hypot(...direction);
    return direction.map((x) => x / length);
  });
}

/** A third of the points are copies of one of twenty places. */
function coinciding(n: number, random: Random): Points {
  const places = Array.from({ length: 20 }, () => [random.uniform(), random.uniform()]);
  return fromFunction(n, 2, (i) => (i % 3 === 0 ? places[i % 20] : [random.uniform(), random.uniform()]));
}

/** The tree in which node i > 0 hangs on node parent(i). */
export function tree(n: number, parent: (i: number) => number): Edge[] {
  return Array.from({ length: n - 1 }, (_, i) => [i + 1, parent(i + 1)]);
}

/** A grid of `width` columns. Periodic in both directions if it is a torus. */
export function lattice(n: number, width: number, isTorus: boolean): Edge[] {
  return Array.from({ length: n }, (_, i): Edge[] => {
    const [right, down] = [i % width < width - 1 ? i + 1 : isTorus ? i + 1 - width : n, i + width];
    return [[i, right] as const, [i, isTorus ? down % n : down] as const].filter(([, j]) => j < n);
  }).flat();
}

/** Nodes are adjacent if their numbers differ in one bit: eigenvalues are repeated as often as binomial coefficients. */
function hypercube(n: number): Edge[] {
  const bits = Math.log2(n);
  return Array.from({ length: n }, (_, i) =>
    Array.from({ length: bits }, (__, b): Edge => [i, i ^ (1 << b)]).filter(([, j]) => j > i),
  ).flat();
}

function bipartite(n: number): Edge[] {
  const left = n / 4;
  return Array.from({ length: left * (n - left) }, (_, e) => [e % left, left + Math.floor(e / left)]);
}

/** The union of `count` random permutations, without loops. */
export function regular(n: number, count: number, random: Random): Edge[] {
  const drawn = Array.from({ length: count }, () => Array.from(random.permutation(n), (j, i): Edge => [i, j]));
  return distinct(drawn.flat());
}

/** Each edge once, without loops. */
export function distinct(drawn: readonly Edge[]): Edge[] {
  const seen = new Set<string>();
  return drawn.filter(([i, j]) => {
    const key = `${Math.min(i, j)} ${Math.max(i, j)}`;
    return i !== j && !seen.has(key) && seen.add(key);
  });
}

/** Two cliques of 200 nodes at the ends of a path. */
function barbell(n: number): Edge[] {
  const clique = (first: number): Edge[] =>
    Array.from({ length: 200 }, (_, i) => Array.from({ length: i }, (__, j): Edge => [first + i, first + j])).flat();
  const path = Array.from({ length: n - 399 }, (_, k): Edge => [199 + k, 200 + k]);
  return [...clique(0), ...path, ...clique(n - 200)];
}

/** Cliques, each joined to the next by an edge. */
function cliques(n: number, size: number): Edge[] {
  return Array.from({ length: n }, (_, i): Edge[] => {
    const first = i - (i % size);
    const within = Array.from({ length: i - first }, (__, k): Edge => [i, first + k]);
    return i === first ? [[i, (i + size) % n], ...within] : within;
  }).flat();
}

/** Groups of four nodes, each joined to a grid by a weak edge, of weights within a factor 1 + spread. */
function satellites(n: number, groups: number, weak: number, random: Random, spread = 1): Edge[] {
  const nodes = n - 4 * groups;
  const drawn: Edge[] = lattice(nodes, 120, false);
  for (let s = 0; s < groups; s++) {
    const first = nodes + 4 * s;
    for (let i = 0; i < 4; i++) for (let j = 0; j < i; j++) drawn.push([first + i, first + j]);
    drawn.push([first, Math.floor(((s + 0.5) / groups) * nodes), weak * (1 + spread * random.uniform())]);
  }
  return drawn;
}

/** A grid in which ten nodes are joined to a thousand others each. */
function hubs(n: number, random: Random): Edge[] {
  const more = Array.from({ length: 10_000 }, (_, k): Edge => [Math.floor((k % 10) * (n / 10)), random.integer(n)]);
  return distinct([...lattice(n, 150, false), ...more]);
}

/** Three edges from every node, most of them to a few nodes. */
function powerLaw(n: number, random: Random): Edge[] {
  return distinct(Array.from({ length: 3 * n }, (_, e): Edge => [e % n, Math.floor(n * random.uniform() ** 4)]));
}

/** Ten nodes have no edge but a loop of small weight. */
function withoutSome(drawn: readonly Edge[], random: Random): Edge[] {
  const lonely = new Set(Array.from({ length: 10 }, () => 1000 + random.integer(10_000)));
  const loops = Array.from(lonely, (i): Edge => [i, i, 1e-3]);
  return [...drawn.filter(([i, j]) => !lonely.has(i) && !lonely.has(j)), ...loops];
}

/** Random weights, their logarithms uniform. */
function graded(drawn: readonly Edge[], orders: number, random: Random): Edge[] {
  return drawn.map(([i, j]) => [i, j, 10 ** (-orders * random.uniform())]);
}

function twoGrids(n: number): Edge[] {
  const half = n / 2;
  const one = lattice(half, 100, false);
  return [...one, ...one.map(([i, j]): Edge => [half + i, half + j])];
}

/** Pairs of nodes. */
function pairs(from: number, to: number): Edge[] {
  return Array.from({ length: (to - from) / 2 }, (_, k) => [from + 2 * k, from + 2 * k + 1]);
}

/** A ring of six neighbors in which one edge in fifty leads anywhere. */
function smallWorld(n: number, random: Random): Edge[] {
  return distinct(
    Array.from({ length: 3 * n }, (_, e): Edge => {
      const i = e % n;
      return [i, random.uniform() < 0.02 ? random.integer(n) : (i + 1 + Math.floor(e / n)) % n];
    }),
  );
}

/** Groups with eight edges within and one to others for each node, on average. */
function blocks(n: number, groups: number, random: Random): Edge[] {
  return distinct(
    Array.from({ length: 5 * n }, (_, e): Edge => {
      const i = e % n;
      if (e >= 4 * n) return [i, random.integer(n)];
      const j = random.integer(n);
      return [i, j - (j % groups) + (i % groups)];
    }).filter(([, j]) => j < n),
  );
}
