import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rejects } from '../rejects.ts';
import { buildGraph, type Graph, Random, setThreads, simdStatus } from '../../lib/index.ts';
import { type MultilevelOptions, type MultilevelResult, principalAngles } from '../../lib/doors/linalg.ts';
import * as door from '../../lib/doors/linalg.ts';
import { swissRoll, twoMoons } from '../../datasets/index.ts';
import { denseValues, type Edge, graphOfEdges, grid, hubGraph, path, withSatellites } from './graphs.ts';
import { laplacian } from '../../lib/doors/graph.ts';
import { runSync } from '../../lib/core/task.ts';
import { kernelMemory } from '../../lib/wasm/simd.ts';
import { lanczosSteps } from '../../lib/linalg/lanczos/lanczos.ts';
import { multilevelSteps, tryMultilevelSteps } from '../../lib/linalg/multilevel/multilevel.ts';

const test = suite('multilevel');

/** Without a pause. */
const solve = (graph: Graph, options: MultilevelOptions): MultilevelResult => runSync(multilevelSteps(graph, options));

const worst = (x: ArrayLike<number>, y: ArrayLike<number>): number =>
  Math.max(...Array.from(x, (value, k) => Math.abs(value - y[k])));

/** The same pairs by Lanczos, with eigenvalues of I − D^-½WD^-½. */
function byLanczos(graph: Graph, count: number, tolerance: number) {
  const found = runSync(lanczosSteps(laplacian(graph), { count, tolerance, productLimit: 100_000 }));
  assert.ok(found.converged);
  return { ...found, values: found.values.map((value) => 1 - value) };
}

test('the eigenvalues of small graphs are those of the dense matrix', () => {
  const random = new Random(1);
  const weighted = grid(16, 21).map(([i, j]) => [i, j, random.uniform(0.2, 1)] as const);
  for (const graph of [graphOfEdges(336, weighted), graphOfEdges(300, path(300))]) {
    const found = solve(graph, { count: 7, tolerance: 1e-10 });
    assert.is(found.method, 'multilevel');
    assert.ok(found.converged && found.levels.length > 1, `${found.levels}`);
    assert.is(found.complete, 'probed');
    assert.ok(worst(found.values, denseValues(graph)) < 1e-12, `${found.values}`);
    assert.ok(Math.max(...found.residuals) <= 1e-10);
  }
});

test('a mass of one gives the eigenvalues of D − W, nodes without edges included', () => {
  const graph = graphOfEdges(303, grid(15, 20));
  const mass = new Float64Array(303).fill(1);
  const found = solve(graph, { count: 8, mass, tolerance: 1e-9 });
  assert.ok(found.converged);
  const all = denseValues(graph, mass);
  assert.ok(worst(found.values, all) < 1e-10, `${found.values} ${all.subarray(0, 8)}`);
});

test('on graphs of points it finds the pairs that Lanczos finds', async () => {
  const moons = await buildGraph(twoMoons({ n: 3000 }).points, { kind: 'knn', neighbors: 12 });
  const roll = await buildGraph(swissRoll({ n: 4000 }).points, { kind: 'knn-gaussian', neighbors: 10 });
  for (const graph of [moons, roll]) {
    const found = solve(graph, { count: 6, tolerance: 1e-9 });
    const expected = byLanczos(graph, 6, 1e-10);
    assert.ok(found.converged && found.complete === 'probed');
    assert.ok(worst(found.values, expected.values) < 1e-12, `${found.values} ${expected.values}`);
    const angles = principalAngles(found.vectors, expected.vectors);
    assert.ok(Math.max(...angles) < 1e-4, `${angles}`);
    assert.ok(found.products < 250 && found.products < expected.products / 2, `${found.products} ${expected.products}`);
  }
});

