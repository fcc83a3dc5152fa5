import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, tensor, Tensor } from '../../lib/index.ts';
import { nearestAmong, nearestNeighbors, type NeighborOptions } from '../../lib/doors/graph.ts';
import { zeros } from '../../lib/doors/tensor.ts';
import { onEveryBackend } from '../backends.ts';
import { forEachInOrder } from '../for-each.ts';
import { refusalOf } from '../rejects.ts';
import { clusteredPoints, latticePoints, line, nearestByHand, rowsOf, twoClouds, uniformPoints } from './reference.ts';

const test = suite('nearest neighbors');

const exact = ['tree', 'brute'] as const;

async function assertNearest(points: Tensor, options: NeighborOptions): Promise<void> {
  const found = await nearestNeighbors(points, options);
  const self = (options.includeSelf ?? true) ? 'in' : 'out';
  assert.equal(rowsOf(found), nearestByHand(points, points, options.neighbors, self), JSON.stringify(options));
}

onEveryBackend(test, 'exact methods find what sorting all distances finds, in any dimension', async () => {
  const random = new Random('dimensions');
  await forEachInOrder([1, 2, 3, 8, 50, 784], async (d) => {
    const points = uniformPoints(random, d > 100 ? 60 : 150, d);
    await forEachInOrder(exact, (method) => assertNearest(points, { neighbors: 7, method }));
    await forEachInOrder(exact, (method) => assertNearest(points, { neighbors: 5, method, includeSelf: false }));
  });
});

test('more points than a block holds, on either side of a block', async () => {
  const random = new Random('blocks');
  await forEachInOrder([255, 257, 700], async (n) => {
    const points = clusteredPoints(random, n, 10, 5, 0.1);
    await forEachInOrder(exact, (method) => assertNearest(points, { neighbors: 4, method }));
  });
});

test('a tree of many leaves, with points in clusters, on a line, and along one axis', async () => {
  const random = new Random('trees');
  await assertNearest(clusteredPoints(random, 900, 3, 6, 0.02), { neighbors: 16, method: 'tree' });
  await assertNearest(uniformPoints(random, 500, 1), { neighbors: 9, method: 'tree' });
  const flat = uniformPoints(random, 500, 4);
  for (let i = 0; i < flat.rows; i++) flat.data.fill(0.5, 4 * i + 1, 4 * i + 4);
  await assertNearest(flat, { neighbors: 6, method: 'tree', includeSelf: false });
});

onEveryBackend(test, 'ties go to the smaller index, and points that coincide are neighbors at distance 0', async () => {
  const random = new Random('ties');
  await forEachInOrder([1, 2, 3, 12, 50], async (d) => {
    const points = latticePoints(random, 120, d, d < 3 ? 4 : 2);
    await forEachInOrder(exact, (method) => assertNearest(points, { neighbors: 11, method }));
    await forEachInOrder(exact, (method) => assertNearest(points, { neighbors: 3, method, includeSelf: false }));
  });
});

test('a point is among its own neighbors even where more than k others coincide with it', async () => {
  const points = zeros([200, 2]);
  await forEachInOrder([...exact, 'descent'] as const, async (method) => {
    const { indices, squaredDistances } = await nearestNeighbors(points, { neighbors: 3, method });
    for (let i = 0; i < 200; i++) assert.ok(indices.subarray(3 * i, 3 * i + 3).includes(i), `${method} ${i}`);
    assert.ok(squaredDistances.every((value) => value === 0));
  });
  await assertNearest(points, { neighbors: 3, method: 'tree' });
  await assertNearest(points, { neighbors: 3, method: 'brute' });
});

test('of twenty thousand copies of one point those with the smallest indices are the neighbors', async () => {
  const n = 20_000;
  const { indices } = await nearestNeighbors(zeros([n, 2]), { neighbors: 4, method: 'tree' });
  assert.equal([...indices.subarray(4 * (n - 1))], [0, 1, 2, n - 1]);
});

test('k may be all points', async () => {
  const points = uniformPoints(new Random('all'), 40, 3);
  await forEachInOrder([...exact, 'descent'] as const, async (method) => {
    await assertNearest(points, { neighbors: 40, method });
    await assertNearest(points, { neighbors: 39, method, includeSelf: false });
    await assertNearest(points, { neighbors: 1, method });
    await assertNearest(line(5), { neighbors: 1, method });
    await assertNearest(line(5, 5), { neighbors: 2, method });
  });
});

