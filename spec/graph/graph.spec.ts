import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildGraph, CsrMatrix, graphFrom, Random } from '../../lib/index.ts';
import { batchNeighbors, reorder } from '../../lib/doors/graph.ts';
import { bandwidth, fromTriplets, identity, symmetrize } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { assertSame, denseOf } from '../sparse/reference.ts';
import { uniformPoints } from './reference.ts';

const test = suite('graph');

type Edge = readonly [i: number, j: number, weight: number];

/** Every edge in both directions. */
function edges(size: number, list: readonly Edge[], precision: 'single' | 'double' = 'single'): CsrMatrix {
  const both = list.flatMap(([i, j, w]) => (i === j ? [[i, j, w]] : [[i, j, w], [j, i, w]])); // oxfmt-ignore
  const [rows, columns, values] = [0, 1, 2].map((k) => both.map((edge) => edge[k]));
  return fromTriplets({ rows, columns, values }, [size, size], precision);
}

function randomGraph(random: Random, size: number, count: number): CsrMatrix {
  const list = new Map<string, Edge>();
  for (let k = 0; k < count; k++) {
    const [i, j] = [random.integer(size), random.integer(size)];
    list.set(`${Math.min(i, j)} ${Math.max(i, j)}`, [i, j, 1 + random.integer(5)]);
  }
  return edges(size, [...list.values()]);
}

/** Components by union-find, the simple way. */
function componentsByHand(matrix: CsrMatrix): number[] {
  const parent = Array.from({ length: matrix.rows }, (_, i) => i);
  const root = (i: number): number => (parent[i] === i ? i : root(parent[i]));
  for (let i = 0; i < matrix.rows; i++) {
    for (let e = matrix.starts[i]; e < matrix.starts[i + 1]; e++) {
      const [a, b] = [root(i), root(matrix.columns[e])];
      parent[Math.max(a, b)] = Math.min(a, b);
    }
  }
  const roots = parent.map((_, i) => root(i));
  const firsts = [...new Set(roots)];
  return roots.map((r) => firsts.indexOf(r));
}

test('degrees are the row sums in Float64, and volume is their sum', async () => {
  const points = uniformPoints(new Random('degrees'), 200, 3);
  const graph = await buildGraph(points, { kind: 'gaussian', sigma: 0.2 });
  const dense = denseOf(graph.weights);
  let volume = 0;
  dense.forEach((row, i) => {
    const sum = row.reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(graph.degrees[i] - sum) <= 1e-14 * sum);
    volume += sum;
  });
  assert.instance(graph.degrees, Float64Array);
  assert.ok(Math.abs(graph.volume - volume) <= 1e-12 * volume);
  assert.is(graph.size, 200);
});

test('components are those of union-find, numbered by their first nodes', () => {
  const random = new Random('components');
  for (let round = 0; round < 60; round++) {
    const size = 1 + random.integer(40);
    const { components, weights } = graphFrom(randomGraph(random, size, random.integer(size + 5)));
    const labels = componentsByHand(weights);
    assert.equal([...components.labels], labels);
    assert.is(components.count, Math.max(...labels) + 1);
    assert.equal(
      [...components.sizes],
      Array.from({ length: components.count }, (_, c) => labels.filter((label) => label === c).length),
    );
  }
});

test('isolated nodes are those without an edge; a loop is one', () => {
  const graph = graphFrom(edges(6, [[1, 2, 1], [4, 4, 2]])); // oxfmt-ignore
  assert.equal([...graph.isolated], [0, 3, 5]);
  assert.equal([...graph.degrees], [0, 1, 1, 0, 2, 0]);
  assert.is(graph.components.count, 5);
  assert.equal([...graph.components.sizes], [1, 2, 1, 1, 1]);
});

test('a graph of the user keeps its weights and its precision', () => {
  for (const precision of ['single', 'double'] as const) {
    const matrix = edges(3, [[0, 1, 0.1], [1, 2, 0.7], [2, 2, 3]], precision); // oxfmt-ignore
    const graph = graphFrom(matrix);
    assertSame(graph.weights, matrix);
    assert.equal(graph.origin, { kind: 'given' });
  }
  assert.is(graphFrom(identity(1)).components.count, 1);
});

test('stored zeros are not edges', () => {
  const zeroed = new CsrMatrix(3, 3, Int32Array.of(0, 2, 3, 3), Int32Array.of(0, 2, 1), Float32Array.of(2, 0, 1));
  const graph = graphFrom(zeroed);
  assert.equal([...graph.weights.columns], [0, 1]);
  assert.equal([...graph.isolated], [2]);
  assert.is(graph.components.count, 3);
});

test('weights that differ by rounding are taken as their mean, in both places', () => {
  const next = Math.fround(0.7 + 2 ** -24);
  const matrix = fromTriplets({ rows: [0, 1], columns: [1, 0], values: [0.7, next] }, [2, 2]);
  assert.is.not(matrix.values[0], matrix.values[1]);
  const { weights } = graphFrom(matrix);
  assert.is(weights.values[0], weights.values[1]);
  assert.ok(weights.values[0] >= Math.fround(0.7) && weights.values[0] <= next);
});