test('eigenvectors are orthonormal, and residuals are true', () => {
  const graph = graphOfEdges(2500, grid(50, 50));
  const { values, vectors, residuals } = solve(graph, { count: 6, tolerance: 1e-8 });
  const operator = laplacian(graph, 'symmetric');
  const columns = Array.from({ length: 6 }, (_, k) =>
    Float64Array.from({ length: 2500 }, (__, i) => vectors.data[i * 6 + k]),
  );
  for (const [k, x] of columns.entries()) {
    for (const [l, y] of columns.entries()) {
      const product = x.reduce((sum, entry, i) => sum + entry * y[i], 0);
      assert.ok(Math.abs(product - (k === l ? 1 : 0)) < 1e-11, `${k} ${l} ${product}`);
    }
    const y = new Float64Array(2500);
    operator.apply(x, y);
    const residual = Math.sqrt(y.reduce((sum, entry, i) => sum + (entry - values[k] * x[i]) ** 2, 0));
    assert.ok(Math.abs(residual - residuals[k]) < 1e-13, `${residual} ${residuals[k]}`);
  }
});

test('repeated eigenvalues are found as often as they occur', () => {
  // A square torus has eigenvalues of multiplicity four.
  const side = 40;
  const torus = Array.from({ length: side * side }, (_, i): Edge[] => [
    [i, i - (i % side) + ((i + 1) % side)],
    [i, (i + side) % (side * side)],
  ]).flat();
  const graph = graphOfEdges(side * side, torus);
  const exact = Array.from({ length: side * side }, (_, i) => {
    const [p, q] = [i % side, Math.floor(i / side)].map((f) => Math.cos((2 * Math.PI * f) / side));
    return 1 - (p + q) / 2;
  }).toSorted((a, b) => a - b);
  for (const count of [4, 5, 7, 9]) {
    const found = solve(graph, { count, tolerance: 1e-9 });
    assert.ok(found.converged);
    assert.ok(worst(found.values, exact) < 1e-12, `${count}: ${found.values}`);
  }
});

test('the vectors of components are exact, the constant first', () => {
  const edges = [...grid(14, 14), ...path(120, 196), ...path(3, 316)];
  const graph = graphOfEdges(319, edges);
  const few = solve(graph, { count: 2 });
  assert.equal([...few.values], [0, 0]);
  assert.is(few.complete, 'proved');
  assert.is(few.products, 0);
  const found = solve(graph, { count: 6, tolerance: 1e-10 });
  assert.ok(found.converged);
  assert.ok(worst(found.values, denseValues(graph)) < 1e-12, `${found.values}`);
  assert.equal([...found.values.subarray(0, 3)], [0, 0, 0]);
  for (const { vectors } of [few, found]) {
    const { cols } = vectors;
    for (let k = 0; k < Math.min(3, cols); k++) {
      const heights = Array.from(graph.degrees, (degree, i) => vectors.data[i * cols + k] / Math.sqrt(degree));
      if (k === 0) assert.ok(heights.every((height) => Math.abs(height - graph.volume ** -0.5) < 1e-15));
      const first = graph.components.labels.map((label) => graph.components.labels.indexOf(label));
      assert.ok(heights.every((height, i) => height - heights[first[i]] < 1e-15));
    }
  }
});

test('components without wanted eigenvectors vanish from coarser levels', () => {
  const cliques = Array.from({ length: 200 }, (_, c): Edge[] => [
    [3 * c, 3 * c + 1],
    [3 * c, 3 * c + 2],
    [3 * c + 1, 3 * c + 2],
  ]).flat();
  const shifted = grid(15, 20).map(([i, j]) => [i + 600, j + 600] as const);
  const found = solve(graphOfEdges(900, [...cliques, ...shifted]), { count: 204, tolerance: 1e-9 });
  assert.ok(found.converged && found.levels.length > 1);
  const expected = denseValues(graphOfEdges(300, grid(15, 20)));
  assert.ok(worst(found.values.subarray(201), expected.subarray(1, 4)) < 1e-12, `${found.values.subarray(199)}`);
});

