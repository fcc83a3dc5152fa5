/** Which eigensolver `spectrum` chooses, and what it says about it. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rejects } from '../rejects.ts';
import { buildGraph, type Graph, graphFrom, Random, type Spectrum, spectrum, tensor } from '../../lib/index.ts';
import { type LanczosOptions, principalAngles } from '../../lib/doors/linalg.ts';
import { fromTriplets } from '../../lib/doors/sparse.ts';
import { swissRoll } from '../../datasets/index.ts';
import { runAsync } from '../../lib/core/task.ts';
import { FactoredGraph } from '../../lib/spectral/spectrum/factored-graph.ts';
import { guessFactor } from '../../lib/spectral/spectrum/forecast.ts';
import type { SmoothPairs } from '../../lib/spectral/spectrum/solver-report.ts';
import { solverSteps } from '../../lib/spectral/spectrum/solvers.ts';
import { hubGraph } from '../linalg/graphs.ts';
import { type Edge, graphOfEdges, path } from './graphs.ts';

const test = suite('solver choice');

const lengthOf = (column: number, { vectors }: Spectrum, weights: ArrayLike<number>): number =>
  Array.from(weights).reduce((sum, weight, i) => sum + weight * vectors.at(i, column) ** 2, 0);

test('where Lanczos converges early, auto gives its bits', async () => {
  const graph = await buildGraph(swissRoll({ n: 2000 }).points, { kind: 'knn', neighbors: 12 });
  const chosen = await spectrum(graph, { count: 3, tolerance: 1e-6 });
  const asked = await spectrum(graph, { count: 3, tolerance: 1e-6, solver: 'lanczos' });
  assert.is(chosen.solver, 'lanczos');
  assert.is(chosen.complete, 'probed');
  assert.equal(chosen.levels, []);
  assert.equal(chosen.vectors.data, asked.vectors.data);
  assert.is(chosen.products, asked.products);
  assert.is(asked.reason, 'It was requested.');
});

test('a small graph is decomposed, which proves that no pair is missing', async () => {
  const { solver, complete, reason } = await spectrum(graphOfEdges(20, path(20)), { count: 3 });
  assert.equal([solver, complete, reason], ['dense', 'proved', 'The graph is small.']);
});

/** `solver: 'auto'` for a graph of which it is said that it does not factor cheaply. */
function choose(graph: Graph, settings: LanczosOptions): Promise<SmoothPairs> {
  const factored = new FactoredGraph(graph, 'random-walk');
  // oxlint-disable-next-line require-yield -- there is nothing to do
  factored.analysisSteps = function* () {
    return null;
  };
  const problem = { graph, factored, kind: 'random-walk', settings, verify: true, isLarge: false } as const;
  return runAsync(solverSteps.auto(problem), {});
}

/** A binary tree whose weights double from level to level: so short that Lanczos begins, and it needs thousands of products. */
function steepTree(size: number): Graph {
  const nodes = Array.from({ length: size - 1 }, (_, i) => i + 1);
  const parents = nodes.map((i) => (i - 1) >> 1);
  const weights = nodes.map((i) => 2 ** Math.floor(Math.log2(i + 1)));
  const both = { rows: [...nodes, ...parents], columns: [...parents, ...nodes], values: [...weights, ...weights] };
  return graphFrom(fromTriplets(both, [size, size]));
}

test('a tree on which Lanczos needs many products is left to the direct solver, else to the multilevel one', async () => {
  const size = 8190;
  const graph = steepTree(size);
  const found = await spectrum(graph, { count: 4 });
  assert.is(found.solver, 'direct');
  assert.ok(found.converged && found.complete === 'proved');
  assert.match(
    found.reason,
    /^Lanczos would have needed many more products after \d+, and the graph factors cheaply\.$/,
  );
  const coarsened = await choose(graph, { count: 4 });
  assert.is(coarsened.solver, 'multilevel');
  assert.match(coarsened.reason, /^Lanczos would have needed many more products after \d+\.$/);
  assert.ok(coarsened.products > 300 && coarsened.products < 8000, `${coarsened.products}`);
  const { levels, fill } = coarsened;
  assert.ok(coarsened.converged && levels[0] === size && levels.length > 2 && fill > 1 && fill < 3);
  for (let k = 0; k < 4; k++) assert.ok(Math.abs(coarsened.values[k] - found.values[k]) < 1e-12, `${k}`);
});

