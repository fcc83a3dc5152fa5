/** The direct eigensolver, and the count of eigenvalues that proves completeness. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildGraph, type Graph, Random } from '../../lib/index.ts';
import { denseValues, type Edge, graphOfEdges, grid } from './graphs.ts';
import { twoMoons } from '../../datasets/index.ts';
import { runSync } from '../../lib/core/task.ts';
import { closerShiftSteps } from '../../lib/linalg/factorization/closer-shift.ts';
import { type Census, censusSteps } from '../../lib/linalg/factorization/inertia.ts';
import { analyzeGraphSteps, laplacianPencil } from '../../lib/linalg/factorization/laplacian-pencil.ts';
import { type ShiftInvertResult, shiftInvertSteps } from '../../lib/linalg/factorization/shift-invert.ts';

const test = suite('shift-invert');

const ring = (size: number, first = 0): Edge[] =>
  Array.from({ length: size }, (_, i) => [first + i, first + ((i + 1) % size)]);

function solve(graph: Graph, count: number, mass = graph.degrees, verify = false): ShiftInvertResult {
  const options = { count, tolerance: 1e-10, productLimit: 10_000, seed: 0, verify };
  return runSync(shiftInvertSteps(laplacianPencil(graph, mass), runSync(analyzeGraphSteps(graph))!, options));
}

function countUp(graph: Graph, values: ArrayLike<number>, residuals: ArrayLike<number>, mass = graph.degrees): Census {
  return runSync(censusSteps(laplacianPencil(graph, mass), runSync(analyzeGraphSteps(graph))!, values, residuals));
}

const graphs: Record<string, Graph> = {
  ring: graphOfEdges(180, ring(180)),
  'three rings': graphOfEdges(240, [...ring(80), ...ring(80, 80), ...ring(80, 160)]),
  grid: graphOfEdges(196, grid(14, 14)),
  'grid with loops and weights': graphOfEdges(
    196,
    [...grid(14, 14), ...Array.from({ length: 50 }, (_, i): Edge => [3 * i, 3 * i, 0.25])].map(([i, j], e): Edge => [
      i,
      j,
      1 + (e % 7),
    ]),
  ),
};

test('heavy loops, which the Laplacian does not have, change nothing but the scale', () => {
  const edges = grid(10, 10);
  const loops = Array.from({ length: 100 }, (_, i): Edge => [i, i, 1e17]);
  const mass = new Float64Array(100).fill(1);
  const [without, heavy] = [edges, [...edges, ...loops]].map((each) => graphOfEdges(100, each));
  const { diagonal } = laplacianPencil(heavy, mass);
  // The weights of a graph are scaled by a power of two, so that none is far from 1.
  const scale = without.degrees[0] / diagonal[0];
  assert.ok(Number.isInteger(Math.log2(scale)) && scale > 2 ** 40, `${scale}`);
  assert.equal(diagonal.map((entry) => scale * entry), without.degrees); // oxfmt-ignore
});

test('eigenpairs are those of the dense matrix, for degrees and for other masses', () => {
  const random = new Random(5);
  for (const [name, graph] of Object.entries(graphs)) {
    const drawn = Float64Array.from({ length: graph.size }, () => random.uniform(0.5, 2));
    for (const mass of [graph.degrees, drawn]) {
      const expected = denseValues(graph, mass);
      const { values, vectors, residuals, converged } = solve(graph, 7, mass, true);
      assert.ok(converged, name);
      for (let k = 0; k < 7; k++) {
        assert.ok(Math.abs(values[k] - expected[k]) < 1e-10, `${name} ${k}: ${values[k]} ${expected[k]}`);
        assert.ok(residuals[k] < 1e-9, name);
        for (let j = 0; j <= k; j++) {
          let product = 0;
          for (let i = 0; i < graph.size; i++) product += vectors.at(i, j) * vectors.at(i, k);
          assert.ok(Math.abs(product - (j === k ? 1 : 0)) < 1e-9, `${name} ${j} ${k}`);
        }
      }
    }
  }
});

test('a tiny eigenvalue keeps its relative accuracy, and thirty solves suffice', async () => {
  const graph = await buildGraph(twoMoons({ n: 3000 }).points, { kind: 'knn', neighbors: 10 });
  const { values, products, converged } = solve(graph, 4);
  assert.ok(converged && products < 60, `${products}`);
  const census = countUp(graph, values, new Float64Array(4));
  assert.equal([census.verdict, census.counted], ['complete', 4]);
  const weak = graphOfEdges(100, [...ring(50), ...ring(50, 50), [0, 50, 1e-7]]);
  const found = solve(weak, 2).values[1];
  const expected = denseValues(weak, weak.degrees)[1];
  assert.ok(Math.abs(found / 2e-9 - 1) < 0.01 && Math.abs(found - expected) < 1e-13, `${found} ${expected}`);
});

test('small graphs and weak links have all pairs', () => {
  for (const size of [2, 3, 10, 36]) {
    const complete = Array.from({ length: size ** 2 }, (_, i): Edge => [Math.floor(i / size), i % size, 1 + (i % 3)]);
    const graph = graphOfEdges(size, complete);
    const expected = denseValues(graph, graph.degrees);
    for (const count of new Set([2, Math.ceil(size / 2), size])) {
      const { values, converged } = solve(graph, count);
      assert.ok(converged, `${size} ${count}`);
      for (let j = 0; j < count; j++) assert.ok(Math.abs(values[j] - expected[j]) < 1e-12, `${size} ${count} ${j}`);
    }
  }
  const grids = [0, 64, 128].flatMap((first) => grid(8, 8).map(([i, j]): Edge => [first + i, first + j]));
  for (const weak of [1e-3, 1e-6]) {
    const graph = graphOfEdges(192, [...grids, [0, 64, weak], [5, 135, 0.3 * weak]]);
    const expected = denseValues(graph, graph.degrees);
    for (const count of [4, 10]) {
      const { values, converged } = solve(graph, count, graph.degrees, true);
      assert.ok(converged, `${weak} ${count}`);
      for (let j = 0; j < count; j++) assert.ok(Math.abs(values[j] - expected[j]) < 1e-12, `${weak} ${count} ${j}`);
    }
  }
});

const rim = 2000;
const wheel = (first: number, spoke = 1): Edge[] => [
  ...ring(rim, first + 1),
  ...Array.from({ length: rim }, (_, i): Edge => [first, first + 1 + i, spoke]),
];
/** Eigenvalues of a wheel, each twice: a node of the rim has two neighbors there and the hub. */
const crowd = (j: number): number => 1 - (2 / 3) * Math.cos((2 * Math.PI * j) / rim);

