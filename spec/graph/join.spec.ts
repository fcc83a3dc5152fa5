/** A graph in several parts becomes one by the edges of the minimum spanning tree over its parts. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildGraph, type GraphRecipe, type MetricOptions, Random, tensor, type Tensor } from '../../lib/index.ts';
import { fromDense } from '../../lib/doors/sparse.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';
import { line, squared } from './reference.ts';

const test = suite('join');

type Edge = readonly [from: number, to: number, squared: number];

/** Kruskal's algorithm over all pairs, by squared distances in single precision, ties by index. */
function treeByHand(labels: Int32Array, distance: (i: number, j: number) => number): Edge[] {
  const parts = labels.slice();
  const pairs: Edge[] = [];
  for (let i = 0; i < labels.length; i++) {
    for (let j = i + 1; j < labels.length; j++) {
      if (labels[i] !== labels[j]) pairs.push([i, j, Math.fround(distance(i, j))]);
    }
  }
  pairs.sort((a, b) => a[2] - b[2] || a[0] - b[0] || a[1] - b[1]);
  return pairs.filter(([i, j]) => {
    const [kept, merged] = [parts[i], parts[j]];
    if (kept === merged) return false;
    for (let k = 0; k < parts.length; k++) if (parts[k] === merged) parts[k] = kept;
    return true;
  });
}

/** Groups of 1 to `largest` points around random centers. */
function groups(seed: string, count: number, largest: number, cols: number): Tensor {
  const random = new Random(seed);
  const rows: number[][] = [];
  for (let g = 0; g < count; g++) {
    const center = Array.from({ length: cols }, () => 10 * random.normal());
    const size = g === 0 ? largest : 1 + random.integer(12);
    for (let k = 0; k < size; k++) rows.push(center.map((value) => value + 0.01 * random.normal()));
  }
  return tensor(rows);
}

async function assertJoined(points: Tensor, recipe: GraphRecipe, distance: (i: number, j: number) => number) {
  const { components } = await buildGraph(points, recipe);
  assert.ok(components.count > 2, 'the example has parts');
  const joined = await buildGraph(points, { ...recipe, connect: 'join' });
  assert.is(joined.components.count, 1);
  const expected = treeByHand(components.labels, distance);
  assert.equal(
    joined.origin.joins!.map(({ from, to }) => [from, to]),
    expected.map(([from, to]) => [from, to]),
  );
  const sparse = fromDense(points);
  if (recipe.metric === undefined)
    assert.equal((await buildGraph(sparse, { ...recipe, connect: 'join' })).origin.joins, joined.origin.joins);
}

test('the edges are those of the minimum spanning tree over all pairs', async () => {
  await forEachInOrder([2, 12], async (cols) => {
    const points = groups(`groups ${cols}`, 25, 15, cols);
    const distance = (i: number, j: number) => squared(points, i, points, j);
    await assertJoined(points, { kind: 'knn', neighbors: 2 }, distance);
    await assertJoined(points, { kind: 'indicator', radius: 0.05 }, distance);
    await assertJoined(points, { kind: 'gaussian', sigma: 0.02 }, distance);
    await assertJoined(points, { kind: 'self-tuned', neighbors: 3 }, distance);
    await assertJoined(points, { kind: 'knn', neighbors: 4, symmetric: 'mutual' }, distance);
    const manhattan = (i: number, j: number): number => {
      let sum = 0;
      for (let p = 0; p < cols; p++) sum += Math.abs(points.data[i * cols + p] - points.data[j * cols + p]);
      return sum * sum;
    };
    await assertJoined(points, { kind: 'knn', neighbors: 2, metric: 'manhattan' }, manhattan);
  });
});

