import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rejects } from '../rejects.ts';
import { accuracy, Random, tensor, type Tensor } from '../../lib/index.ts';
import { kMeans, nearestCenters } from '../../lib/doors/embedding.ts';
import { zeros } from '../../lib/doors/tensor.ts';

const test = suite('k-means');

/** Three clusters with standard deviation 1, at distance 8 in each coordinate that differs. */
function clouds(seed: number, each = 100): { points: Tensor; truth: number[] } {
  const random = new Random(seed);
  const points = zeros([3 * each, 2]);
  const truth = Array.from({ length: 3 * each }, (_, i) => i % 3);
  for (const [i, label] of truth.entries()) {
    points.data[2 * i] = 8 * label + random.normal();
    points.data[2 * i + 1] = 8 * (label % 2) + random.normal();
  }
  return { points, truth };
}

test('centers are the means of their points, and every point is with its nearest center', async () => {
  const { points } = clouds(1);
  const { centers, labels, inertia, converged } = await kMeans(points, 3, { seed: 1 });
  assert.ok(converged);
  for (let c = 0; c < 3; c++) {
    for (let j = 0; j < 2; j++) {
      const own = [...labels.keys()].filter((i) => labels[i] === c);
      const mean = own.reduce((sum, i) => sum + points.at(i, j), 0) / own.length;
      assert.ok(Math.abs(centers.at(c, j) - mean) < 1e-5);
    }
  }
  const again = nearestCenters(points, centers);
  assert.equal(again.labels, labels);
  assert.ok(Math.abs(again.squaredDistances.reduce((a, b) => a + b, 0) - inertia) < 1e-9 * inertia);
});

test('distant clusters are separated, for many seeds', async () => {
  for (let seed = 0; seed < 10; seed++) {
    const { points, truth } = clouds(seed);
    assert.is(accuracy((await kMeans(points, 3, { seed })).labels, truth), 1, `seed ${seed}`);
  }
});

test('more starts never end higher, and the same seed gives the same bits', async () => {
  const points = zeros([200, 3]);
  new Random('noise').fillNormal(points.data);
  const one = await kMeans(points, 8, { restarts: 1, seed: 4 });
  const many = await kMeans(points, 8, { restarts: 6, seed: 4 });
  assert.ok(many.inertia <= one.inertia);
  assert.equal((await kMeans(points, 8, { restarts: 6, seed: 4 })).labels, many.labels);
});

test('edges: one cluster, as many as points, repeated points, one point', async () => {
  const points = tensor([
    [0, 0],
    [2, 0],
    [4, 6],
  ]);
  const [x, y] = (await kMeans(points, 1)).centers.data;
  assert.equal([x, y], [2, 2]);
  assert.is((await kMeans(points, 3)).inertia, 0);
  const repeated = tensor([
    [1, 1],
    [1, 1],
    [1, 1],
    [5, 5],
  ]);
  const { labels, inertia, converged } = await kMeans(repeated, 3);
  assert.is(inertia, 0);
  assert.ok(converged);
  assert.equal([labels[0], labels[1]], [labels[2], labels[2]]);
  assert.is((await kMeans(tensor([[3]]), 1)).labels[0], 0);
});

test('a run that was cut short says so', async () => {
  const points = zeros([500, 2]);
  new Random('short').fillNormal(points.data);
  assert.not.ok((await kMeans(points, 9, { iterations: 1, restarts: 1 })).converged);
});

test('bad input is refused', async () => {
  const points = tensor([[0], [1]]);
  await rejects(() => kMeans(points, 3), /kMeans: expected at most 2 clusters, as many as points, got 3/);
  await rejects(() => kMeans(points, 0), /kMeans: expected clusters to be a whole number, at least 1, got 0/);
  await rejects(() => kMeans(tensor([[0], [NaN]]), 1), /kMeans: expected finite numbers in points, got NaN at index 1/);
  await rejects(() => kMeans(zeros([0, 2]), 1), /kMeans: expected at least one point, got none/);
  await rejects(() => kMeans(tensor([1, 2]), 1), /kMeans: expected points of two axes, got shape 2/);
  assert.throws(
    () => nearestCenters(points, tensor([[1, 2]])),
    /expected points of 2 columns, like the centers, got 1/,
  );
});

test.run();