test('double precision is kept, a large offset included', async () => {
  const points = uniformPoints(new Random('offset'), 80, 12, 'double');
  for (let at = 0; at < points.size; at++) points.data[at] += 1e7;
  await forEachInOrder(exact, (method) => assertNearest(points, { neighbors: 6, method }));
  const copy = new Tensor(points.data.slice(), points.shape);
  assert.equal(copy.data, points.data);
});

onEveryBackend(
  test,
  'double precision is kept where points are farther apart than single precision can tell',
  async () => {
    const random = new Random('apart');
    await forEachInOrder([1e2, 1e4, 1e7, 1e8], async (apart) => {
      const points = twoClouds(random, 400, 10, apart);
      await forEachInOrder(exact, (method) => assertNearest(points, { neighbors: 7, method }));
      const queries = twoClouds(random, 50, 10, apart);
      const found = await nearestAmong(points, queries, { neighbors: 6, method: 'brute' });
      assert.equal(rowsOf(found), nearestByHand(points, queries, 6, 'other'), `${apart}`);
    });
  },
);

onEveryBackend(test, 'points near each other and far from the origin keep their neighbors', async () => {
  // |x|² + |y|² − 2x·y is off by 0.01 here, a thousand times the distances.
  const points = clusteredPoints(new Random('far'), 300, 20, 4, 1e-3);
  for (let at = 0; at < points.size; at++) points.data[at] += 100;
  await assertNearest(points, { neighbors: 6, method: 'brute' });
  // Here the formula gives NaN.
  const farther = uniformPoints(new Random('farther'), 60, 20);
  for (let at = 0; at < farther.size; at++) farther.data[at] = 1e19 + 1e17 * farther.data[at];
  await assertNearest(farther, { neighbors: 6, method: 'brute' });
  const queries = points.rowRange(40, 90);
  const found = await nearestAmong(points, queries, { neighbors: 6, method: 'brute' });
  assert.equal(rowsOf(found), nearestByHand(points, queries, 6, 'other'));
});

onEveryBackend(test, 'points with many zeros, in the kernels’ memory or elsewhere', async () => {
  const random = new Random('zeros');
  const points = uniformPoints(random, 400, 60);
  for (let at = 0; at < points.size; at++) if (random.uniform() < 0.8) points.data[at] = 0;
  points.data.fill(0, 60 * 7, 60 * 9);
  await assertNearest(points, { neighbors: 5, method: 'brute' });
  const elsewhere = new Tensor(new Float32Array(points.data), points.shape);
  await assertNearest(elsewhere, { neighbors: 5, method: 'brute', includeSelf: false });
  const queries = uniformPoints(random, 50, 60);
  const found = await nearestAmong(elsewhere, queries, { neighbors: 6, method: 'brute' });
  assert.equal(rowsOf(found), nearestByHand(points, queries, 6, 'other'));
});

test('all pairs find what a tree finds where points fill several blocks, with zeros and without', async () => {
  const random = new Random('large');
  const points = uniformPoints(random, 8300, 5);
  const options = { neighbors: 8, includeSelf: false } as const;
  for (const zeroed of [0, 0.7]) {
    for (let at = 0; at < points.size; at++) if (random.uniform() < zeroed) points.data[at] = 0;
    const brute = await nearestNeighbors(points, { ...options, method: 'brute' });
    const tree = await nearestNeighbors(points, { ...options, method: 'tree' });
    assert.ok(Buffer.from(brute.indices.buffer).equals(Buffer.from(tree.indices.buffer)), `${zeroed}`);
    assert.equal(brute.squaredDistances, tree.squaredDistances);
  }
});

test('distances that are one number in single precision are ties', async () => {
  const points = tensor([[0], [1 + 1e-12], [1], [-1 - 1e-13], [-1]], 'double');
  const { indices } = await nearestNeighbors(points, { neighbors: 5, method: 'tree' });
  assert.equal([...indices.subarray(0, 5)], [0, 1, 2, 3, 4]);
  await forEachInOrder(exact, (method) => assertNearest(points, { neighbors: 3, method }));
});