test('large parts, and parts at equal distances', async () => {
  const random = new Random('large');
  const large = zeros([900, 2]);
  for (let i = 0; i < 900; i++) {
    large.data[2 * i] = 100 * (i % 3) + random.normal();
    large.data[2 * i + 1] = random.normal();
  }
  await assertJoined(large, { kind: 'knn', neighbors: 8 }, (i, j) => squared(large, i, large, j));
  const grid = tensor(
    Array.from({ length: 36 }, (_, i) => [10 * (i % 6), 10 * Math.floor(i / 6)]).flatMap((x) => [x, x]),
  );
  await assertJoined(grid, { kind: 'indicator', radius: 1 }, (i, j) => squared(grid, i, grid, j));
});

test('a part of one point, and points that are all apart', async () => {
  const points = line(0, 0.1, 0.2, 5, 9);
  const { components, origin, weights } = await buildGraph(points, {
    kind: 'indicator',
    radius: 0.15,
    connect: 'join',
  });
  assert.is(components.count, 1);
  assert.equal(
    origin.joins!.map(({ from, to, weight }) => [from, to, weight]),
    [
      [3, 4, 1],
      [2, 3, 1],
    ],
  );
  assert.is(weights.nonzeros, 5 + 4 + 4);
  assert.is((await buildGraph(points, { kind: 'indicator', radius: 1e-3, connect: 'join' })).components.count, 1);
});

test('an edge between distant parts weighs as much as the lightest edge at its ends', async () => {
  const points = line(0, 0.1, 0.25, 100, 100.1, 100.3);
  const { origin, weights } = await buildGraph(points, { kind: 'gaussian', sigma: 0.1, connect: 'join' });
  const [{ from, to, weight, distance }] = origin.joins!;
  assert.equal([from, to], [2, 3]);
  assert.ok(Math.abs(distance - 99.75) < 1e-4);
  const lightest = Math.min(
    ...[2, 3].flatMap((i) => {
      const row = weights.columns.subarray(weights.starts[i], weights.starts[i + 1]);
      return [...row].flatMap((j, e) => (j === i || j === 5 - i ? [] : [weights.values[weights.starts[i] + e]]));
    }),
  );
  assert.is(weight, lightest);
});

test('a connected graph stays as it is, and connect: none leaves parts', async () => {
  const points = line(0, 1, 2, 3.5);
  const recipe = { kind: 'knn', neighbors: 3 } as const;
  const plain = await buildGraph(points, recipe);
  assert.equal(await buildGraph(points, { ...recipe, connect: 'join' }), plain);
  assert.is(plain.origin.joins, undefined);
  const apart = line(0, 1, 50, 51);
  assert.is((await buildGraph(apart, { kind: 'knn', neighbors: 2, connect: 'none' })).components.count, 2);
  assert.match(
    await refusalOf(buildGraph(apart, { kind: 'knn', connect: 'all' as 'join' })),
    /expected connect to be 'none' or 'join', got all\./,
  );
});

test('distances join parts as points do, lists of neighbors do not', async () => {
  const points = groups('distances', 9, 6, 3);
  const recipe = { kind: 'knn', neighbors: 2, connect: 'join' } as const;
  const n = points.rows;
  const distances = zeros([n, n], 'double');
  for (let i = 0; i < n * n; i++) distances.data[i] = Math.sqrt(squared(points, Math.floor(i / n), points, i % n));
  const given = await buildGraph(distances, { ...recipe, metric: 'precomputed' });
  const built = await buildGraph(points, recipe);
  const ends = ({ origin }: typeof built) => origin.joins!.map(({ from, to }) => [from, to]);
  assert.equal(ends(given), ends(built));
  const lists = { indices: [[1], [0], [3], [2]], distances: [[1], [1], [1], [1]] };
  assert.match(
    await refusalOf(buildGraph(lists, { kind: 'knn', connect: 'join' })),
    /expected distances that join all parts of the graph, got 2 parts without one between them\. Pass/,
  );
});

test('unknown metrics of a recipe are refused', async () => {
  const options = { kind: 'knn', metric: 'taxi' } as unknown as GraphRecipe & MetricOptions;
  assert.match(await refusalOf(buildGraph(line(0, 1), options)), /expected metric to be 'euclidean'/);
});

test.run();