test('satellites on weak edges are found; without the threshold some are missed', () => {
  const graph = withSatellites(50, 6, 1e-5);
  const expected = byLanczos(graph, 8, 1e-11).values;
  const error = ({ values }: MultilevelResult): number => worst(values, expected) / expected[1];
  const found = solve(graph, { count: 8, tolerance: 1e-5 });
  assert.ok(found.converged);
  assert.ok(error(found) < 1e-3, `${found.values} ${expected}`);
  const planted = runSync(tryMultilevelSteps(graph, { count: 8, tolerance: 1e-5 }, { threshold: 0 }));
  // All residuals are small, and yet one pair is missing: the probe does not find them all.
  assert.ok(!('refused' in planted) && planted.converged);
  assert.ok(error(planted) > 100, `${planted.values} ${expected}`);
});

test('the neighbors of a hub are merged with each other', () => {
  // Stars in a row: of every star one leaf is the hub of the next.
  const edges = Array.from({ length: 1200 }, (_, i): Edge => [300 * Math.floor(i / 300), i + 1]);
  const graph = graphOfEdges(1201, edges);
  const found = solve(graph, { count: 4, tolerance: 1e-9 });
  assert.ok(found.converged && found.method === 'multilevel' && found.levels.length > 1);
  assert.ok(worst(found.values, byLanczos(graph, 4, 1e-10).values) < 1e-12, `${found.values}`);
});

test('a graph whose levels fill in is left to Lanczos', () => {
  const graph = hubGraph(12_000);
  const refused = runSync(tryMultilevelSteps(graph, { count: 3 }));
  assert.ok('refused' in refused && refused.refused === 'fill');
  const found = solve(graph, { count: 3, tolerance: 1e-8 });
  assert.is(found.method, 'lanczos');
  assert.ok(found.converged);
  assert.ok(worst(found.values, byLanczos(graph, 3, 1e-9).values) < 1e-9, `${found.values}`);
});

test('a long path, on which Lanczos needs tens of thousands of products', () => {
  const size = 20_000;
  const found = solve(graphOfEdges(size, path(size)), { count: 4, tolerance: 1e-10 });
  assert.ok(found.converged);
  // Eigenvalues of a path with this normalization: 1 − cos(πk/(n − 1)).
  for (let k = 1; k < 4; k++) {
    const exact = 2 * Math.sin((Math.PI * k) / (size - 1) / 2) ** 2;
    assert.ok(Math.abs(found.values[k] / exact - 1) < 1e-5, `${k}: ${found.values[k]} ${exact}`);
    assert.ok(found.errors[k] < 1e-4);
  }
});

test('the same seed gives the same bits', () => {
  const graph = graphOfEdges(1600, grid(40, 40));
  const [first, second] = [0, 1].map(() => solve(graph, { count: 4, seed: 7 }));
  assert.equal(first.vectors.data, second.vectors.data);
  assert.equal(first.values, second.values);
});

test('the same bits on any number of threads, for a graph of several chunks', () => {
  const graph = graphOfEdges(130 * 130, grid(130, 130));
  const before = simdStatus();
  const results = [1, 2, 3].map((threads) => {
    setThreads(threads);
    return solve(graph, { count: 4, tolerance: 1e-6 });
  });
  setThreads(before.enabled ? before.threads : 1);
  const [one, ...others] = results;
  assert.ok(one.converged && one.levels[0] === 16_900);
  for (const { values, vectors, products } of others) {
    assert.equal([...values], [...one.values]);
    assert.is(products, one.products);
    assert.ok(vectors.data.every((entry, at) => entry === one.vectors.data[at]));
  }
});