test('neighbors of queries among points', async () => {
  const random = new Random('queries');
  await forEachInOrder([2, 8, 50], async (d) => {
    const points = uniformPoints(random, 300, d);
    const queries = uniformPoints(random, 90, d, d === 8 ? 'double' : 'single');
    await forEachInOrder(['auto', ...exact] as const, async (method) => {
      const found = await nearestAmong(points, queries, { neighbors: 5, method });
      assert.equal(rowsOf(found), nearestByHand(points, queries, 5, 'other'), `${d} ${method}`);
      assert.is(found.method, method === 'auto' ? (d > 8 ? 'brute' : 'tree') : method);
    });
  });
  const lattice = latticePoints(random, 100, 2, 3);
  await forEachInOrder(exact, async (method) => {
    const found = await nearestAmong(lattice, lattice.rowRange(0, 20), { neighbors: 100, method });
    assert.equal(rowsOf(found), nearestByHand(lattice, lattice.rowRange(0, 20), 100, 'other'));
  });
  await forEachInOrder(exact, async (method) => {
    const found = await nearestAmong(lattice, lattice, { neighbors: 7, method });
    assert.equal(rowsOf(found), nearestByHand(lattice, lattice, 7, 'other'), 'points as queries find themselves');
  });
  const none = await nearestAmong(lattice, zeros([0, 2]), { neighbors: 3 });
  assert.is(none.indices.length, 0);
});

test('the method follows from the numbers of points and columns, and is reported', async () => {
  const random = new Random('auto');
  assert.is((await nearestNeighbors(uniformPoints(random, 30, 8), { neighbors: 2 })).method, 'tree');
  const brute = await nearestNeighbors(uniformPoints(random, 30, 9), { neighbors: 2 });
  assert.is(brute.method, 'brute');
  assert.not('recall' in brute);
});

test('anything but points is refused', async () => {
  const search = (points: unknown, options: object = {}) =>
    refusalOf(nearestNeighbors(points as Tensor, { neighbors: 1, ...options }));
  assert.match(
    await search([[1, 2]]),
    /nearestNeighbors: expected points as a tensor, got an array of length 1\. tensor\(\) /,
  );
  assert.match(await search(zeros([4])), /expected points as a table, one point per row, got shape 4\./);
  assert.match(await search(zeros([0, 3])), /expected at least one point, got none\./);
  assert.match(await search(zeros([3, 0])), /expected points of at least one column, got 3×0\./);
  assert.match(
    await search(
      tensor([
        [1, 2],
        [3, NaN],
      ]),
    ),
    /finite numbers in points, got NaN at row 1, column 1\./,
  );
  assert.match(await search(line(1, Infinity)), /finite numbers in points, got Infinity at index 1/);
  assert.match(await search(line(0, 1e20)), /expected points spread over 1e-14 to 1e18, got 1000\d*\. Mult/);
  assert.match(await search(line(0, 1e-20)), /spread over .* got \S+e-2[01]\./);
});

test('bad numbers of neighbors are refused', async () => {
  const search = (options: object) => refusalOf(nearestNeighbors(line(1, 2, 3), options as NeighborOptions));
  assert.match(
    await search({ neighbors: 4 }),
    /neighbors to be at most 3 for 3 points, the point itself counted, got 4\./,
  );
  assert.match(
    await search({ neighbors: 3, includeSelf: false }),
    /at most 2 for 3 points, the point itself not counted, got 3\./,
  );
  assert.match(await search({ neighbors: 0 }), /neighbors to be a whole number, at least 1, got 0\./);
  assert.match(await search({ neighbors: 1.5 }), /got 1\.5\./);
  assert.match(await search({}), /neighbors to be a number, got undefined/);
  assert.match(
    await search({ neighbors: 1, method: 'guess' }),
    /method to be 'auto' or 'tree' or 'brute' or 'descent', got guess/,
  );
  const among = (queries: Tensor, neighbors: number) => refusalOf(nearestAmong(line(1, 2), queries, { neighbors }));
  assert.match(
    await among(zeros([2, 2]), 1),
    /nearestAmong: expected queries of 1 columns, as the points have, got 2\./,
  );
  assert.match(await among(line(1), 3), /neighbors to be at most the 2 points, got 3\./);
  assert.match(await among(line(NaN), 1), /finite numbers in queries, got NaN at index 0/);
});

test.run();