test('a path on which Lanczos does not converge has the direct solver at once, with few nodes too', async () => {
  for (const size of [500, 1000]) {
    const { solver, reason } = await spectrum(graphOfEdges(size, path(size)), { count: 3, tolerance: 1e-8 });
    assert.equal([solver, reason], ['direct', 'The graph factors cheaply.'], `${size}`);
  }
  const size = 4000;
  const graph = graphOfEdges(size, path(size));
  const found = await spectrum(graph, { count: 4 });
  assert.equal([found.solver, found.reason], ['direct', 'The graph factors cheaply.']);
  assert.ok(found.converged && found.complete === 'proved');
  for (let k = 0; k < 4; k++) {
    assert.ok(Math.abs(found.values[k] - Math.cos((Math.PI * k) / (size - 1))) < 1e-12, `${k}: ${found.values[k]}`);
    assert.ok(Math.abs(lengthOf(k, found, graph.degrees) / graph.volume - 1) < 1e-9);
  }
  const failed = await spectrum(graph, { count: 4, solver: 'lanczos' });
  assert.not(failed.converged);
  assert.is(failed.complete, 'unknown');
});

test('Lanczos does not begin on a graph of which a search in breadth tells that it is too long', async () => {
  const size = 6000;
  const options = { count: 3, tolerance: 1e-8 };
  const { solver, reason, products, converged } = await choose(graphOfEdges(size, path(size)), options);
  assert.equal([solver, reason], ['multilevel', 'Lanczos would have needed many products.']);
  assert.ok(converged && products < 300, `${products}`);
});

test('before an analysis, the factor of a tree and of a grid is guessed within a factor of three', async () => {
  const tree = Array.from({ length: 5999 }, (_, i): Edge => [i + 1, i >> 1]);
  const grid = Array.from({ length: 6400 }, (_, i): Edge[] => [
    ...(i % 80 < 79 ? [[i, i + 1] as const] : []),
    ...(i < 6320 ? [[i, i + 80] as const] : []),
  ]).flat();
  for (const graph of [graphOfEdges(6000, tree), graphOfEdges(6400, grid)]) {
    const factored = new FactoredGraph(graph, 'random-walk');
    const { entries } = (await runAsync(factored.analysisSteps(Infinity), {}))!;
    const guess = guessFactor(graph, factored.breadth);
    assert.ok(guess.entries < 3 * entries && entries < 3 * guess.entries, `${guess.entries} for ${entries}`);
  }
});

test('all three Laplacians have the same solvers, in the units of the given weights', async () => {
  const edges = path(600);
  for (const laplacian of ['random-walk', 'symmetric', 'unnormalized'] as const) {
    for (const weight of [1, 2 ** 20]) {
      const graph = graphOfEdges(600, edges, weight);
      const options = { count: 4, laplacian, tolerance: 1e-9 } as const;
      const found = await spectrum(graph, { ...options, solver: 'multilevel' });
      const expected = await spectrum(graph, { ...options, solver: 'lanczos' });
      assert.is(found.solver, 'multilevel');
      assert.ok(found.converged && expected.converged, laplacian);
      const unit = laplacian === 'unnormalized' ? weight : 1;
      for (let k = 0; k < 4; k++) assert.ok(Math.abs(found.values[k] - expected.values[k]) < 1e-11 * unit, laplacian);
      assert.ok(Math.max(...principalAngles(found.vectors, expected.vectors)) < 1e-3);
      const ones = new Float64Array(600).fill(1);
      const [weights, whole] = laplacian === 'random-walk' ? [graph.degrees, graph.volume] : [ones, 600];
      assert.ok(Math.abs(lengthOf(2, found, weights) / whole - 1) < 1e-9, laplacian);
    }
  }
});