test('the order of the nodes does not matter, and vectors come in that of the graph', () => {
  const edges = grid(130, 130);
  const graph = graphOfEdges(16_900, edges);
  const shuffled = new Random(5).permutation(16_900);
  const other = graphOfEdges(
    16_900,
    edges.map(([i, j]) => [shuffled[i], shuffled[j]]),
  );
  const [found, again] = [graph, other].map((each) => solve(each, { count: 3, tolerance: 1e-9 }));
  assert.ok(found.converged && again.converged);
  assert.ok(worst(found.values, again.values) < 1e-13);
  // The first two nontrivial eigenvalues of a square are equal: their plane is compared by its projector at some pairs of nodes.
  const projector = ({ vectors }: MultilevelResult, i: number, j: number): number =>
    vectors.at(i, 1) * vectors.at(j, 1) + vectors.at(i, 2) * vectors.at(j, 2);
  for (let i = 0; i < 16_900; i += 997) {
    const [here, there] = [projector(found, i, 77), projector(again, shuffled[i], shuffled[77])];
    assert.ok(Math.abs(here - there) < 1e-7, `${i}: ${here} ${there}`);
  }
});

test('memory of the kernels is given back at the end, and when a search is abandoned', () => {
  const graph = graphOfEdges(2500, grid(50, 50));
  const memory = kernelMemory()!;
  const { take, give } = memory;
  const taken = new Set<number>();
  memory.take = (bytes) => {
    const address = take.call(memory, bytes);
    taken.add(address);
    return address;
  };
  memory.give = (address) => {
    taken.delete(address);
    give.call(memory, address);
  };
  try {
    solve(graph, { count: 3 });
    assert.is(taken.size, 0);
    const task = multilevelSteps(graph, { count: 3 });
    for (let step = 0; step < 40; step++) task.next();
    assert.ok(taken.size > 10, `${taken.size}`);
    task.return(undefined as never);
    assert.is(taken.size, 0);
  } finally {
    Object.assign(memory, { take, give });
  }
});

test('a limit on products, or a tolerance beyond rounding, is reported', () => {
  const graph = graphOfEdges(1600, grid(40, 40));
  const limited = solve(graph, { count: 4, productLimit: 20 });
  assert.not(limited.converged);
  assert.is(limited.complete, 'unknown');
  assert.ok(limited.residuals.some((residual) => residual > 1e-10));
  const impossible = solve(graph, { count: 4, tolerance: 1e-18 });
  assert.not(impossible.converged);
  assert.ok(impossible.products < 1000, `${impossible.products}`);
});

test('it reports progress and can be aborted', async () => {
  // The steps that are left after the first one take much longer than the 50 ms until the signal is read.
  const graph = graphOfEdges(62_500, grid(250, 250));
  const states: number[] = [];
  const controller = new AbortController();
  const fractions: number[] = [];
  await rejects(
    () =>
      door.multilevel(graph, {
        count: 4,
        signal: controller.signal,
        progress: (fraction) => fractions.push(fraction),
        onIteration({ products, converged, residuals }) {
          states.push(products);
          assert.ok(converged >= 0 && residuals.length === 3);
          controller.abort(new Error('enough'));
        },
      }),
    /^enough$/,
  );
  assert.ok(states.length >= 1, `${states}`);
  assert.ok(
    fractions.every((fraction, i) => fraction >= 0 && fraction <= 1 && (i === 0 || fraction >= fractions[i - 1])),
  );
});

test('wrong options are refused', async () => {
  const graph = graphOfEdges(10, path(10));
  await rejects(() => door.multilevel(graph, { count: 0 }), /^multilevel: expected count/);
  await rejects(() => door.multilevel(graph, { count: 11 }), /count to be at most 10, the number of nodes, got 11/);
  await rejects(() => door.multilevel(graph, { count: 2, tolerance: 2 }), /tolerance between 0 and 1, got 2/);
  await rejects(
    () => door.multilevel(graph, { count: 2, mass: new Float64Array(10) }),
    /positive mass of every node, got 0 at node 0/,
  );
  await rejects(() => door.multilevel(graph, { count: 2, mass: new Float64Array(9) }), /mass of 10 numbers/);
  const lonely = graphOfEdges(11, path(10));
  await rejects(() => door.multilevel(lonely, { count: 2 }), /positive mass of every node, got 0 at node 10/);
});

test.run();
