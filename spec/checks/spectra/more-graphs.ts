/** More graphs on which eigensolvers fail: repeated eigenvalues, extreme weights, loops, many parts, and other numbers of pairs. */

import { Random, tensor } from '../../../lib/index.ts';
import { swissRoll } from '../../../datasets/index.ts';
import { distinct, type Edge, edges, fills, type GraphCase, lattice, points, regular, tree } from './graphs.ts';

export const moreGraphCases: readonly GraphCase[] = [
  edges('anisotropic grid', 40_000, (n) => anisotropic(n, 1e-6), { count: 6 }),
  edges('slightly anisotropic grid', 40_000, (n) => anisotropic(n, 1e-3), { count: 6 }),
  edges('lollipop', 20_000, (n) => [...complete(0, 300), ...tree(n, (i) => i - 1).slice(299)], { count: 6 }),
  edges('chain of cliques', 12_000, chain, { count: 8 }),
  edges('sparse random graph', 20_000, (n, random) => uniform(n, 6, random), { count: 70, ...fills }),
  edges('random graph of small parts', 20_000, (n, random) => uniform(n, 1.2, random), { count: 12 }),
  edges('unequal blocks', 8000, unequalBlocks, { count: 6, ...fills }),
  edges('torus 3-D', 13_824, cubicTorus, { count: 9, ...fills }),
  edges('complete', 900, (n) => complete(0, n), { count: 6, ...fills }),
  edges('wheel', 5000, (n) => [...tree(n, () => 0), ...tree(n, (i) => (i === 1 ? n - 1 : i - 1))], { count: 7 }),
  edges('star of paths', 20_001, (n) => tree(n, (i) => (i % 100 === 1 ? 0 : i - 1)), { count: 30 }),
  edges('windmill', 3001, (n) => [...tree(n, () => 0), ...pairs(1, n)], { count: 8 }),
  edges('ternary tree', 29_524, (n) => tree(n, (i) => Math.floor((i - 1) / 3)), { count: 12 }),
  edges('triangles within triangles', 29_526, sierpinski, { count: 12 }),
  edges('Möbius ladder', 20_000, ladder, { count: 9 }),
  edges('circulant', 5003, circulant, { count: 7, ...fills }),
  edges('two expanders and an edge', 8000, twoExpanders, { count: 4, ...fills }),
  edges('loops', 22_500, (n, random) => [...lattice(n, 150, false), ...loops(n, random)], { count: 6 }),
  edges('five grids joined by 1e-9', 20_000, (n) => [...grids(n, 5), ...joints(n, 5, 1e-9)], { count: 8 }),
  edges('two equal grids', 20_000, (n) => grids(n, 2), { count: 8 }),
  edges('two equal grids joined by 1e-12', 20_000, (n) => [...grids(n, 2), ...joints(n, 2, 1e-12)], { count: 8 }),
  edges('grid beside lonely nodes', 110_000, (n) => [...lattice(10_000, 100, false), ...lonely(10_000, n)]),
  edges('grid, one pair', 30_000, (n) => lattice(n, 150, false), { count: 1 }),
  edges('grid, two pairs', 30_000, (n) => lattice(n, 150, false), { count: 2 }),
  edges('grid, thirty pairs', 30_000, (n) => lattice(n, 150, false), { count: 30 }),
  edges('long cylinder', 40_000, (n) => lattice(n, 8, true), { count: 8 }),
  points('roll, thirty pairs', 20_000, (n, random) => swissRoll({ n, seed: random.uniform() }).points, { count: 30 }),
  points('points of which half coincide', 6000, (n, random) => halfEqual(n, random)),
  points('points of uneven density', 15_000, (n, random) => uneven(n, random)),
  points('points near the threshold of connection', 12_000, scattered, { count: 20, neighbors: 3 }),
];

/** A square grid whose vertical edges have another weight. */
function anisotropic(n: number, weight: number): Edge[] {
  return lattice(n, Math.sqrt(n), false).map(([i, j]) => [i, j, j === i + 1 ? 1 : weight]);
}

/** All edges among the nodes first … first + size − 1. */
function complete(first: number, size: number): Edge[] {
  return Array.from({ length: size }, (_, i) =>
    Array.from({ length: i }, (__, j): Edge => [first + i, first + j]),
  ).flat();
}

/** Cliques of 60 nodes with paths of 60 nodes between them. */
function chain(n: number): Edge[] {
  const path = tree(n, (i) => i - 1);
  const cliques = Array.from({ length: n / 120 }, (_, k) => complete(120 * k, 60)).flat();
  return distinct([...path, ...cliques]);
}

/** Edges between random nodes, with `degree` for each on average. A node without edges gets a loop. */
function uniform(n: number, degree: number, random: Random): Edge[] {
  const drawn = distinct(
    Array.from({ length: Math.round((n * degree) / 2) }, (): Edge => [random.integer(n), random.integer(n)]),
  );
  const isolated = new Set(Array.from({ length: n }, (_, i) => i));
  for (const [i, j] of drawn) for (const node of [i, j]) isolated.delete(node);
  return [...drawn, ...Array.from(isolated, (i): Edge => [i, i])];
}