test('a graph that cannot be coarsened is left to Lanczos, with the same bits', async () => {
  const graph = hubGraph(9000);
  const found = await spectrum(graph, { count: 3, tolerance: 1e-6, solver: 'multilevel' });
  assert.is(found.solver, 'lanczos');
  assert.is(found.reason, 'Coarser levels of the graph fill in.');
  const asked = await spectrum(graph, { count: 3, tolerance: 1e-6, solver: 'lanczos' });
  assert.equal(found.vectors.data, asked.vectors.data);
});

test('a large graph is reordered for Lanczos, and its vectors are in the given order', async () => {
  const graph = await buildGraph(swissRoll({ n: 500 }).points, { kind: 'knn', neighbors: 10 });
  const problem = { graph, kind: 'random-walk', settings: { count: 4 }, verify: true } as const;
  const factored = new FactoredGraph(graph, 'random-walk');
  const [reordered, given] = await Promise.all(
    [true, false].map((isLarge) => runAsync(solverSteps.lanczos({ ...problem, factored, isLarge }), {})),
  );
  assert.not.equal(reordered.vectors.data, given.vectors.data, 'another order of sums');
  for (let k = 0; k < 4; k++) assert.ok(Math.abs(reordered.values[k] - given.values[k]) < 1e-12, `${k}`);
  assert.ok(Math.max(...principalAngles(reordered.vectors, given.vectors)) < 1e-6);
});

test('one numeric column with many ties, on which Lanczos fails, converges', async () => {
  // Groups of equal numbers, as in a table of counts: most neighbors of a point are at distance 0.
  const numbers = Array.from({ length: 3000 }, (_, i) => Math.floor(200 * (i / 3000) ** 3));
  const points = tensor(numbers.map((number) => [number]));
  const graph = await buildGraph(points, { kind: 'knn', neighbors: 16, connect: 'join' });
  const found = await spectrum(graph, { count: 3, tolerance: 1e-6 });
  assert.ok(found.converged, `${found.solver}: ${found.residuals} after ${found.products}`);
});

test('progress goes on from Lanczos to the next solver, and an abort stops either', async () => {
  const graph = steepTree(8190);
  const products: number[] = [];
  await spectrum(graph, { count: 3, tolerance: 1e-8, onRestart: (state) => products.push(state.products) });
  assert.ok(
    products.length > 8 && products.at(-1)! > 100 && products.every((count, i) => i === 0 || count >= products[i - 1]),
    `${products}`,
  );
  const controller = new AbortController();
  const onRestart = (): void => controller.abort(new Error('stop'));
  await rejects(() => spectrum(graph, { count: 3, signal: controller.signal, onRestart }), /^stop$/);
  await rejects(
    () => spectrum(graph, { count: 3, solver: 'arpack' as never }),
    /^spectrum: expected solver .*multilevel/,
  );
  const impossible = { count: 3, solver: 'multilevel', tolerance: 2 } as const;
  await rejects(() => spectrum(graph, impossible), /^spectrum: expected tolerance between 0 and 1, got 2\.$/);
});

test('a small graph on which Lanczos does not converge has the direct solver', async () => {
  const [size, random] = [200, new Random(1)];
  const rows = path(size).flatMap(([i, j]) => [i, j]);
  const columns = path(size).flatMap(([i, j]) => [j, i]);
  const values = path(size).flatMap(() => new Array<number>(2).fill(10 ** random.uniform(-6, 6)));
  const graph = graphFrom(fromTriplets({ rows, columns, values }, [size, size], 'double'));
  const found = await spectrum(graph, { count: 7 });
  assert.equal([found.solver, found.converged, found.complete], ['direct', true, 'proved']);
  assert.match(found.reason, /^Lanczos did not converge in \d+ products\.$/);
  const exact = await spectrum(graph, { count: size });
  assert.is(exact.solver, 'dense');
  for (let k = 0; k < 7; k++) assert.ok(Math.abs(found.values[k] - exact.values[k]) < 1e-13, `${k}`);
});

test.run();