test('eigenvalues that crowd far above 0 are found from a closer shift', () => {
  const one = solve(graphOfEdges(rim + 1, wheel(0)), 7);
  assert.ok(one.converged && one.products < 600, `${one.products}`);
  const expected = [0, ...[1, 1, 2, 2, 3, 3].map(crowd)];
  for (let k = 0; k < 7; k++) assert.ok(Math.abs(one.values[k] - expected[k]) < 1e-12, `${k}: ${one.values[k]}`);

  // The pair of a weak link and the crowd of the first wheel are below that of the second.
  const graph = graphOfEdges(2 * rim + 2, [...wheel(0), ...wheel(rim + 1, 1 + 1e-6), [0, rim + 1, 1e-6]]);
  const two = solve(graph, 9);
  const census = countUp(graph, two.values, two.residuals);
  assert.ok(two.converged && two.products < 1000, `${two.products}`);
  assert.is(census.verdict, 'complete');
});

test('a closer shift has nothing below it but what was found', () => {
  const graph = graphOfEdges(rim + 1, wheel(0));
  const pencil = laplacianPencil(graph, graph.degrees);
  const analysis = runSync(analyzeGraphSteps(graph))!;
  const pairs = [1, 1, 2, 2, 3, 3].map((j) => ({ value: crowd(j), residual: 0 }));
  const negativeAt = (missing: number, accepted: number): [below: boolean, negative: number] => {
    const [known, others] = [pairs.slice(0, accepted), pairs.slice(missing)];
    const found = runSync(closerShiftSteps(pencil, analysis, 0, 1, [...known, ...others], known))!;
    found.factor.close();
    return [found.shift < crowd(1), found.factor.negative];
  };
  assert.equal(negativeAt(0, 0), [true, 1]);
  assert.equal(negativeAt(4, 4), [false, 5], 'above pairs that were accepted');
  assert.equal(negativeAt(4, 0), [true, 1], 'four eigenvalues below were not found');
  assert.is(runSync(closerShiftSteps(pencil, analysis, crowd(1) - 1e-7, 1, pairs, [])), null, 'not much closer');
});

