import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildGraph, type Graph, graphFrom, Random, Tensor } from '../../lib/index.ts';
import { type GraphOperator, laplacian } from '../../lib/doors/graph.ts';
import { symmetricEigen } from '../../lib/doors/linalg.ts';
import { fromTriplets, identity } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { denseOf } from '../sparse/reference.ts';
import { uniformPoints } from './reference.ts';

const test = suite('laplacian');

/** A·x entry by entry. */
function applied(operator: GraphOperator, x: Float64Array): Float64Array {
  const y = new Float64Array(operator.size).fill(NaN);
  operator.apply(x, y);
  return y;
}

const near = (a: number, b: number, scale = 1): void =>
  assert.ok(Math.abs(a - b) <= 1e-13 * Math.max(scale, Math.abs(b)), `${a} and ${b}`);

/** Rows of every length from 1 to many, in both precisions. */
async function graphs(): Promise<Graph[]> {
  const random = new Random('laplacian');
  const single = await buildGraph(uniformPoints(random, 90, 2), { kind: 'gaussian', sigma: 0.1, threshold: 0.3 });
  return [single, graphFrom(single.weights.copy('double'))];
}

test('all three are their dense formulas', async () => {
  for (const graph of await graphs()) {
    const w = denseOf(graph.weights);
    const d = graph.degrees;
    const formulas = {
      'random-walk': (i: number, j: number) => w[i][j] / Math.sqrt(d[i] * d[j]),
      symmetric: (i: number, j: number) => Number(i === j) - w[i][j] / Math.sqrt(d[i] * d[j]),
      unnormalized: (i: number, j: number) => (i === j ? d[i] : 0) - w[i][j],
    } as const;
    const x = new Float64Array(graph.size);
    new Random('x').fillNormal(x);
    for (const kind of ['random-walk', 'symmetric', 'unnormalized'] as const) {
      const operator = laplacian(graph, kind);
      assert.is(operator.size, graph.size);
      applied(operator, x).forEach((value, i) => {
        near(
          value,
          w.reduce((sum, _, j) => sum + formulas[kind](i, j) * x[j], 0),
          100,
        );
      });
    }
  }
});

test('W·1 = degrees, constants are in the kernel of D − W, and D^½·1 belongs to the eigenvalue 1 of D^-½WD^-½', async () => {
  for (const graph of await graphs()) {
    const ones = new Float64Array(graph.size).fill(1);
    const roots = graph.degrees.map(Math.sqrt);
    applied(laplacian(graph, 'unnormalized'), ones).forEach((value, i) => near(value, 0, graph.degrees[i]));
    applied(laplacian(graph), roots).forEach((value, i) => near(value, roots[i]));
    applied(laplacian(graph, 'symmetric'), roots).forEach((value, i) => near(value, 0, roots[i]));
  }
});

test('restored eigenvectors are those of D⁻¹W, with the same eigenvalues from 1 down', async () => {
  const [graph] = await graphs();
  const operator = laplacian(graph, 'random-walk');
  assert.is(operator.smooth, 'largest');
  const n = graph.size;
  const matrix = zeros([n, n], 'double');
  for (let j = 0; j < n; j++) {
    const unit = new Float64Array(n);
    unit[j] = 1;
    applied(operator, unit).forEach((value, i) => (matrix.data[i * n + j] = value));
  }
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) near(matrix.at(i, j), matrix.at(j, i));
  const { values, vectors } = symmetricEigen(matrix);
  const psi = operator.restore(vectors);
  assert.is(psi.precision, 'double');
  const w = denseOf(graph.weights);
  near(Math.max(...values), 1);
  for (let k = 0; k < n; k++) {
    for (let i = 0; i < n; i++) {
      const walked = w[i].reduce((sum, weight, j) => sum + weight * psi.at(j, k), 0) / graph.degrees[i];
      assert.ok(Math.abs(walked - values[k] * psi.at(i, k)) < 1e-12);
    }
  }
  const untouched = laplacian(graph, 'symmetric').restore(vectors);
  assert.equal(untouched.data, vectors.data);
  assert.is.not(untouched.data, vectors.data);
  assert.is(laplacian(graph, 'symmetric').smooth, 'smallest');
  assert.is(laplacian(graph, 'unnormalized').smooth, 'smallest');
});

test('a single vector is restored as one', async () => {
  const [graph] = await graphs();
  const psi = laplacian(graph).restore(new Tensor(graph.degrees.map(Math.sqrt), [graph.size]));
  assert.equal(psi.shape, [graph.size]);
  psi.data.forEach((value) => near(value, 1));
});

test('two operators of one graph do not notice each other', async () => {
  const [graph] = await graphs();
  const [a, b] = [laplacian(graph), laplacian(graph)];
  const x = graph.degrees.map(Math.sqrt);
  const first = applied(a, x);
  applied(b, new Float64Array(graph.size));
  assert.equal(applied(a, x), first);
});

test('isolated nodes are refused where D⁻¹ is needed, counted and named', () => {
  const pair = graphFrom(fromTriplets({ rows: [1, 3], columns: [3, 1], values: [1, 1] }, [9, 9]));
  assert.throws(
    () => laplacian(pair),
    /laplacian: expected no isolated nodes, got 7 of degree 0 \(0, 2, 4, 5, 6, …\)\. Leave them out, or build the graph with more/,
  );
  assert.throws(() => laplacian(pair, 'symmetric'), /7 of degree 0/);
  assert.equal([...applied(laplacian(pair, 'unnormalized'), new Float64Array(9).fill(2))], new Array(9).fill(0));
  const one = graphFrom(fromTriplets({ rows: [0], columns: [0], values: [1] }, [2, 2]));
  assert.throws(() => laplacian(one), /got 1 of degree 0 \(1\)\./);
});

test('wrong kinds and lengths are refused', () => {
  const graph = graphFrom(identity(3));
  assert.throws(
    () => laplacian(graph, 'unnormalised' as never),
    /laplacian: expected kind to be 'random-walk' or 'symmetric' or 'unnormalized', got unnormalised/,
  );
  for (const kind of ['random-walk', 'symmetric', 'unnormalized'] as const) {
    const operator = laplacian(graph, kind);
    assert.throws(
      () => operator.apply(new Float64Array(3), new Float64Array(2)),
      /GraphOperator\.apply: expected vectors of length 3, got 3 and 2/,
    );
    assert.throws(
      () => operator.restore(zeros([2, 1])),
      /GraphOperator\.restore: expected 3 rows, one for each node, got 2/,
    );
  }
});

test.run();