/** Blocks of a half, a quarter, an eighth and the rest of the nodes, with ten edges within and two others for each node. */
function unequalBlocks(n: number, random: Random): Edge[] {
  const bounds = [0, n / 2, (3 * n) / 4, (7 * n) / 8, n];
  return distinct(
    Array.from({ length: 6 * n }, (_, e): Edge => {
      const i = e % n;
      if (e < n) return [i, random.integer(n)];
      const block = bounds.findIndex((bound) => bound > i);
      return [i, bounds[block - 1] + random.integer(bounds[block] - bounds[block - 1])];
    }),
  );
}

/** A periodic cubic grid, whose first eigenvalue is repeated six times. */
function cubicTorus(n: number): Edge[] {
  const side = Math.round(Math.cbrt(n));
  return Array.from({ length: n }, (_, i) =>
    [1, side, side * side].map((step): Edge => {
      const place = Math.floor(i / step) % side;
      return [i, place === side - 1 ? i - (side - 1) * step : i + step];
    }),
  ).flat();
}

/** Sierpiński's triangle, from the corners of its triangles. Eigenvalues are repeated many times. */
function sierpinski(): Edge[] {
  const numbers = new Map<string, number>();
  const at = (x: number, y: number): number => {
    const key = `${x} ${y}`;
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    return numbers.get(key)!;
  };
  const drawn: Edge[] = [];
  const divide = (x: number, y: number, size: number): void => {
    if (size > 1)
      for (const [dx, dy] of [
        [0, 0],
        [1, 0],
        [0, 1],
      ])
        divide(x + (dx * size) / 2, y + (dy * size) / 2, size / 2);
    else drawn.push([at(x, y), at(x + 1, y)], [at(x, y), at(x, y + 1)], [at(x + 1, y), at(x, y + 1)]);
  };
  divide(0, 0, 512);
  return drawn;
}

/** A ring in which opposite nodes are adjacent. */
function ladder(n: number): Edge[] {
  return [...tree(n, (i) => i - 1), [n - 1, 0], ...Array.from({ length: n / 2 }, (_, i): Edge => [i, i + n / 2])];
}

/** A ring of prime length with jumps: eigenvalues in pairs, far from 0. */
function circulant(n: number): Edge[] {
  return [1, 17, 290, 1999].flatMap((jump) => Array.from({ length: n }, (_, i): Edge => [i, (i + jump) % n]));
}

function twoExpanders(n: number, random: Random): Edge[] {
  const half = n / 2;
  const second = regular(half, 4, random).map(([i, j]): Edge => [half + i, half + j]);
  return [...regular(half, 4, random), ...second, [0, half]];
}

/** A loop at every third node, of weights from 1e-2 to 1e3. */
function loops(n: number, random: Random): Edge[] {
  return Array.from({ length: Math.floor(n / 3) }, (_, k): Edge => [3 * k, 3 * k, 10 ** random.uniform(-2, 3)]);
}

/** Equal grids of `n / count` nodes. */
function grids(n: number, count: number): Edge[] {
  const size = n / count;
  const one = lattice(size, 50, false);
  return Array.from({ length: count }, (_, k) => one.map(([i, j]): Edge => [k * size + i, k * size + j])).flat();
}

/** An edge from each of these grids to the next. */
function joints(n: number, count: number, weight: number): Edge[] {
  const size = n / count;
  return Array.from({ length: count - 1 }, (_, k): Edge => [k * size + 7, (k + 1) * size + 7, weight]);
}

/** Nodes with nothing but a loop. */
function lonely(from: number, to: number): Edge[] {
  return Array.from({ length: to - from }, (_, k): Edge => [from + k, from + k]);
}

function pairs(from: number, to: number): Edge[] {
  return Array.from({ length: (to - from) / 2 }, (_, k): Edge => [from + 2 * k, from + 2 * k + 1]);
}

/** Half of the points are one point. */
function halfEqual(n: number, random: Random) {
  return planar(n, (i) => (i % 2 === 0 ? [0.5, 0.5] : [random.uniform(), random.uniform()]));
}

/** Points whose distances from the origin are spread over six orders. */
function uneven(n: number, random: Random) {
  return planar(n, () => {
    const [radius, angle] = [10 ** random.uniform(-6, 0), random.uniform(0, 2 * Math.PI)];
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

/** Points whose graph has many parts. */
function scattered(n: number, random: Random) {
  return planar(n, () => [random.uniform(), random.uniform()]);
}

function planar(n: number, at: (i: number) => readonly [number, number]) {
  const data = new Float32Array(2 * n);
  for (let i = 0; i < n; i++) data.set(at(i), 2 * i);
  return tensor({ data, shape: [n, 2] }, 'single');
}