test('the count says complete where all were found, also if the last eigenvalue has more copies', () => {
  for (const [name, graph] of Object.entries(graphs)) {
    const values = denseValues(graph, graph.degrees).map((value) => Math.max(0, value));
    for (let k = 1; k < 12; k++) {
      const census = countUp(graph, values.subarray(0, k), new Float64Array(k).fill(1e-12));
      assert.is(census.verdict, 'complete', `${name} ${k}: ${JSON.stringify(census)}`);
      assert.is(census.counted, census.found, name);
    }
  }
});

test('the count finds what is missing: a copy, a pair before the last, a component', () => {
  const residuals = new Float64Array(12).fill(1e-12);
  const without = (graph: Graph, missing: number, k: number): Census => {
    const values = Array.from(denseValues(graph, graph.degrees), (value) => Math.max(0, value));
    values.splice(missing, 1);
    return countUp(graph, values.slice(0, k), residuals.subarray(0, k));
  };
  for (const [name, missing, k] of [
    ['ring', 2, 5],
    ['grid', 4, 7],
    ['three rings', 2, 6],
  ] as const) {
    const { verdict, counted, found } = without(graphs[name], missing, k);
    assert.is(verdict, 'missing', name);
    assert.is(counted, found + 1, name);
  }
});

test('the count finds what is missing among many eigenvalues that are close to each other', () => {
  const [size, k] = [4000, 1999];
  const graph = graphOfEdges(size, ring(size));
  const values = Array.from({ length: size }, (_, i) => 1 - Math.cos((2 * Math.PI * i) / size)).toSorted(
    (a, b) => a - b,
  );
  const residuals = new Float64Array(k).fill(1e-13);
  const all = countUp(graph, values.slice(0, k), residuals);
  assert.equal([all.verdict, all.counted, all.found], ['complete', k, k]);
  const { verdict, counted, found } = countUp(graph, values.toSpliced(1000, 1).slice(0, k), residuals);
  assert.equal([verdict, counted], ['missing', found + 1]);
});

test('residuals that are too large leave the question open, and never prove', () => {
  const graph = graphs.grid;
  const values = denseValues(graph, graph.degrees).subarray(0, 6);
  const missing = Float64Array.of(...values.subarray(0, 3), ...values.subarray(4));
  const { verdict } = countUp(graph, missing, new Float64Array(5).fill(0.2));
  assert.is(verdict, 'open');
  assert.is(countUp(graph, values.subarray(0, 1), Float64Array.of(1e-12)).verdict, 'complete');
});

test('a shift at an eigenvalue is moved, which the report says', () => {
  // The eigenvalue 1 of a star is repeated, and a pivot vanishes there.
  const star = graphOfEdges(
    40,
    Array.from({ length: 39 }, (_, i): Edge => [0, i + 1]),
  );
  const values = denseValues(star, star.degrees)
    .subarray(0, 5)
    .map((value) => Math.max(0, value));
  const exactly = values[4] / 1.001;
  const census = countUp(star, [values[0], exactly], new Float64Array(2));
  assert.ok(census.moved > 0, JSON.stringify(census));
});

test('all pairs of components are exact', () => {
  const { values, residuals, products, converged } = solve(graphs['three rings'], 3);
  assert.equal([...values, ...residuals, products, converged], [0, 0, 0, 0, 0, 0, 0, true]);
});

test.run();
