/** The solver gives right results with zero or negative eigenvalues, low rank or few rows. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Graph, graphFrom, Random, SpectralEmbedding, spectrum, type Tensor } from '../../lib/index.ts';
import { laplacianEigenmap } from '../../lib/doors/embedding.ts';
import { Mlp } from '../../lib/doors/network.ts';
import { rayleighRitz, type Solution, solve, train } from '../../lib/doors/solver.ts';
import { fromDense } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { pencilOf } from '../../lib/spectral/pencil/pencil.ts';
import { f2Of } from '../../lib/spectral/ritz/quality.ts';
import { graphOfEdges, moonGraph } from './graphs.ts';
import { paperF2, pencil, randomGraph } from './paper.ts';

const test = suite('degenerate graphs');

/** Weights by a formula, without zeros. */
function graphBy(n: number, weight: (i: number, j: number) => number): Graph {
  const weights = zeros([n, n], 'double');
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) weights.data[i * n + j] = weight(i, j);
  return graphFrom(fromDense(weights));
}

const path = (n: number): Graph =>
  graphOfEdges(
    n,
    Array.from({ length: n - 1 }, (_, i) => [i, i + 1] as const),
  );

/** Blocks of weight 1, with 0.01 between them: there are as many nonzero eigenvalues as blocks. */
const blocks = (n: number, count: number): Graph => graphBy(n, (i, j) => (i % count === j % count ? 1 : 0.01));

/** Checks convergence, values to 1e-7, and that every vector is orthogonal to the trivial one. */
async function isTrue(name: string, graph: Graph, { eigenvalues, eigenvectors, converged }: Solution): Promise<void> {
  const components = eigenvalues.length;
  const truth = (await spectrum(graph, { count: components + 1 })).values;
  assert.ok(converged, name);
  for (let j = 0; j < components; j++) {
    assert.ok(Math.abs(eigenvalues[j] - truth[j + 1]) < 1e-7, `${name}: ${eigenvalues[j]}, not ${truth[j + 1]}`);
    let [mean, square] = [0, 0];
    for (let i = 0; i < graph.size; i++) {
      mean += graph.degrees[i] * eigenvectors.at(i, j);
      square += graph.degrees[i] * eigenvectors.at(i, j) ** 2;
    }
    assert.ok(Math.abs(mean) < 1e-9 * Math.sqrt(graph.volume * square), `${name}: vector ${j} has mean ${mean}`);
  }
}

test('a graph of one node is refused by all that need nontrivial eigenvectors, with that reason', async () => {
  const one = graphBy(1, () => 1);
  const points = zeros([1, 2]);
  const calls: Record<string, () => unknown> = {
    solve: () => solve(one, { components: 1 }),
    train: () => train(one, new Mlp([2, 4, 1]), points),
    laplacianEigenmap: async () => await laplacianEigenmap(one, { components: 1 }),
    'SpectralEmbedding.fit': () => new SpectralEmbedding({ components: 1 }).fit(points, { graph: one }),
  };
  for (const [caller, call] of Object.entries(calls)) {
    let message = 'no error';
    try {
      // oxlint-disable-next-line no-await-in-loop -- refused at once
      await call();
    } catch (error) {
      ({ message } = error as Error);
    }
    const reason = 'expected a graph of at least two nodes, got 1. A graph of one node has no nontrivial eigenvector.';
    assert.is(message, `${caller}: ${reason}`);
  }
  assert.equal([...(await solve(one, { components: 1, deflate: false })).eigenvalues], [1]);
});

test('the deflated trivial vector, with eigenvalue 0, does not replace an eigenvector with a negative eigenvalue', async () => {
  const pair = graphOfEdges(2, [[0, 1]]);
  await isTrue('pair', pair, await solve(pair, { components: 1, step: 0.2 }));
  const five = graphBy(5, (i, j) => Number(i !== j));
  await isTrue('five', five, await solve(five, { components: 1, step: 0.5 }));
  await isTrue('five', five, await solve(five, { components: 4, method: 'specnet1', step: 0.2 }));
  const ten = graphBy(10, () => 1);
  await isTrue('ten', ten, await solve(ten, { components: 1 }));
});