test('matrices that are not graphs are refused with the position and both values', () => {
  const wrong = (rows: number[], columns: number[], values: number[], precision: 'single' | 'double' = 'single') =>
    fromTriplets({ rows, columns, values }, [3, 3], precision);
  assert.throws(() => graphFrom(zeros([2, 2]) as never), /graphFrom: expected a CsrMatrix, got Tensor\. fromTriplets/);
  assert.throws(
    () => graphFrom(fromTriplets({ rows: [], columns: [], values: [] }, [2, 3])),
    /a square matrix, got 2×3/,
  );
  assert.throws(() => graphFrom(identity(0)), /at least one node, got none/);
  assert.throws(
    () => graphFrom(wrong([0, 1, 1, 2], [1, 0, 2, 1], [1, 1, 0.5, 0.25])),
    /graphFrom: expected a symmetric matrix, got 0\.5 at \(1, 2\) and 0\.25 at \(2, 1\)\. symmetrize\(matrix\) takes their mean\./,
  );
  assert.throws(() => graphFrom(wrong([2], [0], [4])), /got 0 at \(0, 2\) and 4 at \(2, 0\)/);
  assert.throws(() => graphFrom(wrong([0, 2], [2, 0], [1, 1 + 1e-5])), /a symmetric matrix/);
  assert.throws(() => graphFrom(wrong([0, 2], [2, 0], [1, 1 + 1e-7], 'double')), /a symmetric matrix/);
  assert.throws(() => graphFrom(wrong([0, 2], [2, 0], [-1, -1])), /weights that are not negative, got -1 at \(0, 2\)/);
});

test('weights whose sum overflows are divided by a power of two', () => {
  const path = [[0, 1, 1e308], [1, 2, 1e308]] as const; // oxfmt-ignore
  const { weights, degrees, volume, scale } = graphFrom(edges(3, path, 'double'));
  assert.is(scale, 2 ** 1023);
  assert.is(scale * weights.values[0], 1e308);
  assert.is(degrees[1], 2 * weights.values[0]);
  assert.is(volume, 4 * weights.values[0]);
});

test('mean neighborhoods of batches: by hand where all are alike, the seed decides, batches do not repeat nodes', () => {
  const ring = graphFrom(
    edges(
      50,
      Array.from({ length: 50 }, (_, i) => [i, (i + 1) % 50, 1] as const),
    ),
  );
  assert.equal(batchNeighbors(ring, [1, 50]), [3, 50]);
  const [two] = batchNeighbors(ring, [2], 'a');
  // Two nodes of a ring, the second at one of 49 other places: at distance 1, 2 or more they see 4, 5 or 6 nodes.
  const expected = (2 * 4 + 2 * 5 + 45 * 6) / 49;
  assert.ok(Math.abs(two - expected) < 0.15, `${two} and ${expected}`);
  assert.equal(batchNeighbors(ring, [2, 5], 'a')[0], two);
  assert.not.equal(batchNeighbors(ring, [2, 7, 9], 'b'), batchNeighbors(ring, [2, 7, 9], 'a'));
  assert.throws(() => batchNeighbors(ring, [51]), /batchNeighbors: expected batches of at most 50 nodes, got 51/);
  assert.throws(() => batchNeighbors(ring, [0]), /a batch size to be a whole number, at least 1/);
});

test('a reordered graph is the same graph with neighbors near each other, and rows are restored to their order', async () => {
  const random = new Random('reorder');
  const graph = await buildGraph(uniformPoints(random, 300, 2), { kind: 'knn', neighbors: 6 });
  const { graph: near, order, restore } = reorder(graph);
  assert.ok(bandwidth(near.weights) < bandwidth(graph.weights) / 2);
  const [before, after] = [denseOf(graph.weights), denseOf(near.weights)];
  order.forEach((from, i) => {
    assert.is(near.degrees[i], graph.degrees[from]);
    assert.equal(
      after[i],
      [...order].map((j) => before[from][j]),
    );
  });
  assert.is(near.components.count, graph.components.count);
  const { squaredReaches: reaches, treeOrder, ...origin } = graph.origin;
  const { treeOrder: newOrder, ...newOrigin } = near.origin;
  assert.equal(newOrigin, { ...origin, squaredReaches: Float32Array.from(order, (i) => reaches![i]) });
  assert.equal(
    newOrder!.map((node) => order[node]),
    treeOrder,
    'the same nodes in the leaves of the tree',
  );
  for (const precision of ['single', 'double'] as const) {
    const rows = zeros([300, 2], precision);
    order.forEach((from, i) => rows.data.set([from, -from], 2 * i));
    const back = restore(rows);
    assert.is(back.precision, precision);
    for (let i = 0; i < 300; i++) assert.equal([back.at(i, 0), back.at(i, 1)], [i, i === 0 ? -0 : -i]);
  }
  assert.throws(
    () => restore(zeros([299, 2])),
    /ReorderedGraph\.restore: expected 300 rows, one for each node, got 299/,
  );
});

test('a disconnected graph is reported, not refused', () => {
  const halves = symmetrize(edges(4, [[0, 2, 1], [1, 3, 1]])); // oxfmt-ignore
  assert.equal([...graphFrom(halves).components.labels], [0, 1, 0, 1]);
});

test.run();