test('Rayleigh-Ritz leaves the trivial part of the rows out of the pairs, and counts it in f2', () => {
  const { graph, w } = randomGraph('trivial part', 20);
  const y = zeros([20, 2], 'double');
  new Random('rows').fillNormal(y.data, 3);
  const rows = Array.from({ length: 20 }, (_, i) => [y.at(i, 0), y.at(i, 1)]);
  for (const kind of ['random-walk', 'symmetric'] as const) {
    for (const deflate of [true, false]) {
      const { f2, eigenvectors } = rayleighRitz(graph, y, { pencil: kind, deflate });
      const expected = paperF2(pencil(w, kind, deflate), rows);
      assert.ok(Math.abs(f2 - expected) < 1e-12 * Math.abs(expected), `${kind}: ${f2} ${expected}`);
      const plain = f2Of(pencilOf('spec', graph, kind, deflate, 'double'), y);
      assert.ok(Math.abs(plain - expected) < 1e-12 * Math.abs(expected), `${kind}: ${plain} ${expected}`);
      const mean = graph.degrees.reduce((sum, degree, i) => sum + degree * eigenvectors.at(i, 0), 0);
      if (deflate) assert.ok(Math.abs(mean) < 1e-10 * graph.volume * 20, `${mean}`);
    }
  }
});

test('a constant column holds no pair, and is refused', () => {
  const constant: Tensor = zeros([6, 1], 'double');
  constant.data.fill(0.7);
  assert.throws(
    () => rayleighRitz(path(6), constant),
    /rayleighRitz: expected columns that hold more than the trivial/,
  );
  assert.ok(Math.abs(rayleighRitz(path(6), constant, { deflate: false }).eigenvalues[0] - 1) < 1e-14);
});

test("'auto' finds eigenvalues that are zero, on graphs of low rank", async () => {
  const random = new Random('places');
  const places = Array.from({ length: 5 }, () => [random.uniform(0, 2), random.uniform(0, 2)]);
  const near = (i: number, j: number): number => {
    const [[a, b], [c, d]] = [places[i % 5], places[j % 5]];
    return Math.exp(-((a - c) ** 2) - (b - d) ** 2);
  };
  const cases: [name: string, graph: Graph, components: number][] = [
    ['path of 3', path(3), 1],
    ['path of 3, both', path(3), 2],
    ['path of 6', path(6), 5],
    ['3 blocks', blocks(30, 3), 2],
    ['3 blocks, more', blocks(30, 3), 5],
    ['4 blocks', blocks(120, 4), 3],
    ['4 blocks, more', blocks(120, 4), 6],
    ['5 places', graphBy(200, near), 6],
  ];
  for (const [name, graph, components] of cases) {
    for (const options of [
      {},
      { order: 'random' },
      { batch: Math.ceil(graph.size / 3) },
      { method: 'specnet1' },
    ] as const) {
      await isTrue(`${name} ${JSON.stringify(options)}`, graph, await solve(graph, { components, ...options }));
    }
  }
});

test('SpecNet1 in small batches stays at YᵀDY = n²I for as long as one likes', async () => {
  for (const [graph, components, batch, epochs] of [
    [path(6), 5, 2, 60],
    [await moonGraph(1, 300), 6, 10, 200],
  ] as const) {
    const options = { components, method: 'specnet1', step: 0.2, batch, epochs, tolerance: 0 } as const;
    const { state } = await solve(graph, options);
    const { cols, rows: n, data } = state.rows;
    for (let a = 0; a < cols; a++) {
      for (let b = 0; b < cols; b++) {
        let sum = 0;
        for (let i = 0; i < n; i++) sum += graph.degrees[i] * data[i * cols + a] * data[i * cols + b];
        assert.ok(Math.abs(sum / n / n - Number(a === b)) < 1e-9, `${n}: ${sum / n / n}`);
      }
    }
  }
});

test('a remainder of rows too few for their columns joins the batch before it', async () => {
  const { graph } = randomGraph('remainder', 31);
  const options = { components: 2, method: 'specnet1', scheme: 'local', step: 0.05, tolerance: 0 } as const;
  const { trace } = await solve(graph, { ...options, batch: 10, epochs: 3 });
  assert.is(trace.length, 3);
});

test('weights whose products or single numbers leave the range of floats', async () => {
  const { w } = randomGraph('range', 30);
  const scaled = (factor: number): Graph => graphBy(30, (i, j) => factor * w[i][j]);
  for (const factor of [1e-200, 1e200]) {
    const large = scaled(factor);
    await isTrue(`${factor}`, large, await solve(large, { components: 2, pencil: 'symmetric', scheme: 'full' }));
  }
  const small = scaled(1e-60);
  isTrue('1e-60', small, await solve(small, { components: 2 }));
  const uneven = graphBy(3, (i, j) => (i + j === 1 ? 1 : i + j === 3 ? 1e-60 : 0));
  const refused = await solve(uneven, { components: 1, precision: 'single' }).catch((error: Error) => error);
  assert.match((refused as Error).message, /^solve: expected weights that single precision can hold, got 1e-60/);
});

test.run();
